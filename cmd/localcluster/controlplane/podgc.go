package controlplane

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// podCollector deletes the pods that no kubelet will: of nodes that are gone, of nodes that are down and tainted
// out-of-service, and those deleted before they had a node. It stands in for Kubernetes' own controller, whose package
// would link half a kubelet.
type podCollector struct {
	client  kubernetes.Interface
	pods    corelisters.PodLister
	nodes   corelisters.NodeLister
	synced  []cache.InformerSynced
	missing map[string]time.Time // since when a node with pods is missing
}

// Upstream's figures: how often it looks, and how long a node may be missing before its pods are lost.
const collectPeriod, nodeQuarantine = 20 * time.Second, 40 * time.Second

func (c *controllers) addPodCollector(client kubernetes.Interface) error {
	core := c.informers.Core().V1()
	gc := &podCollector{client: client, pods: core.Pods().Lister(), nodes: core.Nodes().Lister(), missing: map[string]time.Time{},
		synced: []cache.InformerSynced{core.Pods().Informer().HasSynced, core.Nodes().Informer().HasSynced}}
	c.run(gc.run)
	return nil
}

func (g *podCollector) run(ctx context.Context) {
	if !cache.WaitForCacheSync(ctx.Done(), g.synced...) {
		return
	}
	for tick := time.NewTicker(collectPeriod); ; {
		if err := g.collect(ctx, time.Now()); err != nil {
			klog.FromContext(ctx).Error(err, "Collecting lost pods")
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

func (g *podCollector) collect(ctx context.Context, now time.Time) error {
	pods, err := g.pods.List(labels.Everything())
	if err != nil {
		return err
	}
	var errs []error
	seen := map[string]bool{}
	for _, pod := range pods {
		node := pod.Spec.NodeName
		deleted := pod.DeletionTimestamp != nil
		if node == "" {
			if deleted {
				errs = append(errs, g.delete(ctx, pod, nil))
			}
			continue
		}
		n, err := g.nodes.Get(node)
		switch {
		case apierrors.IsNotFound(err):
			seen[node] = true
			if _, known := g.missing[node]; !known {
				g.missing[node] = now
			}
			if now.Sub(g.missing[node]) < nodeQuarantine {
				continue
			}
			errs = append(errs, g.delete(ctx, pod, &corev1.PodCondition{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now),
				Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists"}))
		case err != nil:
			errs = append(errs, err)
		case deleted && outOfService(n):
			errs = append(errs, g.delete(ctx, pod, nil))
		}
	}
	for node := range g.missing {
		if !seen[node] {
			delete(g.missing, node)
		}
	}
	return errors.Join(errs...)
}

// delete fails the pod first, so that its owner counts it as failed and not as gone, and then deletes it without grace.
func (g *podCollector) delete(ctx context.Context, pod *corev1.Pod, why *corev1.PodCondition) error {
	if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
		pod = pod.DeepCopy()
		pod.Status.Phase = corev1.PodFailed
		if why != nil {
			pod.Status.Conditions = append(pod.Status.Conditions, *why)
		}
		if _, err := g.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		}
	}
	err := g.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// outOfService says that an administrator vouches that nothing runs on this node any more.
func outOfService(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return false
		}
	}
	for _, t := range n.Spec.Taints {
		if t.Key == corev1.TaintNodeOutOfService {
			return true
		}
	}
	return false
}
