package controlplane

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
)

func TestPodCollector(t *testing.T) {
	gone := metav1.Now()
	pod := func(name, node string, deleted bool) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}, Spec: corev1.PodSpec{NodeName: node}}
		if deleted {
			p.DeletionTimestamp = &gone
			p.Finalizers = []string{"keeps/it"} // an object with neither this nor a deletion would be gone already
		}
		return p
	}
	node := func(name string, ready corev1.ConditionStatus, taint string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: taint}}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}}}
	}
	client := fake.NewClientset(
		node("up", corev1.ConditionTrue, corev1.TaintNodeOutOfService), node("unreachable", corev1.ConditionUnknown, corev1.TaintNodeUnreachable),
		node("off", corev1.ConditionUnknown, corev1.TaintNodeOutOfService),
		pod("runs", "up", false), pod("ending", "up", true), pod("ending-unreachable", "unreachable", true), pod("waits", "", false),
		pod("deleted-unscheduled", "", true), pod("deleted-off", "off", true), pod("runs-off", "off", false), pod("lost", "vanished", false))
	factory := informers.NewSharedInformerFactory(client, 0)
	c := &controllers{ctx: t.Context(), informers: factory}
	if err := c.addPodCollector(client); err != nil {
		t.Fatal(err)
	}
	gc := &podCollector{client: client, pods: factory.Core().V1().Pods().Lister(), nodes: factory.Core().V1().Nodes().Lister(), missing: map[string]time.Time{}}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())

	deleted := func() []string {
		var names []string
		for _, a := range client.Actions() {
			if d, ok := a.(interface{ GetName() string }); ok && a.GetVerb() == "delete" {
				names = append(names, d.GetName())
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	}
	now := time.Now()
	if err := gc.collect(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if got := deleted(); !slices.Equal(got, []string{"deleted-off", "deleted-unscheduled"}) {
		t.Errorf("deleted at once: %v", got)
	}
	if err := gc.collect(t.Context(), now.Add(nodeQuarantine)); err != nil {
		t.Fatal(err)
	}
	if got := deleted(); !slices.Equal(got, []string{"deleted-off", "deleted-unscheduled", "lost"}) {
		t.Errorf("deleted after the quarantine: %v", got)
	}
	var failed bool
	for _, a := range client.Actions() {
		if a.GetVerb() == "update" && a.GetSubresource() == "status" {
			failed = true
		}
	}
	if !failed {
		t.Error("a pod was deleted without being failed first: its job would not count it")
	}
}
