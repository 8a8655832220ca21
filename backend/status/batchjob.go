package status

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
)

// FromJobs gives the status of a job on plain batch/v1: root is the headless Service that owns the Jobs. jobs and pods
// may hold those of other objects: only what belongs to this UID counts. workload is that of its only Job, nil when
// there is none or it may not be read.
func FromJobs(root *corev1.Service, jobs []*batchv1.Job, pods []*corev1.Pod, workload *kueue.Workload) job.Status {
	v := newView(&root.ObjectMeta, engine.BatchJob)
	var own []*batchv1.Job
	uids := []string{string(root.UID)}
	for _, j := range jobs {
		if ownedBy(&j.ObjectMeta, string(root.UID)) {
			own = append(own, j)
			uids = append(uids, string(j.UID))
			v.Queue = or(v.Queue, j.Labels[labelQueue])
		}
	}
	slices.SortFunc(own, func(a, b *batchv1.Job) int { return cmp.Compare(a.Name, b.Name) })
	v.hasWorkload = workloadOf(workload, uids...) != nil
	v.workload(workloadOf(workload, uids...))

	templates := map[string]*corev1.PodSpec{}
	found := map[string]int{}
	for _, j := range own {
		role := j.Labels[engine.LabelRole]
		found[role]++
		if templates[role] == nil {
			templates[role] = &j.Spec.Template.Spec
		}
	}
	roles := parseRoles(root.Annotations[engine.AnnotationRoles])
	if roles == nil {
		// Without the annotation what there is, is what was wanted.
		for _, role := range slices.Sorted(maps.Keys(found)) {
			roles = append(roles, wanted{name: role, replicas: found[role]})
		}
	}
	for _, r := range roles {
		template := templates[r.name]
		if template == nil {
			template = &corev1.PodSpec{}
		}
		v.want(r.name, r.replicas, template)
	}
	v.fromJobs(own, pods, func(j *batchv1.Job, _ *corev1.Pod, _ int) (string, int) {
		index, _ := strconv.Atoi(j.Labels[engine.LabelRoleIndex])
		return j.Labels[engine.LabelRole], index
	})
	return v.conclude(own, root.DeletionTimestamp != nil)
}

// roleOfJob is the one role of a Job that muster did not make.
const roleOfJob = "job"

// ForeignJob gives the status of a single batch/v1 Job of another tool. Its pods are one role, "job", numbered by
// completion index or, without, in the order of their making, a pod that replaces another in its place.
func ForeignJob(j *batchv1.Job, pods []*corev1.Pod, workload *kueue.Workload) job.Status {
	v := newView(&j.ObjectMeta, engine.BatchJob)
	v.Foreign = true
	v.hasWorkload = workloadOf(workload, string(j.UID)) != nil
	v.workload(workloadOf(workload, string(j.UID)))
	v.want(roleOfJob, podsOf(&j.Spec), &j.Spec.Template.Spec)
	own := []*batchv1.Job{j}
	v.fromJobs(own, pods, func(j *batchv1.Job, p *corev1.Pod, n int) (string, int) {
		if index, err := strconv.Atoi(p.Annotations[batchv1.JobCompletionIndexAnnotation]); err == nil {
			return roleOfJob, index
		}
		return roleOfJob, n % max(podsOf(&j.Spec), 1)
	})
	return v.conclude(own, j.DeletionTimestamp != nil)
}

// fromJobs reads the pods of the Jobs; place says which role and index a pod has, n being its number among those of
// its Job in the order of their making.
func (v *view) fromJobs(own []*batchv1.Job, pods []*corev1.Pod, place func(*batchv1.Job, *corev1.Pod, int) (string, int)) {
	byUID := make(map[string]*batchv1.Job, len(own))
	for _, j := range own {
		byUID[string(j.UID)] = j
		v.Restarts += podRestarts(j)
	}
	mine := map[*batchv1.Job][]*corev1.Pod{}
	for _, p := range pods {
		for _, ref := range p.OwnerReferences {
			if j := byUID[string(ref.UID)]; j != nil && p.Namespace == j.Namespace {
				mine[j] = append(mine[j], p)
				break
			}
		}
	}
	for _, j := range own {
		list := slices.Clone(mine[j])
		slices.SortFunc(list, func(a, b *corev1.Pod) int {
			return cmp.Or(a.CreationTimestamp.Time.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
		})
		for n, p := range list {
			one := readPod(p)
			one.role, one.Index = place(j, p, n)
			one.current = true
			v.Restarts += one.PodStatus.Restarts
			v.pods = append(v.pods, one)
		}
	}
}

// conclude decides the phase of a set of Jobs: it fails with the first that fails and succeeds with the last.
func (v *view) conclude(own []*batchv1.Job, deleted bool) job.Status {
	wantedJobs, done := 0, 0
	for _, w := range v.wanted {
		wantedJobs += w.replicas
	}
	if v.Foreign {
		wantedJobs = 1
	}
	var last, suspendedSince *metav1.Time
	suspended := false
	for _, j := range own {
		if c := jobCondition(j, batchv1.JobComplete); c != nil {
			done++
			last = later(last, &c.LastTransitionTime)
			continue
		}
		if j.Spec.Suspend != nil && *j.Spec.Suspend {
			suspended = true
			if c := jobCondition(j, batchv1.JobSuspended); c != nil {
				suspendedSince = later(suspendedSince, &c.LastTransitionTime)
			}
		}
	}
	chosen := v.chosen()
	switch first := firstFailed(own); {
	case first != nil:
		v.failed(chosen, first, "", &jobCondition(first, batchv1.JobFailed).LastTransitionTime)
		if v.Reason == DeadlineExceeded {
			break
		}
		if limit := first.Spec.BackoffLimit; limit != nil && *limit > 0 && !v.Foreign &&
			jobCondition(first, batchv1.JobFailed).Reason == batchv1.JobReasonBackoffLimitExceeded {
			v.Reason = MaxRestartsReached
		}
	case done > 0 && done >= wantedJobs:
		v.succeeded(last)
	case v.managedElsewhere(own):
	default:
		v.notEnded(chosen, own, deleted, suspended, v.Restarts > 0, suspendedSince)
	}
	return v.finish(chosen)
}

// managedElsewhere notes a Job that another controller runs.
func (v *view) managedElsewhere(own []*batchv1.Job) bool {
	for _, j := range own {
		if m := j.Spec.ManagedBy; m != nil && *m != batchv1.JobControllerName {
			v.Phase, v.Reason, v.Message = job.Unknown, NotOurEngine, *m
			return true
		}
	}
	return false
}

// parseRoles reads the annotation that engine.RolesText writes; nil when it is not one.
func parseRoles(text string) []wanted {
	if text == "" {
		return nil
	}
	var roles []wanted
	for part := range strings.SplitSeq(text, ",") {
		name, count, ok := strings.Cut(part, "=")
		n, err := strconv.Atoi(count)
		if !ok || err != nil || n < 0 || n > 1<<20 {
			return nil
		}
		roles = append(roles, wanted{name: name, replicas: n})
	}
	return roles
}

func later(a, b *metav1.Time) *metav1.Time {
	if a == nil || b.After(a.Time) {
		return b
	}
	return a
}
