package podtemplate

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
)

// Labels of Kueue (sigs.k8s.io/kueue/pkg/controller/constants). Written out: the package would bring Kueue's whole
// configuration with it.
const (
	LabelQueue         = "kueue.x-k8s.io/queue-name"
	LabelQueuePriority = "kueue.x-k8s.io/priority-class"
	LabelMaxExecTime   = "kueue.x-k8s.io/max-exec-time-seconds"
)

// Deadline is the timeout in seconds, nil for none. As a Job's activeDeadlineSeconds it is a backstop only: it
// starts when the Job does, not when all pods run, and starts again on a restart or a resume.
func Deadline(spec job.Spec) *int64 {
	if spec.TimeoutMinutes <= 0 {
		return nil
	}
	seconds := int64(spec.TimeoutMinutes) * 60
	return &seconds
}

// Enqueue puts the labels that make a root object a Kueue job.
func Enqueue(in engine.Input, labels map[string]string) []job.Problem {
	var problems []job.Problem
	if in.Spec.Submission.Queue == "" {
		problems = append(problems, job.Problem{Path: "submission.queue", Code: job.CodeQueueRequired})
	}
	labels[LabelQueue] = in.Spec.Submission.Queue
	if class := PriorityOf(in).WorkloadPriorityClass; class != "" {
		labels[LabelQueuePriority] = class
	}
	if deadline := Deadline(in.Spec); deadline != nil {
		// Counts the time admitted, over evictions; a 32-bit number to Kueue.
		if *deadline > math.MaxInt32 {
			problems = append(problems, job.Problem{Path: "timeoutMinutes", Code: job.CodeTooLarge,
				Args: map[string]string{"value": strconv.Itoa(in.Spec.TimeoutMinutes), "max": strconv.Itoa(math.MaxInt32 / 60)}})
		}
		labels[LabelMaxExecTime] = strconv.FormatInt(*deadline, 10)
	}
	return problems
}

// CheckName checks the longest name that an engine derives from a job's: a DNS label of at most 63 bytes. Its letters
// are right when those of job and role are.
func CheckName(jobName, derived string) []job.Problem {
	over := len(derived) - validation.DNS1123LabelMaxLength
	if over <= 0 {
		return nil
	}
	return []job.Problem{{Path: "name", Code: job.CodeNameTooLong, Args: map[string]string{
		"name": derived, "length": strconv.Itoa(len(jobName)), "max": strconv.Itoa(max(len(jobName)-over, 0)),
	}}}
}

// Longest is the longer of two names.
func Longest(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}
