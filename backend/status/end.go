package status

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"muster.dev/muster/backend/job"
)

// decider is the pod that decided the end of a failed job: the first of this attempt to fail in time, of each place in
// a role only its last pod (the earlier ones were replaced). Pods that were told to end before they did died of the
// failure and did not cause it; of two in the same second, one that a signal ended comes last.
func (v *view) decider(chosen map[string]map[int]pod) *pod {
	var failed []pod
	for _, role := range chosen {
		for _, p := range role {
			if p.current && (p.Phase == string(corev1.PodFailed) || p.ExitCode != nil && *p.ExitCode != 0) {
				failed = append(failed, p)
			}
		}
	}
	if len(failed) == 0 {
		return nil
	}
	rank := func(p pod) int {
		for i, w := range v.wanted {
			if w.name == p.role {
				return i<<20 + p.Index
			}
		}
		return len(v.wanted)<<20 + p.Index
	}
	first := slices.MinFunc(failed, func(a, b pod) int {
		return cmp.Or(
			compareBool(a.killed && !a.disrupted, b.killed && !b.disrupted),
			finishedAt(a).Compare(finishedAt(b)),
			compareBool(signalled(a), signalled(b)),
			cmp.Compare(rank(a), rank(b)),
		)
	})
	return &first
}

// finishedAt is when a pod ended; one that never ran has failed when it was made.
func finishedAt(p pod) time.Time {
	if p.Finished != nil {
		return *p.Finished
	}
	return p.created
}

// signalled tells whether a pod ended as one that was told to.
func signalled(p pod) bool {
	return p.ExitCode != nil && (*p.ExitCode == 143 || *p.ExitCode == 137) && p.Reason != OOMKilled
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// What batch/v1 writes into the Failed condition of a Job whose pod matched a podFailurePolicy rule
// (pkg/controller/job/pod_failure_policy.go).
var (
	failedByExitCode  = regexp.MustCompile(`^Container \S+ for pod [^/\s]+/(\S+) failed with exit code (\d+) matching `)
	failedByCondition = regexp.MustCompile(`^Pod [^/\s]+/(\S+) has condition (\S+) matching `)
)

// failed notes the end of a failed job: from the pod that decided it, or, should it be gone, from what the failed Job
// remembers. cause is the Job that failed first, nil when not known.
func (v *view) failed(chosen map[string]map[int]pod, cause *batchv1.Job, message string, at *metav1.Time) {
	var condition *batchv1.JobCondition
	if cause != nil {
		condition = jobCondition(cause, batchv1.JobFailed)
	}
	if condition != nil {
		if condition.Reason == batchv1.JobReasonDeadlineExceeded {
			v.end(job.TimedOut, DeadlineExceeded, condition.Message, at)
			return
		}
		message = condition.Message
	}
	if p := v.decider(chosen); p != nil {
		phase := job.Failed
		if p.Reason == DeadlineExceeded {
			phase = job.TimedOut // the pod's own activeDeadlineSeconds, of other tools' pods
		}
		v.end(phase, or(p.Reason, PodFailed), or(p.Message, message), at)
		v.ExitCode, v.FailedPod = p.ExitCode, p.Name
		return
	}
	v.end(job.Failed, PodFailed, message, at)
	if condition == nil {
		return
	}
	if m := failedByExitCode.FindStringSubmatch(condition.Message); m != nil {
		if code, err := strconv.Atoi(m[2]); err == nil {
			v.Reason, v.FailedPod, v.ExitCode = ExitCode, m[1], &code
		}
	} else if m := failedByCondition.FindStringSubmatch(condition.Message); m != nil && m[2] == string(corev1.DisruptionTarget) {
		v.Reason, v.FailedPod = Disrupted, m[1]
	}
}

// succeeded notes the end of a job that succeeded.
func (v *view) succeeded(at *metav1.Time) {
	zero := 0
	v.end(job.Succeeded, "", "", at)
	v.ExitCode = &zero
}

// JobEnded tells whether a batch/v1 Job has ended for good.
func JobEnded(j *batchv1.Job) bool {
	return jobCondition(j, batchv1.JobComplete) != nil || jobCondition(j, batchv1.JobFailed) != nil
}

func jobCondition(j *batchv1.Job, t batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range j.Status.Conditions {
		if c := &j.Status.Conditions[i]; c.Type == t && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

// firstFailed is the Job that failed first, nil when none did.
func firstFailed(jobs []*batchv1.Job) *batchv1.Job {
	var first *batchv1.Job
	var when time.Time
	for _, j := range jobs {
		c := jobCondition(j, batchv1.JobFailed)
		if c == nil {
			continue
		}
		if first == nil || c.LastTransitionTime.Time.Before(when) ||
			c.LastTransitionTime.Time.Equal(when) && j.Name < first.Name {
			first, when = j, c.LastTransitionTime.Time
		}
	}
	return first
}

// podRestarts counts the pods of a Job that failed and were replaced. The last failure of a Job that has failed, or is
// about to (FailureTarget), was not, and the pods that end with it count as failed too: never more than its backoffLimit.
func podRestarts(j *batchv1.Job) int {
	n := int(j.Status.Failed)
	if n > 0 && (jobCondition(j, batchv1.JobFailed) != nil || jobCondition(j, batchv1.JobFailureTarget) != nil) {
		n--
	}
	if limit := j.Spec.BackoffLimit; limit != nil {
		n = min(n, int(*limit))
	}
	return n
}

// overdue is the condition of a Job whose deadline is over and whose pods still end; nil when there is none.
func overdue(jobs []*batchv1.Job) *batchv1.JobCondition {
	for _, j := range jobs {
		if c := jobCondition(j, batchv1.JobFailureTarget); c != nil && c.Reason == batchv1.JobReasonDeadlineExceeded {
			return c
		}
	}
	return nil
}
