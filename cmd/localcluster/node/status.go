package node

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readyLocked says whether all containers are ready; p.mu is held.
func (p *pod) readyLocked() bool { return p.initialized && !p.ended && len(p.unreadyLocked()) == 0 }

func (p *pod) unreadyLocked() []string {
	var names []string
	for _, c := range p.containers {
		if (!c.init || c.sidecar) && !c.status.Ready {
			names = append(names, c.name)
		}
	}
	return names
}

// statusOver is the pod's status, made from what the API server has: what others wrote there stays.
func (p *pod) statusOver(live corev1.PodStatus) corev1.PodStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := *live.DeepCopy()
	s.StartTime = p.started.DeepCopy()
	s.HostIP, s.HostIPs = hostIP, []corev1.HostIP{{IP: hostIP}}
	if p.ip != "" {
		s.PodIP, s.PodIPs = p.ip, []corev1.PodIP{{IP: p.ip}}
	}
	s.InitContainerStatuses, s.ContainerStatuses = nil, nil
	for _, c := range p.containers {
		status := *c.status.DeepCopy()
		if p.ended && p.initialized && status.State.Terminated == nil {
			status.State = corev1.ContainerState{Terminated: unknownEnd("The container could not be located when the pod was terminated")}
		}
		if c.init {
			s.InitContainerStatuses = append(s.InitContainerStatuses, status)
		} else {
			s.ContainerStatuses = append(s.ContainerStatuses, status)
		}
	}
	s.Phase = p.phaseLocked(s.ContainerStatuses)
	s.Reason, s.Message = p.verdict.reason, p.verdict.message
	s.ObservedGeneration = p.spec.Generation
	p.conditionsLocked(&s)
	return s
}

func unknownEnd(message string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "ContainerStatusUnknown", Message: message}
}

// phaseLocked follows the kubelet.
func (p *pod) phaseLocked(statuses []corev1.ContainerStatus) corev1.PodPhase {
	switch {
	case p.ended && (!p.initialized || p.verdict.reason != ""):
		return corev1.PodFailed
	case p.ended && slices.ContainsFunc(statuses, func(s corev1.ContainerStatus) bool {
		return s.State.Terminated == nil || s.State.Terminated.ExitCode != 0
	}):
		return corev1.PodFailed
	case p.ended:
		return corev1.PodSucceeded
	case !p.initialized:
		return corev1.PodPending
	case slices.ContainsFunc(statuses, func(s corev1.ContainerStatus) bool {
		return s.State.Waiting != nil && s.LastTerminationState.Terminated == nil
	}):
		return corev1.PodPending
	}
	return corev1.PodRunning
}

// conditionsLocked sets the conditions that are a kubelet's.
func (p *pod) conditionsLocked(s *corev1.PodStatus) {
	set := func(kind corev1.PodConditionType, is bool, reason, message string) {
		c := corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: p.spec.Generation}
		if is {
			c.Status = corev1.ConditionTrue
		}
		setCondition(s, c)
	}
	completed := ""
	if s.Phase == corev1.PodSucceeded {
		completed = "PodCompleted"
	}
	set(corev1.PodReadyToStartContainers, p.sandbox != nil && !p.ended, "", "")
	if p.initialized {
		set(corev1.PodInitialized, true, completed, "")
	} else {
		var waiting []string
		for _, c := range p.containers {
			if c.init && !c.status.Ready {
				waiting = append(waiting, c.name)
			}
		}
		set(corev1.PodInitialized, false, "ContainersNotInitialized", "containers with incomplete status: ["+strings.Join(waiting, " ")+"]")
	}
	reason, message := completed, ""
	if unready := p.unreadyLocked(); completed == "" && len(unready) > 0 {
		reason, message = "ContainersNotReady", "containers with unready status: ["+strings.Join(unready, " ")+"]"
	} else if p.ended && completed == "" {
		reason = "PodFailed"
	}
	ready := p.readyLocked()
	set(corev1.ContainersReady, ready, reason, message)
	if gate := p.closedGate(s); ready && gate != "" {
		set(corev1.PodReady, false, "ReadinessGatesNotReady", "the status of pod readiness gate "+gate+" is not True")
	} else {
		set(corev1.PodReady, ready, reason, message)
	}
}

// closedGate is the first readiness gate that is not open.
func (p *pod) closedGate(s *corev1.PodStatus) string {
	for _, g := range p.spec.Spec.ReadinessGates {
		if !slices.ContainsFunc(s.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == g.ConditionType && c.Status == corev1.ConditionTrue
		}) {
			return string(g.ConditionType)
		}
	}
	return ""
}

// setCondition sets a condition; its transition time changes only with its status.
func setCondition(s *corev1.PodStatus, c corev1.PodCondition) {
	for i := range s.Conditions {
		old := &s.Conditions[i]
		if old.Type != c.Type {
			continue
		}
		c.LastTransitionTime = old.LastTransitionTime
		if old.Status != c.Status {
			c.LastTransitionTime = metav1.Now()
		}
		*old = c
		return
	}
	c.LastTransitionTime = metav1.Now()
	s.Conditions = append(s.Conditions, c)
}

// lost is the status of a pod whose processes ended with an earlier daemon.
func lost(live corev1.PodStatus) corev1.PodStatus {
	s := *live.DeepCopy()
	s.Phase, s.Reason, s.Message = corev1.PodFailed, "NodeRestarted", "The node was restarted, and with it ended the pod's processes"
	for _, list := range [][]corev1.ContainerStatus{s.InitContainerStatuses, s.ContainerStatuses} {
		for i := range list {
			c := &list[i]
			c.Ready, c.Started = c.Ready && c.State.Terminated != nil, new(bool)
			if c.State.Terminated != nil {
				continue
			}
			end := unknownEnd("The container ended with its node")
			end.FinishedAt, end.ContainerID = metav1.Now(), c.ContainerID
			if c.State.Running != nil {
				end.StartedAt = c.State.Running.StartedAt
			}
			c.State = corev1.ContainerState{Terminated: end}
		}
	}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady, corev1.PodReadyToStartContainers} {
		setCondition(&s, corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: "PodFailed"})
	}
	setCondition(&s, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonTerminationByKubelet, Message: s.Message})
	return s
}
