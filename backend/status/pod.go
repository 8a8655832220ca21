package status

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
)

// pod is one pod with what is read from it once.
type pod struct {
	job.PodStatus
	role      string
	attempt   int  // of the whole job
	current   bool // belongs to the running attempt
	created   time.Time
	ready     bool // now
	everRan   bool // its container has started at least once
	killed    bool // told to end before it ended, so that its exit code says nothing of the cause
	disrupted bool // by the platform
}

// phases of a pod beside Kubernetes' own.
const (
	terminating = "Terminating"
	unknown     = "Unknown"
)

// readPod reads what Kubernetes says of a pod; role, index and attempt are the engine's business.
func readPod(p *corev1.Pod) pod {
	v := pod{
		PodStatus: job.PodStatus{Name: p.Name, UID: string(p.UID), Node: p.Spec.NodeName, Phase: string(p.Status.Phase)},
		created:   p.CreationTimestamp.Time,
	}
	for _, c := range p.Status.ContainerStatuses {
		v.Restarts += int(c.RestartCount)
	}
	main := mainContainer(p)
	if main != nil {
		v.readContainer(main)
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			v.ready = true
		}
	}
	terminal := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	if p.DeletionTimestamp != nil {
		asked := p.DeletionTimestamp.Time
		if p.DeletionGracePeriodSeconds != nil {
			asked = asked.Add(-time.Duration(*p.DeletionGracePeriodSeconds) * time.Second)
		}
		v.killed = v.Finished == nil || !v.Finished.Before(asked)
		if !terminal {
			v.Phase, v.ready = terminating, false
		}
	}
	if v.Phase == "" {
		v.Phase = string(corev1.PodPending)
	}
	v.explain(p, main)
	return v
}

// mainContainer is the status of the container that runs the user's command: muster's by its name, of other tools' pods
// the first that failed, else the first.
func mainContainer(p *corev1.Pod) *corev1.ContainerStatus {
	statuses := p.Status.ContainerStatuses
	for i := range statuses {
		if statuses[i].Name == engine.Container {
			return &statuses[i]
		}
	}
	for i := range statuses {
		if t := statuses[i].State.Terminated; t != nil && t.ExitCode != 0 {
			return &statuses[i]
		}
	}
	if len(statuses) > 0 {
		return &statuses[0]
	}
	return nil
}

func (v *pod) readContainer(c *corev1.ContainerStatus) {
	last := c.LastTerminationState.Terminated
	switch {
	case c.State.Running != nil:
		v.started(c.State.Running.StartedAt.Time)
	case c.State.Terminated != nil:
		t := c.State.Terminated
		v.started(t.StartedAt.Time)
		code := int(t.ExitCode)
		v.ExitCode = &code
		if !t.FinishedAt.IsZero() {
			finished := t.FinishedAt.UTC()
			v.Finished = &finished
		}
		v.Message = t.Message
	case last != nil:
		v.started(last.StartedAt.Time)
	}
}

// started notes that the container has run. A container that could not be started is Terminated with the epoch as the
// time of its start.
func (v *pod) started(at time.Time) {
	if at.IsZero() || at.Unix() <= 0 {
		return
	}
	v.everRan = true
	at = at.UTC()
	v.Started = &at
}

// explain finds the reason of a pod that is not simply running or done.
func (v *pod) explain(p *corev1.Pod, main *corev1.ContainerStatus) {
	say := func(reason, message string) {
		v.Reason = reason
		if message != "" {
			v.Message = message
		}
	}
	if c := condition(p, corev1.DisruptionTarget); c != nil && c.Status == corev1.ConditionTrue && p.Status.Phase != corev1.PodSucceeded {
		v.disrupted = true
		say(disruption(c.Reason, p.Status.Reason), c.Message)
		return
	}
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		return
	case corev1.PodFailed:
		if main != nil && main.State.Terminated != nil {
			switch t := main.State.Terminated; t.Reason {
			case "OOMKilled":
				say(OOMKilled, t.Message)
				return
			case "ContainerCannotRun", "StartError":
				say(StartError, t.Message)
				return
			case "ContainerStatusUnknown":
				say(NodeLost, t.Message)
				return
			}
		}
		switch reason := p.Status.Reason; {
		case reason == "DeadlineExceeded":
			say(DeadlineExceeded, p.Status.Message)
		case reason == "Evicted", reason == "Preempting":
			say(Evicted, p.Status.Message)
		case reason == "NodeShutdown", reason == "Terminated":
			say(NodeShutdown, p.Status.Message)
		case reason == "NodeLost":
			say(NodeLost, p.Status.Message)
		case v.ExitCode != nil && *v.ExitCode != 0:
			say(ExitCode, "")
		case reason != "":
			say(AdmissionRefused, reason+": "+p.Status.Message)
		default:
			say(PodFailed, p.Status.Message)
		}
	default:
		if p.Status.Reason == "NodeLost" || p.Status.Phase == corev1.PodUnknown {
			v.Phase, v.ready = unknown, false
			say(NodeLost, p.Status.Message)
			return
		}
		v.explainWaiting(p, say)
	}
}

func (v *pod) explainWaiting(p *corev1.Pod, say func(reason, message string)) {
	if c := condition(p, corev1.PodScheduled); c != nil && c.Status == corev1.ConditionFalse {
		if c.Reason == corev1.PodReasonSchedulingGated {
			say(SchedulingGated, c.Message)
		} else {
			say(Unschedulable, c.Message)
		}
		return
	}
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range list {
			if w := list[i].State.Waiting; w != nil {
				say(waiting(w.Reason), w.Message)
				if v.Reason != ContainerWaiting {
					return
				}
			}
		}
	}
}

// waiting sorts the kubelet's reasons of a container that does not run yet.
func waiting(reason string) string {
	switch reason {
	case "ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError", "SignatureValidationFailed":
		return ImagePull
	case "InvalidImageName":
		return InvalidImage
	case "CreateContainerConfigError":
		return ContainerConfig
	case "CreateContainerError", "RunContainerError", "PreCreateHookError", "PreStartHookError", "PostStartHookError":
		return ContainerCreate
	case "CrashLoopBackOff":
		return CrashLoop
	}
	return ContainerWaiting
}

// disruption sorts the reasons of the DisruptionTarget condition
// (https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions).
func disruption(reason, podReason string) string {
	switch reason {
	case corev1.PodReasonPreemptionByScheduler:
		return Preempted
	case "DeletionByTaintManager", "DeletionByPodGC":
		return NodeLost
	case corev1.PodReasonTerminationByKubelet:
		if podReason == "Terminated" || podReason == "NodeShutdown" {
			return NodeShutdown
		}
	}
	return Evicted
}

func condition(p *corev1.Pod, t corev1.PodConditionType) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == t {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

// alive tells whether the pod may still run something.
func (v *pod) alive() bool {
	return v.Phase != string(corev1.PodSucceeded) && v.Phase != string(corev1.PodFailed)
}

// cards counts the devices that a pod template asks for whose resource name says that it is an accelerator.
func cards(spec *corev1.PodSpec) int {
	total := int64(0)
	for _, c := range spec.Containers {
		for name, q := range c.Resources.Limits {
			if IsCard(name) {
				total += q.Value()
			}
		}
	}
	return int(total)
}

// IsCard tells whether a resource is an accelerator by the habits of device plugins: nvidia.com/gpu, amd.com/gpu,
// nvidia.com/mig-1g.10gb, huawei.com/Ascend910, …
func IsCard(name corev1.ResourceName) bool {
	domain, device, extended := strings.Cut(string(name), "/")
	if !extended || strings.HasSuffix(domain, "kubernetes.io") {
		return false
	}
	device = strings.ToLower(device)
	for _, word := range []string{"gpu", "mig-", "npu", "ascend", "dcu", "mlu", "xpu", "gcu", "tpu", "gaudi"} {
		if strings.Contains(device, word) {
			return true
		}
	}
	return false
}
