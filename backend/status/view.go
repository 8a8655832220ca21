// Package status turns the objects of a job into its job.Status. Pure: no clock, no client; the same objects give the
// same status.
//
// It reads, and whoever trims objects must keep: of all, name, namespace, UID, labels, annotations, owner references,
// creation and deletion time and deletion grace; of JobSets and Jobs also spec and status; of pods spec.nodeName, and of the status phase,
// reason, message, conditions and container statuses; of workloads spec.active, spec.queueName and status.
//
// Rules are from JobSet 0.12.0, Kueue 0.19.0 and batch/v1 of Kubernetes 1.36.
package status

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
)

// labelQueue makes an object a job of a Kueue LocalQueue.
const labelQueue = "kueue.x-k8s.io/queue-name"

// view gathers what the kinds of objects have in common on the way to a status.
type view struct {
	job.Status
	wanted      []wanted
	pods        []pod // of every attempt that still has some
	queued      bool  // Kueue decides when it runs
	queue       queueState
	hasWorkload bool
	ranBefore   int64 // seconds that its workload was admitted before its quota was taken back
	ready       bool  // the controller itself says that all pods were ready, should pods not be readable
}

// wanted is one role as the objects ask for it.
type wanted struct {
	name     string
	replicas int
	gpus     int
}

// newView fills in what the root object says of the job.
func newView(root *metav1.ObjectMeta, engineName string) *view {
	v := &view{Status: job.Status{
		Name:        root.Name,
		DisplayName: or(root.Annotations[engine.AnnotationDisplay], root.Name),
		Workspace:   root.Namespace,
		Engine:      engineName,
		UID:         string(root.UID),
		Created:     root.CreationTimestamp.UTC(), // JSON must not depend on where it is read
		Queue:       root.Labels[labelQueue],
		Roles:       []job.RoleStatus{},
	}}
	if root.Labels[engine.LabelManagedBy] != engine.ManagedBy || root.Labels[engine.LabelJob] != root.Name {
		v.Foreign = true
		return v
	}
	v.Framework = job.Framework(root.Labels[engine.LabelFramework])
	v.User = root.Annotations[engine.AnnotationUser]
	v.Cluster = root.Annotations[engine.AnnotationCluster]
	v.CardType = root.Annotations[engine.AnnotationCard]
	v.Priority = job.Priority(root.Annotations[engine.AnnotationPriority])
	return v
}

// workload notes what Kueue says; nil is a workload that does not exist or may not be read.
func (v *view) workload(w *kueue.Workload) {
	v.queued = v.Queue != "" || w != nil
	if w == nil {
		return
	}
	v.Queue = or(v.Queue, string(w.Spec.QueueName))
	v.queue = readWorkload(w)
	if past := w.Status.AccumulatedPastExecutionTimeSeconds; past != nil {
		v.ranBefore = int64(*past)
	}
}

// want adds a role.
func (v *view) want(name string, replicas int, template *corev1.PodSpec) {
	gpus := cards(template)
	for _, c := range template.Containers {
		for _, e := range c.Env {
			if e.Name == "MUSTER_GPUS_PER_NODE" {
				if n, err := strconv.Atoi(e.Value); err == nil {
					gpus = n
				}
			}
		}
	}
	v.wanted = append(v.wanted, wanted{name: name, replicas: replicas, gpus: gpus})
	v.Image = or(v.Image, image(template))
}

// chosen is the pod that stands for each role and index: of the latest attempt, and of that the latest made.
func (v *view) chosen() map[string]map[int]pod {
	best := make(map[string]map[int]pod, len(v.wanted))
	for _, p := range v.pods {
		role := best[p.role]
		if role == nil {
			role = map[int]pod{}
			best[p.role] = role
		}
		if have, ok := role[p.Index]; !ok || newer(p, have) {
			role[p.Index] = p
		}
	}
	return best
}

func newer(a, b pod) bool {
	if c := cmp.Compare(a.attempt, b.attempt); c != 0 {
		return c > 0
	}
	if c := a.created.Compare(b.created); c != 0 {
		return c > 0
	}
	if a.alive() != b.alive() {
		return a.alive()
	}
	return a.UID > b.UID // made in the same second: any, but always the same
}

// roles fills in the roles and their pods.
func (v *view) roles(chosen map[string]map[int]pod) {
	for _, w := range v.wanted {
		role := job.RoleStatus{Name: w.name, Replicas: w.replicas, GPUs: w.gpus, Pods: []job.PodStatus{}}
		for _, p := range chosen[w.name] {
			role.Pods = append(role.Pods, p.PodStatus)
			if p.current && (p.ready || p.Phase == string(corev1.PodSucceeded)) {
				role.Ready++
			}
		}
		role.Ready = min(role.Ready, role.Replicas)
		slices.SortFunc(role.Pods, func(a, b job.PodStatus) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Name, b.Name))
		})
		v.Roles = append(v.Roles, role)
	}
}

// allRan tells whether every wanted pod of this attempt has run, and since when all have.
func (v *view) allRan(chosen map[string]map[int]pod) (time.Time, bool) {
	var last time.Time
	for _, w := range v.wanted {
		ran := 0
		for _, p := range chosen[w.name] {
			if p.current && p.everRan {
				ran++
				if p.Started != nil && p.Started.After(last) {
					last = *p.Started
				}
			}
		}
		if ran < w.replicas {
			return time.Time{}, false
		}
	}
	return last, !last.IsZero()
}

// anyAlive tells whether a pod of any attempt may still run something.
func (v *view) anyAlive() bool {
	return slices.ContainsFunc(v.pods, func(p pod) bool { return p.alive() })
}

// notEnded decides among the phases of a job whose objects do not say that it has ended. jobs are those of this
// attempt, suspended is what the spec asks, restarting whether it comes back from a failure.
func (v *view) notEnded(chosen map[string]map[int]pod, jobs []*batchv1.Job, deleted, suspended, restarting bool, suspendedSince *metav1.Time) {
	late := overdue(jobs)
	switch {
	case deleted:
		v.Phase, v.Reason = job.Stopping, Deleting
	case late != nil:
		v.Phase, v.Reason, v.Message = job.Stopping, DeadlineExceeded, late.Message
	case v.queue.phase == job.Failed && suspended:
		v.end(job.Failed, v.queue.reason, v.queue.message, v.queue.since)
	case v.queue.phase == job.Stopped, v.queue.phase == job.TimedOut:
		v.stop(v.queue.phase, v.queue.reason, v.queue.message, v.queue.since)
	case v.queue.phase == job.Queued:
		v.Phase, v.Reason, v.Message = job.Queued, v.queue.reason, v.queue.message
		if v.anyAlive() {
			v.Phase = job.Stopping // quota is taken back, its pods still end
		}
	case suspended && !v.queued:
		v.stop(job.Stopped, StoppedByUser, "", suspendedSince)
	case suspended:
		// Without a workload it waits for Kueue to make one; with one that is admitted it is about to be resumed.
		v.Phase, v.Reason = job.Queued, NoWorkload
		if v.admitted() {
			v.Phase, v.Reason = job.Starting, ""
		}
	default:
		v.progress(chosen, restarting)
	}
}

// admitted tells whether there is a workload and it lets the job run.
func (v *view) admitted() bool { return v.hasWorkload && v.queue.phase == "" }

// stop is for a job that somebody ended for good or until it is resumed; its pods may still be ending.
func (v *view) stop(phase job.Phase, reason, message string, since *metav1.Time) {
	if v.anyAlive() {
		v.Phase, v.Reason, v.Message = job.Stopping, reason, message
		return
	}
	v.end(phase, reason, message, since)
}

// end notes a terminal phase.
func (v *view) end(phase job.Phase, reason, message string, at *metav1.Time) {
	v.Phase, v.Reason, v.Message = phase, reason, message
	if at != nil && !at.IsZero() {
		t := at.UTC()
		v.Finished = &t
	}
}

// progress decides between Starting, Running and Restarting.
func (v *view) progress(chosen map[string]map[int]pod, restarting bool) {
	_, ran := v.allRan(chosen)
	switch {
	case ran || v.ready:
		v.Phase = job.Running
	case restarting:
		v.Phase = job.Restarting
	default:
		v.Phase = job.Starting
	}
	v.blocked(chosen)
	if v.Phase == job.Restarting && (v.Reason == "" || v.Reason == ContainerWaiting || v.Reason == PodsMissing) {
		v.Reason = Disrupted
	}
}

// blocked finds the worst of what keeps the job from running whole, and its pod's words.
func (v *view) blocked(chosen map[string]map[int]pod) {
	worst, rank := pod{}, len(severity)
	missing := false
	for _, w := range v.wanted {
		here := 0
		for i := range w.replicas {
			p, ok := chosen[w.name][i]
			if !ok || !p.current {
				continue
			}
			here++
			if p.killed && !p.disrupted {
				continue // it was told to end: how it did says nothing
			}
			if at := slices.Index(severity, p.Reason); at >= 0 && at < rank {
				worst, rank = p, at
			}
		}
		missing = missing || here < w.replicas
	}
	switch {
	case rank < len(severity) && (worst.Reason != ContainerWaiting || !missing):
		v.Reason, v.Message = worst.Reason, worst.Message
	case missing && v.Phase != job.Running:
		v.Reason = PodsMissing
	}
}

// severity orders the reasons of pods by how much they keep the whole job from running, the worst first.
var severity = []string{
	InvalidImage, ContainerConfig, ImagePull, ContainerCreate, StartError, CrashLoop,
	OOMKilled, ExitCode, NodeLost, NodeShutdown, Preempted, Evicted, AdmissionRefused, PodFailed,
	Unschedulable, SchedulingGated, ContainerWaiting,
}

// finish fills in the times and gives the status.
func (v *view) finish(chosen map[string]map[int]pod) job.Status {
	v.roles(chosen)
	if at, ran := v.allRan(chosen); ran {
		v.Started = &at
	} else if v.Phase.Terminal() {
		// The others are deleted when one fails: the last start that is still known.
		for _, p := range v.pods {
			if p.current && p.Started != nil && (v.Started == nil || p.Started.After(*v.Started)) {
				v.Started = p.Started
			}
		}
		if v.Started == nil {
			v.RunSeconds = v.ranBefore
		}
	}
	return v.Status
}
