package stock

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
)

// Why a node takes no new pod.
const (
	Cordoned = "Cordoned"
	Tainted  = "Tainted" // by a taint that the cluster's jobs do not tolerate
	NotReady = "NotReady"
)

// Count gives the stock of every card type of every cluster of the site (after site.Discover): the nodes that a job
// put there could be scheduled to, by the very node selector and tolerations that it would be rendered with. A
// node that two card types lead to is in both.
func Count(s site.Site, nodes []*corev1.Node, pods []*corev1.Pod) []Stock {
	stocks := []Stock{}
	used := requestsByNode(s, nodes, pods)
	for _, cluster := range s.Clusters {
		for _, card := range cluster.CardTypes {
			place := s.Placement(job.Spec{Cluster: cluster.Name, CardType: card.Name, Resource: job.Dedicated})
			stock := Stock{Cluster: cluster.Name, CardType: card.Name, Nodes: []Node{}, Known: true}
			for _, n := range nodes {
				if !matches(place.NodeSelector, n.Labels) || !matches(place.CardSelector, n.Labels) {
					continue
				}
				one := count(n, used[n.Name], corev1.ResourceName(place.CardResource), place.Tolerations)
				if one.Total == 0 {
					continue
				}
				stock.Total += one.Total
				if one.Schedulable {
					stock.Free += one.Free
				}
				stock.Nodes = append(stock.Nodes, one)
			}
			slices.SortFunc(stock.Nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
			stocks = append(stocks, stock)
		}
	}
	slices.SortStableFunc(stocks, func(a, b Stock) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.CardType, b.CardType))
	})
	return stocks
}

// Unknown is the answer when the right to list nodes or pods lacks.
func Unknown(missing string) []Stock {
	return []Stock{{Nodes: []Node{}, Missing: missing}}
}

// count is one node's part.
func count(n *corev1.Node, used corev1.ResourceList, card corev1.ResourceName, tolerations []corev1.Toleration) Node {
	free := func(name corev1.ResourceName) (int64, int64) {
		allocatable, taken := n.Status.Allocatable[name], used[name]
		if name == corev1.ResourceCPU {
			return allocatable.MilliValue(), max(allocatable.MilliValue()-taken.MilliValue(), 0)
		}
		return allocatable.Value(), max(allocatable.Value()-taken.Value(), 0)
	}
	total, cards := free(card)
	_, cpu := free(corev1.ResourceCPU)
	_, memory := free(corev1.ResourceMemory)
	why := unschedulable(n, tolerations)
	return Node{
		Name: n.Name, Total: int(total), Free: int(cards), FreeCPU: cpu, FreeMemory: memory,
		Schedulable: why == "", Why: why,
	}
}

// unschedulable tells why the scheduler would put no new pod on a node, "" when it would.
func unschedulable(n *corev1.Node, tolerations []corev1.Toleration) string {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return NotReady
		}
	}
	if n.Spec.Unschedulable {
		return Cordoned
	}
	taint, bad := corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, n.Spec.Taints, tolerations, func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}, true)
	switch {
	case !bad:
		return ""
	case taint.Key == corev1.TaintNodeNotReady, taint.Key == corev1.TaintNodeUnreachable:
		return NotReady
	case taint.Key == corev1.TaintNodeUnschedulable:
		return Cordoned
	}
	return Tainted
}

// requestsByNode sums what the pods of each node ask for, as the scheduler's cache does: every pod that has a node and
// has not ended. Pods without a node hold nothing.
func requestsByNode(s site.Site, nodes []*corev1.Node, pods []*corev1.Pod) map[string]corev1.ResourceList {
	sums := make(map[string]corev1.ResourceList, len(nodes))
	if len(s.Clusters) == 0 {
		return sums
	}
	for _, n := range nodes {
		sums[n.Name] = corev1.ResourceList{}
	}
	var reuse corev1.ResourceList
	for _, p := range pods {
		if p.Spec.NodeName == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		sum, known := sums[p.Spec.NodeName]
		if !known {
			continue
		}
		reuse = resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{Reuse: reuse, UseStatusResources: true})
		for name, q := range reuse {
			total := sum[name]
			total.Add(q)
			sum[name] = total
		}
	}
	return sums
}

func matches(selector, labels map[string]string) bool {
	for k, v := range selector {
		if have, ok := labels[k]; !ok || have != v {
			return false
		}
	}
	return true
}
