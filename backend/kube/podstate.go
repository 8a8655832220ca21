package kube

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/logs"
)

// again waits until the container runs once more; false when it will not.
func (p *podLog) again(ctx context.Context, instance int32) bool {
	for ctx.Err() == nil {
		pod, known := p.current()
		if !known {
			p.follower.awaitChange(ctx, time.Second)
			continue
		}
		if pod == nil || pod.UID != p.pod.UID || pod.DeletionTimestamp != nil ||
			pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed ||
			pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
			return false
		}
		if s := containerStatus(pod, p.container); s != nil && s.RestartCount > instance {
			return true
		}
		p.follower.awaitChange(ctx, 5*time.Second)
	}
	return false
}

// current is the pod as the view has it, nil when it is gone; known is false while there is no view.
func (p *podLog) current() (pod *corev1.Pod, known bool) {
	s := p.follower.session.Load()
	o := s.view.get(kindPods, types.NamespacedName{Namespace: p.pod.Namespace, Name: p.pod.Name})
	pod, _ = o.(*corev1.Pod)
	if pod != nil {
		return pod, true
	}
	settled, broken := s.settled(p.pod.Namespace, kindPods)
	return nil, settled && !broken
}

func (p *podLog) state() corev1.ContainerStatus {
	pod, _ := p.current()
	if pod == nil || pod.UID != p.pod.UID {
		pod = p.pod
	}
	if s := containerStatus(pod, p.container); s != nil {
		return *s
	}
	return corev1.ContainerStatus{}
}

// look asks the server how the container stands: the view may be behind the stream. gone: the pod is no more, or is
// another one of the same name. All nil: there was no answer.
func (p *podLog) look(ctx context.Context) (status *corev1.ContainerStatus, gone bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var pod corev1.Pod
	err := p.follower.api().client.Get(ctx, types.NamespacedName{Namespace: p.pod.Namespace, Name: p.pod.Name}, &pod)
	switch {
	case apierrors.IsNotFound(err), err == nil && pod.UID != p.pod.UID:
		return nil, true
	case apierrors.IsForbidden(err):
		// The right to read logs without that to get pods: go by the view.
		seen, known := p.current()
		if !known {
			return nil, false
		}
		if seen == nil || seen.UID != p.pod.UID {
			return nil, true
		}
		return containerStatus(seen, p.container), false
	case err != nil:
		return nil, false
	}
	return containerStatus(&pod, p.container), false
}

func ended(s *corev1.ContainerStatus) bool { return s.State.Running == nil && terminated(s) != nil }

func terminated(s *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if s.State.Terminated != nil {
		return s.State.Terminated
	}
	return s.LastTerminationState.Terminated
}

// terminating tells whether the pod is being deleted.
func (p *podLog) terminating() bool {
	pod, _ := p.current()
	return pod != nil && pod.UID == p.pod.UID && pod.DeletionTimestamp != nil
}

// whyGone tells why a pod is gone: with its job, which was deleted or stopped, or ([logs.Gap]) for a reason of its own.
func (p *podLog) whyGone(ctx context.Context) logs.Mark {
	f := p.follower
	key := types.NamespacedName{Namespace: f.request.Workspace, Name: f.request.Job}
	call, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	object := f.root.kind.object()
	err := f.api().client.Get(call, key, object)
	switch {
	case apierrors.IsNotFound(err), err == nil && (object.GetUID() != f.root.object.GetUID() || object.GetDeletionTimestamp() != nil):
		return logs.Deleted
	}
	// That the pod is gone was asked of the server: the view, which tells of a stop, may be a moment behind it.
	for until := time.Now().Add(viewLag); ; {
		if f.stopped(key) {
			return logs.Stopped
		}
		left := time.Until(until)
		if left <= 0 || ctx.Err() != nil {
			return logs.Gap
		}
		f.awaitChange(ctx, left)
	}
}

// viewLag is how long the view may be behind what the server answers.
const viewLag = time.Second

// stopped tells whether the view knows the job as stopped or stopping.
func (f *logFollower) stopped(key types.NamespacedName) bool {
	v := f.session.Load().view
	v.mu.Lock()
	defer v.mu.Unlock()
	s, ok := statusOf(v, key)
	return ok && (s.Phase == job.Stopping || s.Phase == job.Stopped)
}
