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

// Problems that every engine can find.
const (
	NameTooLong    = "NameTooLong"    // args name, length, max
	NameInvalid    = "NameInvalid"    // args name, message
	TimeoutTooLong = "TimeoutTooLong" // args max (minutes)
	QueueMissing   = "QueueMissing"   // queue mode without a queue
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
		problems = append(problems, job.Problem{Path: "submission.queue", Code: QueueMissing})
	}
	labels[LabelQueue] = in.Spec.Submission.Queue
	if class := PriorityOf(in).WorkloadPriorityClass; class != "" {
		labels[LabelQueuePriority] = class
	}
	if deadline := Deadline(in.Spec); deadline != nil {
		// Counts the time admitted, over evictions; a 32-bit number to Kueue.
		if *deadline > math.MaxInt32 {
			problems = append(problems, job.Problem{Path: "timeoutMinutes", Code: TimeoutTooLong,
				Args: map[string]string{"max": strconv.Itoa(math.MaxInt32 / 60)}})
		}
		labels[LabelMaxExecTime] = strconv.FormatInt(*deadline, 10)
	}
	return problems
}

// CheckName checks the longest name that an engine derives: a DNS label that may be a Service's name.
func CheckName(path, name string) []job.Problem {
	if len(name) > validation.DNS1035LabelMaxLength {
		return []job.Problem{{Path: path, Code: NameTooLong, Args: map[string]string{
			"name": name, "length": strconv.Itoa(len(name)), "max": strconv.Itoa(validation.DNS1035LabelMaxLength),
		}}}
	}
	if msgs := validation.IsDNS1035Label(name); len(msgs) > 0 {
		return []job.Problem{{Path: path, Code: NameInvalid, Args: map[string]string{"name": name, "message": msgs[0]}}}
	}
	return nil
}
