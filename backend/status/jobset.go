package status

import (
	"regexp"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jobsetapi "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
)

// labelAttempt is on a JobSet's Jobs and pods: status.restarts when they were made.
const labelAttempt = "jobset.sigs.k8s.io/restart-attempt"

// firstFailedJob is what JobSet adds to the message of its Failed condition.
var firstFailedJob = regexp.MustCompile(`\(first failed job: ([^)\s]+)\)`)

// FromJobSet gives the status of a JobSet: muster's or, by its labels, another tool's (Foreign). jobs and pods may hold
// those of other objects, also of an older JobSet of the same name: only what belongs to this UID counts. workload is
// the JobSet's, nil when there is none or it may not be read. QueuePosition is left to package queue.
func FromJobSet(js *jobsetapi.JobSet, jobs []*batchv1.Job, pods []*corev1.Pod, workload *kueue.Workload) job.Status {
	v := newView(&js.ObjectMeta, engine.JobSet)
	v.hasWorkload = workloadOf(workload, string(js.UID)) != nil
	v.workload(workloadOf(workload, string(js.UID)))
	perJob := map[string]int{} // role → pods of one of its Jobs
	for i := range js.Spec.ReplicatedJobs {
		r := &js.Spec.ReplicatedJobs[i]
		n := podsOf(&r.Template.Spec)
		perJob[r.Name] = n
		v.want(r.Name, int(r.Replicas)*n, &r.Template.Spec.Template.Spec)
	}

	own := map[string]*batchv1.Job{} // by UID: this attempt's and, until they are deleted, older ones'
	var current []*batchv1.Job
	for _, j := range jobs {
		if !ownedBy(&j.ObjectMeta, string(js.UID)) {
			continue
		}
		own[string(j.UID)] = j
		if attempt(j.Labels) >= int(js.Status.Restarts) {
			current = append(current, j)
		}
	}
	for _, p := range pods {
		if !podOfJobSet(p, js, own) {
			continue
		}
		one := readPod(p)
		one.role = p.Labels[jobsetapi.ReplicatedJobNameKey]
		index, _ := strconv.Atoi(p.Labels[jobsetapi.JobIndexKey])
		completion, _ := strconv.Atoi(p.Annotations[batchv1.JobCompletionIndexAnnotation])
		one.Index = index*max(perJob[one.role], 1) + completion
		one.attempt = attempt(p.Labels)
		one.current = one.attempt >= int(js.Status.Restarts)
		v.pods = append(v.pods, one)
	}

	// JobSet says itself whether it is restarting since 0.12; before, one that has restarted and is not ready is.
	restarting := js.Status.Restarts > 0
	if c := meta.FindStatusCondition(js.Status.Conditions, string(jobsetapi.JobSetRestarting)); c != nil {
		restarting = c.Status == metav1.ConditionTrue
	}
	v.Restarts = int(js.Status.Restarts)
	for _, r := range js.Status.ReplicatedJobsStatus {
		for _, n := range r.JobRestarts {
			v.Restarts += int(n)
		}
	}
	for _, j := range current {
		n := podRestarts(j)
		v.Restarts += n
		restarting = restarting || n > 0
	}
	v.ready = allReady(js)
	chosen := v.chosen()
	for _, role := range chosen {
		for _, p := range role {
			v.Restarts += p.PodStatus.Restarts
		}
	}

	completed, failed := holds(js, jobsetapi.JobSetCompleted), holds(js, jobsetapi.JobSetFailed)
	switch {
	case completed != nil:
		v.succeeded(&completed.LastTransitionTime)
	case failed != nil:
		v.failedJobSet(chosen, js, failed, current)
	case js.Spec.ManagedBy != nil && *js.Spec.ManagedBy != jobsetapi.JobSetControllerName:
		v.Phase, v.Reason, v.Message = job.Unknown, NotOurEngine, *js.Spec.ManagedBy
	default:
		suspended := js.Spec.Suspend != nil && *js.Spec.Suspend
		var since *metav1.Time
		if c := holds(js, jobsetapi.JobSetSuspended); c != nil {
			since = &c.LastTransitionTime
		}
		v.notEnded(chosen, current, js.DeletionTimestamp != nil, suspended, restarting, since)
	}
	return v.finish(chosen)
}

// holds is a JobSet's condition if it is true, else nil.
func holds(js *jobsetapi.JobSet, t jobsetapi.JobSetConditionType) *metav1.Condition {
	if c := meta.FindStatusCondition(js.Status.Conditions, string(t)); c != nil && c.Status == metav1.ConditionTrue {
		return c
	}
	return nil
}

// JobSetEnded tells whether a JobSet has ended for good.
func JobSetEnded(js *jobsetapi.JobSet) bool {
	return holds(js, jobsetapi.JobSetCompleted) != nil || holds(js, jobsetapi.JobSetFailed) != nil
}

// failedJobSet finds why a JobSet failed. Which of its rules did it is no news for the user; that its restarts are used
// up is.
func (v *view) failedJobSet(chosen map[string]map[int]pod, js *jobsetapi.JobSet, condition *metav1.Condition, current []*batchv1.Job) {
	var cause *batchv1.Job
	if m := firstFailedJob.FindStringSubmatch(condition.Message); m != nil {
		for _, j := range current {
			if j.Name == m[1] {
				cause = j
			}
		}
	}
	if cause == nil {
		cause = firstFailed(current)
	}
	v.failed(chosen, cause, condition.Message, &condition.LastTransitionTime)
	if condition.Reason == "ReachedMaxRestarts" && js.Spec.FailurePolicy != nil && js.Spec.FailurePolicy.MaxRestarts > 0 && v.Phase == job.Failed {
		v.Reason = MaxRestartsReached
	}
}

// podOfJobSet tells whether a pod belongs to this very JobSet.
func podOfJobSet(p *corev1.Pod, js *jobsetapi.JobSet, own map[string]*batchv1.Job) bool {
	if p.Namespace != js.Namespace || p.Labels[jobsetapi.JobSetNameKey] != js.Name {
		return false
	}
	if uid, ok := p.Labels[jobsetapi.JobSetUIDKey]; ok {
		return uid == string(js.UID)
	}
	// JobSet before 0.6 has no label with the UID.
	for _, ref := range p.OwnerReferences {
		if own[string(ref.UID)] != nil {
			return true
		}
	}
	return false
}

// allReady tells whether JobSet itself has seen all Jobs of this attempt ready or done, and knows which Jobs that are.
func allReady(js *jobsetapi.JobSet) bool {
	if len(js.Status.ReplicatedJobsStatus) == 0 || meta.IsStatusConditionTrue(js.Status.Conditions, string(jobsetapi.JobSetRestarting)) {
		return false
	}
	want, have := int32(0), int32(0)
	for _, r := range js.Spec.ReplicatedJobs {
		want += r.Replicas
	}
	for _, r := range js.Status.ReplicatedJobsStatus {
		have += r.Ready + r.Succeeded
	}
	return want > 0 && have >= want
}

// podsOf is the number of pods that a Job runs at once.
func podsOf(spec *batchv1.JobSpec) int {
	n := int32(1)
	if spec.Parallelism != nil {
		n = *spec.Parallelism
	}
	if spec.Completions != nil && *spec.Completions < n {
		n = *spec.Completions
	}
	return int(n)
}

func attempt(labels map[string]string) int {
	n, _ := strconv.Atoi(labels[labelAttempt])
	return n
}

func ownedBy(m *metav1.ObjectMeta, uid string) bool {
	for _, ref := range m.OwnerReferences {
		if string(ref.UID) == uid {
			return true
		}
	}
	return false
}
