package seed

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestObjects(t *testing.T) {
	objs, err := objects(`/data with "quotes"/volumes`)
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string][]*unstructured.Unstructured{}
	for _, o := range objs {
		if o.GetName() == "" || o.GetAPIVersion() == "" {
			t.Errorf("an object without a name or a version: %v", o.Object)
		}
		byKind[o.GetKind()] = append(byKind[o.GetKind()], o)
	}
	for kind, want := range map[string]int{"ClusterQueue": 2, "LocalQueue": 2, "ResourceFlavor": 2, "PersistentVolume": 4,
		"PersistentVolumeClaim": 4, "PriorityClass": 3, "WorkloadPriorityClass": 3, "Namespace": 3, "ConfigMap": 1} {
		if got := len(byKind[kind]); got != want {
			t.Errorf("%d of %s, want %d", got, kind, want)
		}
	}
	// muster renders IPC_LOCK for RDMA, which no stricter level lets in.
	for _, ns := range byKind["Namespace"] {
		if labels := ns.GetLabels(); labels["muster.dev/workspace"] == "true" && labels["pod-security.kubernetes.io/enforce"] != "privileged" {
			t.Errorf("workspace %s: %v", ns.GetName(), labels)
		}
	}
	// Every claim finds its volume, and the volume it.
	for _, claim := range byKind["PersistentVolumeClaim"] {
		name, _, _ := unstructured.NestedString(claim.Object, "spec", "volumeName")
		i := slices.IndexFunc(byKind["PersistentVolume"], func(v *unstructured.Unstructured) bool { return v.GetName() == name })
		if i < 0 {
			t.Errorf("claim %s/%s names the volume %q, which is not there", claim.GetNamespace(), claim.GetName(), name)
			continue
		}
		ref, _, _ := unstructured.NestedStringMap(byKind["PersistentVolume"][i].Object, "spec", "claimRef")
		path, _, _ := unstructured.NestedString(byKind["PersistentVolume"][i].Object, "spec", "hostPath", "path")
		if ref["name"] != claim.GetName() || ref["namespace"] != claim.GetNamespace() || path != `/data with "quotes"/volumes/`+name {
			t.Errorf("volume %s: %v at %s", name, ref, path)
		}
	}
	// Whoever a right is given to is a user.
	for _, kind := range []string{"RoleBinding", "ClusterRoleBinding"} {
		for _, b := range byKind[kind] {
			subjects, _, _ := unstructured.NestedSlice(b.Object, "subjects")
			for _, s := range subjects {
				s := s.(map[string]any)
				known := slices.ContainsFunc(Users(), func(u User) bool { return u.Name == s["name"] })
				if s["kind"] == "User" && !known {
					t.Errorf("%s %s is for %v", kind, b.GetName(), s["name"])
				}
			}
		}
	}
}

// TestSiteFile holds the site file to the nodes that it describes.
func TestSiteFile(t *testing.T) {
	var site struct {
		DefaultCluster string
		Clusters       []struct {
			Name         string
			NodeSelector map[string]string
			RDMA         struct{ Resource string }
			CardTypes    []struct {
				Product, Resource, CPUPerCard, MemoryPerCard, NodeCPU, NodeMemory string
				PerNode                                                           int64
				NodeSelector                                                      map[string]string
			}
		}
		Volumes []struct{ Name string }
	}
	if err := yaml.Unmarshal([]byte(siteFile), &site); err != nil {
		t.Fatal(err)
	}
	nodes := Nodes()
	for _, c := range site.Clusters {
		for _, card := range c.CardTypes {
			found := 0
			for _, n := range nodes {
				if !contains(n.Labels, c.NodeSelector) || !contains(n.Labels, card.NodeSelector) {
					continue
				}
				found++
				cpu, memory := n.Capacity[corev1.ResourceCPU], n.Capacity[corev1.ResourceMemory]
				cards, rdma := n.Capacity[corev1.ResourceName(card.Resource)], n.Capacity[corev1.ResourceName(c.RDMA.Resource)]
				if n.Labels["nvidia.com/gpu.product"] != card.Product || cards.Value() != card.PerNode || rdma.IsZero() ||
					cpu.Cmp(resource.MustParse(card.NodeCPU)) != 0 || memory.Cmp(resource.MustParse(card.NodeMemory)) != 0 {
					t.Errorf("%s is not what the site file says of %s: %v", n.Name, c.Name, n.Capacity)
				}
				perCPU, perMemory := resource.MustParse(card.CPUPerCard), resource.MustParse(card.MemoryPerCard)
				if perCPU.Value()*card.PerNode > cpu.Value() || perMemory.Value()*card.PerNode > memory.Value() {
					t.Errorf("%s: the defaults of all cards do not fit into the node", n.Name)
				}
			}
			if found == 0 {
				t.Errorf("no node is in %s", c.Name)
			}
		}
	}
	if len(site.Clusters) != 2 || site.DefaultCluster != site.Clusters[0].Name || len(site.Volumes) != len(volumes("")) {
		t.Errorf("%+v", site)
	}
}

func contains(labels, selector map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return true
}

// TestQuotaIsReachable holds the queues to what the nodes have.
func TestQuotaIsReachable(t *testing.T) {
	cards := map[string]int{}
	for _, m := range machines() {
		cards[m.name] += m.count * m.gpus
	}
	for _, w := range workspaces() {
		if w.GPUs > cards[w.Flavor] {
			t.Errorf("%s may have %d cards of %d", w.Name, w.GPUs, cards[w.Flavor])
		}
	}
}
