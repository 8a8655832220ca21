package jobset

import (
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	jobsetapi "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// The default failure policy: a pod that the platform ended (node lost, evicted, preempted) restarts the whole
// set while maxRestarts lasts, all else fails the job.
//
// On the child Jobs, Kubernetes' DisruptionTarget condition is turned into the failure reason PodFailurePolicy;
// every other failed pod exceeds backoffLimit 0 and gives BackoffLimitExceeded. On the JobSet the first restarts
// and the last rule fails, because JobSet restarts what no rule matches.
//
// There is deliberately no FailJob rule for "any exit code but 0", which would say the same: the Job controller asks
// podFailurePolicy about every failed pod that is still there (pkg/controller/job, getFailJobMessage), also about one
// that it ended itself because the Job was suspended. A job that is resumed soon after a stop, or that Kueue evicts and
// admits again, would then fail for the exit code with which its last run answered SIGTERM; watched on Kubernetes 1.36.3.
// backoffLimit does not count such pods.

// restartable is how batch/v1 words a pod that matched the DisruptionTarget rule (pod_failure_policy.go,
// matchPodFailurePolicy). JobSet skips a pattern that does not compile without a word: a test compiles it.
const restartable = `^Pod \S+ has condition DisruptionTarget matching FailJob rule`

// podFailurePolicy is the policy of every child Job.
func podFailurePolicy() *batchv1.PodFailurePolicy {
	return &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
		},
	}}}
}

// failurePolicy is the JobSet's. maxRestarts -1 is for ever: JobSet has no word for it but the largest number (a
// literal -1 fails at once).
func failurePolicy(maxRestarts int) *jobsetapi.FailurePolicy {
	policy := &jobsetapi.FailurePolicy{
		MaxRestarts: int32(maxRestarts),
		// No pod of the next attempt starts before all of the last are gone: two writers on one checkpoint are worse
		// than a wait.
		RestartStrategy: jobsetapi.BlockingRecreate,
	}
	if maxRestarts < 0 {
		policy.MaxRestarts = math.MaxInt32
	}
	if maxRestarts != 0 {
		policy.Rules = append(policy.Rules, jobsetapi.FailurePolicyRule{
			Name:                        "restartOnDisruption",
			Action:                      jobsetapi.RestartJobSet,
			OnJobFailureReasons:         []string{batchv1.JobReasonPodFailurePolicy},
			OnJobFailureMessagePatterns: []string{restartable},
		})
	}
	policy.Rules = append(policy.Rules, jobsetapi.FailurePolicyRule{Name: "failOnAnythingElse", Action: jobsetapi.FailJobSet})
	return policy
}
