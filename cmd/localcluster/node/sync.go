package node

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	podutil "k8s.io/kubernetes/pkg/util/pod"
	"muster.dev/muster/cmd/localcluster/forcedelete"
)

const syncWorkers = 8

// syncer brings what runs here and what the API server has together: pods bound to the nodes start, pods being
// deleted end and are then deleted, and what becomes of pods is told.
type syncer struct {
	*kubelet
	client kubernetes.Interface
	pods   corelisters.PodLister
	nodes  map[string]bool
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func newSyncer(k *kubelet, client kubernetes.Interface, pods corelisters.PodLister, nodes map[string]bool) *syncer {
	return &syncer{kubelet: k, client: client, pods: pods, nodes: nodes,
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](100*time.Millisecond, 30*time.Second))}
}

// handler puts the pods that a watch tells of into the queue.
func (s *syncer) handler() cache.ResourceEventHandler {
	add := func(o any) {
		if name, err := cache.DeletionHandlingObjectToName(o); err == nil {
			s.queue.Add(name)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, o any) { add(o) }, DeleteFunc: func(o any) {
		add(o)
		if d, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = d.Obj
		}
		// One that ran under an earlier daemon has nothing here but its files.
		if spec, ok := o.(*corev1.Pod); ok && s.nodes[spec.Spec.NodeName] && s.byUID(spec.UID) == nil {
			if err := forcedelete.All(s.podDir(spec.UID)); err != nil {
				s.log.Warn("a pod's files remain", "pod", spec.Name, "error", err)
			}
		}
	}}
}

// run works until ctx ends.
func (s *syncer) run(ctx context.Context) {
	var workers sync.WaitGroup
	for range syncWorkers {
		workers.Go(func() { work(ctx, s, s.queue, s.syncPod) })
		workers.Go(func() { work(ctx, s, s.statuses, s.tell) })
	}
	<-ctx.Done()
	s.queue.ShutDown()
	s.statuses.ShutDown()
	workers.Wait()
}

func work[T comparable](ctx context.Context, s *syncer, q workqueue.TypedRateLimitingInterface[T], f func(context.Context, T) error) {
	for {
		item, shutdown := q.Get()
		if shutdown {
			return
		}
		if err := f(ctx, item); err != nil && ctx.Err() == nil {
			s.log.Debug("will try again", "item", fmt.Sprint(item), "error", err)
			q.AddRateLimited(item)
		} else {
			q.Forget(item)
		}
		q.Done(item)
	}
}

// syncPod brings one pod to where the API server wants it.
func (s *syncer) syncPod(ctx context.Context, name cache.ObjectName) error {
	spec, err := s.kubeletPods(name)
	if err != nil {
		return err
	}
	for _, p := range s.byName(name.Namespace, name.Name) {
		if (spec == nil || spec.UID != p.uid) && !s.isDead(p.current().Spec.NodeName) {
			s.gone(p)
		}
	}
	if spec == nil || !s.nodes[spec.Spec.NodeName] || s.isDead(spec.Spec.NodeName) {
		return nil
	}
	if p := s.byUID(spec.UID); p != nil {
		p.update(spec)
		if spec.DeletionTimestamp != nil {
			s.delete(p, graceLeft(spec))
		}
		// What we wrote ourselves comes back to us: no need to look at the API server again for that.
		if spec.DeletionTimestamp != nil || !equality.Semantic.DeepEqual(p.statusOver(spec.Status), spec.Status) {
			s.statuses.Add(p.uid)
		}
		return nil
	}
	switch ended := spec.Status.Phase == corev1.PodSucceeded || spec.Status.Phase == corev1.PodFailed; {
	case !ended && spec.Status.StartTime != nil:
		if err := s.patch(ctx, spec, lost); err != nil {
			return err
		}
		s.event(spec, corev1.EventTypeWarning, "NodeRestarted", "The pod's processes ended with its node")
		fallthrough
	case ended:
		if spec.DeletionTimestamp != nil {
			return s.remove(ctx, spec)
		}
		return nil
	case spec.DeletionTimestamp != nil:
		return s.remove(ctx, spec)
	}
	s.create(spec)
	return nil
}

// kubeletPods is the pod as the watch has it, or nil.
func (s *syncer) kubeletPods(name cache.ObjectName) (*corev1.Pod, error) {
	spec, err := s.pods.Pods(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return spec, err
}

// gone ends a pod that the API server does not have any more.
func (s *syncer) gone(p *pod) {
	s.delete(p, 0)
	go func() {
		<-p.done
		s.forget(p)
	}()
}

// graceLeft is the time that a deletion leaves a pod.
func graceLeft(spec *corev1.Pod) time.Duration {
	if g := spec.DeletionGracePeriodSeconds; g != nil {
		return time.Duration(*g) * time.Second
	}
	return 0
}

// tell writes a pod's status to the API server, and deletes the pod there when it was to end and has.
func (s *syncer) tell(ctx context.Context, uid types.UID) error {
	p := s.byUID(uid)
	if p == nil || s.isDead(p.current().Spec.NodeName) {
		return nil
	}
	var ended bool
	select {
	case <-p.done:
		ended = true
	default:
	}
	if err := s.patch(ctx, p.current(), p.statusOver); err != nil {
		return err
	}
	if ended && p.current().DeletionTimestamp != nil {
		return s.remove(ctx, p.current())
	}
	return nil
}

// patch changes a pod's status over what the API server has now. A pod that has ended there stays as it is.
func (s *syncer) patch(ctx context.Context, spec *corev1.Pod, f func(corev1.PodStatus) corev1.PodStatus) error {
	live, err := s.client.CoreV1().Pods(spec.Namespace).Get(ctx, spec.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && live.UID != spec.UID {
		return nil
	}
	if err != nil {
		return err
	}
	if live.Status.Phase == corev1.PodSucceeded || live.Status.Phase == corev1.PodFailed {
		return nil
	}
	_, _, _, err = podutil.PatchPodStatus(ctx, s.client, spec.Namespace, spec.Name, spec.UID, live.Status, f(live.Status))
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// remove lets the API server delete a pod of which nothing runs any more.
func (s *syncer) remove(ctx context.Context, spec *corev1.Pod) error {
	err := s.client.CoreV1().Pods(spec.Namespace).Delete(ctx, spec.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &spec.UID}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// sweep removes the files of pods that the API server does not have any more. What cannot be removed is only said: it keeps
// no pod from running.
func (s *syncer) sweep(known []*corev1.Pod) {
	keep := map[string]bool{}
	for _, p := range known {
		keep[string(p.UID)] = true
	}
	entries, err := os.ReadDir(s.podsDir())
	if err != nil && !os.IsNotExist(err) {
		s.log.Warn("the files of pods that are gone remain", "error", err)
	}
	for _, e := range entries {
		if keep[e.Name()] {
			continue
		}
		if err := forcedelete.All(s.podDir(types.UID(e.Name()))); err != nil {
			s.log.Warn("a pod's files remain", "pod", e.Name(), "error", err)
		}
	}
}
