package status

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
)

// queueState is what a Kueue workload says about its job.
type queueState struct {
	phase   job.Phase // Queued, Stopped, TimedOut, Failed; "" = admitted, the job's own objects tell
	reason  string
	message string
	since   *metav1.Time
}

// readWorkload reads a job's workload. Kueue 0.19 gives granular reasons behind a feature gate only; without it the
// reason is Pending or Inadmissible and the message tells, so both are read.
func readWorkload(w *kueue.Workload) queueState {
	conditions := w.Status.Conditions
	evicted := meta.FindStatusCondition(conditions, kueue.WorkloadEvicted)
	if evicted != nil && evicted.Status != metav1.ConditionTrue {
		evicted = nil
	}
	if done := meta.FindStatusCondition(conditions, kueue.WorkloadFinished); done != nil && done.Status == metav1.ConditionTrue {
		if done.Reason == kueue.WorkloadFinishedReasonFailed {
			// Of a job that never ran: Kueue could not start it and won't try again. One that ran says so itself.
			return queueState{phase: job.Failed, reason: QueueRefused, message: done.Message, since: &done.LastTransitionTime}
		}
		return queueState{}
	}
	if w.Spec.Active != nil && !*w.Spec.Active {
		return deactivated(w, evicted)
	}
	if meta.IsStatusConditionTrue(conditions, kueue.WorkloadAdmitted) && evicted == nil {
		return queueState{}
	}
	if evicted != nil {
		return queueState{phase: job.Queued, reason: eviction(evicted.Reason), message: evicted.Message, since: &evicted.LastTransitionTime}
	}
	quota := meta.FindStatusCondition(conditions, kueue.WorkloadQuotaReserved)
	if quota != nil && quota.Status == metav1.ConditionTrue {
		var waiting []string
		for _, c := range w.Status.AdmissionChecks {
			if c.State != kueue.CheckStateReady {
				waiting = append(waiting, string(c.Name)+": "+or(c.Message, string(c.State)))
			}
		}
		return queueState{phase: job.Queued, reason: AdmissionCheck, message: strings.Join(waiting, "; ")}
	}
	if quota == nil {
		return queueState{phase: job.Queued, reason: WaitingTurn}
	}
	return queueState{phase: job.Queued, reason: pending(quota.Reason, quota.Message), message: quota.Message}
}

// pending sorts why a workload has no quota.
func pending(reason, message string) string {
	switch reason {
	case kueue.WorkloadQuotaReservedReasonWaitingForQuota, kueue.WorkloadQuotaReservedReasonWaitingForPreemptedWorkloads:
		return QuotaExceeded
	case kueue.WorkloadQuotaReservedReasonExceedsMaxQuota:
		return QuotaTooSmall
	case kueue.WorkloadQuotaReservedReasonNoMatchingFlavor, kueue.WorkloadQuotaReservedReasonTopologyPlacementFailed:
		return NoMatchingFlavor
	case kueue.WorkloadQuotaReservedReasonSuspended:
		return QueueStopped
	case kueue.WorkloadAdmissionGated, kueue.WorkloadOnHold:
		return AdmissionCheck
	}
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(message, part) {
				return true
			}
		}
		return false
	}
	switch {
	case has("maximum capacity"):
		return QuotaTooSmall
	case has("insufficient unused quota", "Pending the preemption", "insufficient quota"):
		return QuotaExceeded
	case has("doesn't exist"):
		return QueueMissing
	case has("is inactive", "is stopped"):
		return QueueStopped
	case has("untolerated taint", "doesn't match node affinity", "unavailable in ClusterQueue"):
		return NoMatchingFlavor
	case reason == kueue.WorkloadInadmissible, reason == kueue.WorkloadQuotaReservedReasonMisconfigured:
		return QueueRefused
	}
	return WaitingTurn
}

// eviction sorts why Kueue took the quota back.
func eviction(reason string) string {
	switch {
	case reason == kueue.WorkloadEvictedByPreemption:
		return QueuePreempted
	case reason == kueue.WorkloadEvictedByPodsReadyTimeout:
		return PodsReadyTimeout
	case reason == kueue.WorkloadEvictedByClusterQueueStopped, reason == kueue.WorkloadEvictedByLocalQueueStopped:
		return QueueStopped
	case reason == kueue.WorkloadEvictedByAdmissionCheck:
		return AdmissionCheck
	case reason == kueue.WorkloadEvictedDueToNodeFailures:
		return NodeLost
	}
	return QueueEvicted
}

// deactivated tells who ended a workload: its owner, or Kueue for one of its limits. Kueue notes its cause in the
// eviction's reason (DeactivatedDueTo…) and, as older ones do not, in the counts of evictions and in the message; both counts
// and messages outlive a later resume, so that they are asked last.
func deactivated(w *kueue.Workload, evicted *metav1.Condition) queueState {
	cause, message := "", ""
	var since *metav1.Time
	if target := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadDeactivationTarget); target != nil && target.Status == metav1.ConditionTrue {
		cause, message, since = target.Reason, target.Message, &target.LastTransitionTime
	}
	if evicted != nil {
		since = &evicted.LastTransitionTime
		if due, ok := strings.CutPrefix(evicted.Reason, kueue.WorkloadDeactivated+"DueTo"); ok && cause == "" {
			cause, message = due, evicted.Message
		}
		if cause == "" && strings.Contains(evicted.Message, "exceeding the maximum execution time") {
			cause, message = kueue.WorkloadMaximumExecutionTimeExceeded, evicted.Message
		}
		if cause == "" && strings.Contains(evicted.Message, "maximum number of re-queuing retries") {
			cause, message = kueue.WorkloadRequeuingLimitExceeded, evicted.Message
		}
	}
	if cause == "" && evicted == nil && w.Status.SchedulingStats != nil {
		for _, e := range w.Status.SchedulingStats.Evictions {
			if e.Reason == kueue.WorkloadDeactivated && e.UnderlyingCause != "" && e.Count > 0 {
				cause = string(e.UnderlyingCause)
			}
		}
	}
	switch cause {
	case kueue.WorkloadMaximumExecutionTimeExceeded:
		return queueState{phase: job.TimedOut, reason: DeadlineExceeded, message: message, since: since}
	case kueue.WorkloadRequeuingLimitExceeded:
		return queueState{phase: job.Stopped, reason: RequeueLimit, message: message, since: since}
	case kueue.WorkloadEvictedByAdmissionCheck:
		return queueState{phase: job.Stopped, reason: CheckRejected, message: message, since: since}
	}
	return queueState{phase: job.Stopped, reason: StoppedByUser, since: since}
}

// workloadOf checks that a workload belongs to the object of this UID and not to an older one of the same name.
func workloadOf(w *kueue.Workload, owners ...string) *kueue.Workload {
	if w == nil {
		return nil
	}
	if len(w.OwnerReferences) == 0 {
		return w
	}
	for _, ref := range w.OwnerReferences {
		for _, uid := range owners {
			if string(ref.UID) == uid {
				return w
			}
		}
	}
	return nil
}

func or(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}

// image is the first container's.
func image(spec *corev1.PodSpec) string {
	if len(spec.Containers) == 0 {
		return ""
	}
	return spec.Containers[0].Image
}
