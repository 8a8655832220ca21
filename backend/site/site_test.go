package site_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
)

func node(name string, labels map[string]string, allocatable ...string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{}}}
	for i := 0; i < len(allocatable); i += 2 {
		n.Status.Allocatable[corev1.ResourceName(allocatable[i])] = resource.MustParse(allocatable[i+1])
	}
	return n
}

const (
	clusterLabel = "muster.dev/training-cluster"
	cardLabel    = "nvidia.com/gpu.product"
)

func h100(name string, more ...string) corev1.Node {
	return node(name, map[string]string{clusterLabel: "h100-ib", cardLabel: "NVIDIA-H100-80GB-HBM3"},
		append([]string{"cpu", "128", "memory", "2000Gi", "nvidia.com/gpu", "8", "rdma/hca", "8"}, more...)...)
}

func a100(name string) corev1.Node {
	return node(name, map[string]string{clusterLabel: "a100-ib", cardLabel: "NVIDIA-A100-SXM4-80GB"},
		"cpu", "96", "memory", "1000Gi", "nvidia.com/gpu", "8", "rdma/hca", "4")
}

func discovered() site.Site {
	cpuOnly := node("cpu-0", map[string]string{clusterLabel: "h100-ib"}, "cpu", "64", "memory", "256Gi")
	return site.Discover(site.Default(), []corev1.Node{h100("a"), a100("b"), h100("c", "cpu", "192"), cpuOnly})
}

func TestDefaultIsValid(t *testing.T) {
	if r := site.Validate(site.Default()); !r.OK() {
		t.Fatal(r.Errors)
	}
	if len(site.Default().Clusters)+len(site.Default().Volumes) != 0 {
		t.Error("the embedded site declares what it cannot know")
	}
}

func TestDiscover(t *testing.T) {
	s := discovered()
	want := []site.Cluster{
		{
			Name: "a100-ib", Discovered: true, NodeSelector: map[string]string{clusterLabel: "a100-ib"},
			RDMA: site.RDMA{Resource: "rdma/hca", PerNode: 4, Shared: true},
			CardTypes: []site.CardType{{
				Name: "A100-80G", Product: "NVIDIA-A100-SXM4-80GB", Resource: "nvidia.com/gpu", PerNode: 8,
				CPUPerCard: "11", MemoryPerCard: "121Gi", NodeCPU: "88", NodeMemory: "968Gi", MaxCPU: "96", MaxMemory: "1000Gi",
			}},
		},
		{
			Name: "h100-ib", Discovered: true, NodeSelector: map[string]string{clusterLabel: "h100-ib"},
			RDMA: site.RDMA{Resource: "rdma/hca", PerCard: 1},
			CardTypes: []site.CardType{{
				Name: "H100-80G", Product: "NVIDIA-H100-80GB-HBM3", Resource: "nvidia.com/gpu", PerNode: 8,
				CPUPerCard: "15", MemoryPerCard: "242Gi", NodeCPU: "120", NodeMemory: "1936Gi", MaxCPU: "192", MaxMemory: "2000Gi",
			}},
		},
	}
	if diff := cmp.Diff(want, s.Clusters); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	again := site.Discover(site.Default(), []corev1.Node{h100("c", "cpu", "192"), a100("b"), h100("a")})
	if diff := cmp.Diff(s.Clusters, again.Clusters); diff != "" {
		t.Errorf("another order of nodes gives another site:\n%s", diff)
	}
}

func TestDiscoverOddNodes(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []corev1.Node
		want  []site.Cluster
	}{
		{name: "no nodes"},
		{
			name:  "no cluster label: the card names the cluster",
			nodes: []corev1.Node{node("n", map[string]string{cardLabel: "NVIDIA-L40S"}, "cpu", "6", "memory", "8Gi", "nvidia.com/gpu", "4")},
			want: []site.Cluster{{
				Name: "L40S", Discovered: true, NodeSelector: map[string]string{cardLabel: "NVIDIA-L40S"},
				CardTypes: []site.CardType{{
					Name: "L40S", Product: "NVIDIA-L40S", Resource: "nvidia.com/gpu", PerNode: 4,
					CPUPerCard: "1", MemoryPerCard: "1Gi", NodeCPU: "4", NodeMemory: "4Gi", MaxCPU: "6", MaxMemory: "8Gi",
				}},
			}},
		},
		{
			name:  "no labels at all",
			nodes: []corev1.Node{node("n", nil, "cpu", "500m", "memory", "512Mi", "amd.com/gpu", "1", "rdma/shared_a", "1000")},
			want: []site.Cluster{{
				Name: "gpu", Discovered: true, RDMA: site.RDMA{Resource: "rdma/shared_a", PerNode: 1},
				CardTypes: []site.CardType{{
					Name: "gpu", Resource: "amd.com/gpu", PerNode: 1,
					CPUPerCard: "400m", MemoryPerCard: "496Mi", NodeCPU: "400m", NodeMemory: "496Mi", MaxCPU: "500m", MaxMemory: "512Mi",
				}},
			}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, site.Discover(site.Default(), c.nodes).Clusters); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Two products that people call the same keep their full names.
func TestDiscoverLikeNames(t *testing.T) {
	s := site.Discover(site.Default(), []corev1.Node{
		node("a", map[string]string{clusterLabel: "x", cardLabel: "NVIDIA-A100-SXM4-80GB"}, "nvidia.com/gpu", "8"),
		node("b", map[string]string{clusterLabel: "x", cardLabel: "NVIDIA-A100-PCIE-80GB"}, "nvidia.com/gpu", "4"),
	})
	var names []string
	for _, t := range s.Clusters[0].CardTypes {
		names = append(names, t.Name)
	}
	if want := []string{"NVIDIA-A100-PCIE-80GB", "NVIDIA-A100-SXM4-80GB"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestShortCardName(t *testing.T) {
	for product, want := range map[string]string{
		"NVIDIA-H100-80GB-HBM3": "H100-80G", "NVIDIA-A100-SXM4-40GB": "A100-40G", "Tesla-V100-SXM2-32GB": "V100-32G",
		"NVIDIA-H800": "H800", "NVIDIA-GeForce-RTX-4090": "RTX-4090", "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb": "A100-80G-MIG-1g.10gb",
		"NVIDIA-H200": "H200", "NVIDIA-A100-PCIE-40GB-SHARED": "A100-40G-SHARED", "NVIDIA": "NVIDIA", "": "",
	} {
		if got := site.ShortCardName(product); got != want {
			t.Errorf("%s: got %s, want %s", product, got, want)
		}
	}
}

func spec(t *testing.T, text string) job.Spec {
	t.Helper()
	s, report := job.Load([]byte("image: a\n" + text))
	if !report.OK() {
		t.Fatalf("%s\n%v", text, report.Errors)
	}
	return s
}

func TestResolve(t *testing.T) {
	typed := spec(t, `
name: x
cluster: h100-ib
roles:
  - {name: master, gpus: 8}
  - {name: worker, replicas: 3, gpus: 8, cpu: "96", memory: 1000Gi}`)
	got := site.Resolve(discovered(), typed)
	want := spec(t, `
name: x
displayName: x
cluster: h100-ib
cardType: H100-80G
sharedMemory: 64Gi
roles:
  - {name: master, gpus: 8, cpu: "120", memory: 1936Gi}
  - {name: worker, replicas: 3, gpus: 8, cpu: "96", memory: 1000Gi}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if typed.Roles[0].CPU != "" || typed.CardType != "" {
		t.Error("Resolve changed what it was given")
	}
}

func TestResolveRoles(t *testing.T) {
	offline, found := site.Default(), discovered()
	for _, c := range []struct {
		name, text string
		site       site.Site
		want       job.Role
		shared     string
	}{
		{"cards offline", "roles: [{name: master, gpus: 2}]", offline, job.Role{GPUs: 2, CPU: "16", Memory: "128Gi"}, "64Gi"},
		{"one card offline: half its memory is shared", "", offline, job.Role{GPUs: 1, CPU: "8", Memory: "64Gi"}, "32Gi"},
		{"no cards", "roles: [{name: master}]", found, job.Role{CPU: "4", Memory: "16Gi"}, "8Gi"},
		{"whole node", "cluster: h100-ib\nroles: [{name: master, wholeNode: true}]", found, job.Role{WholeNode: true, GPUs: 8, CPU: "120", Memory: "1936Gi"}, "64Gi"},
		{"whole node offline", "cluster: h100-ib\nroles: [{name: master, wholeNode: true}]", offline, job.Role{WholeNode: true}, "64Gi"},
		{"whole node, CPU exclusive", "cluster: h100-ib\ncardType: H100-HALF\ncpuExclusive: true\nroles: [{name: master, wholeNode: true}]", siteFile(t, "declared.yaml"), job.Role{WholeNode: true, GPUs: 8, CPU: "56", Memory: "1920Gi"}, "64Gi"},
		{"typed", "sharedMemory: 1Gi\nroles: [{name: master, gpus: 1, cpu: 500m, memory: 2Gi}]", found, job.Role{GPUs: 1, CPU: "500m", Memory: "2Gi"}, "1Gi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := site.Resolve(c.site, spec(t, c.text))
			c.want.Name, c.want.Replicas = "master", 1
			if diff := cmp.Diff(c.want, got.Roles[0]); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got.SharedMemory != c.shared {
				t.Errorf("sharedMemory %s, want %s", got.SharedMemory, c.shared)
			}
			if diff := cmp.Diff(got, site.Resolve(c.site, got)); diff != "" {
				t.Errorf("resolving twice changes it:\n%s", diff)
			}
		})
	}
}

func siteFile(t *testing.T, name string) site.Site {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	s, report := site.Decode(data)
	if !report.OK() {
		t.Fatalf("%s: %v", name, report.Errors)
	}
	return s
}

// lines writes a report as "kind path code name=value …", sorted. It panics at a problem that its code does not
// describe, so that no test passes with one.
func lines(r job.Report) []string {
	out := []string{}
	for kind, problems := range map[string][]job.Problem{"error": r.Errors, "warning": r.Warnings} {
		for _, p := range problems {
			var args []string
			for k, v := range p.Args {
				args = append(args, k+"="+v)
			}
			sort.Strings(args)
			i := slices.IndexFunc(job.Codes(), func(c job.CodeDoc) bool { return c.Code == p.Code })
			if i < 0 || !slices.Equal(slices.Sorted(maps.Keys(p.Args)), job.Codes()[i].Args) {
				panic("not as job.Codes says: " + p.Code + " at " + p.Path)
			}
			out = append(out, strings.Join(append([]string{kind, p.Path, p.Code}, args...), " "))
		}
	}
	sort.Strings(out)
	return out
}

func TestCheck(t *testing.T) {
	offline, found, declared := site.Default(), discovered(), siteFile(t, "declared.yaml")
	for _, c := range []struct {
		name string
		site site.Site
		text string
		want []string
	}{
		{"offline, any cluster", offline, "cluster: nowhere", []string{"warning cluster RDMAUnknown cluster=nowhere"}},
		{"offline, no cards", offline, "roles: [{name: master}]", nil},
		{"offline, any volume", offline, "roles: [{name: master}]\nstorage: [{volume: x, mountPath: /x}]", nil},
		{"offline, a card type", offline, "cardType: H100", []string{"warning cardType CardTypeUnverified cluster= label=nvidia.com/gpu.product value=H100", "warning cluster RDMAUnknown cluster="}},
		{"offline, a whole node", offline, "roles: [{name: master, wholeNode: true}]", []string{"warning cluster RDMAUnknown cluster=", "warning roles[0].wholeNode WholeNodeUnknown cluster= role=master"}},
		{"offline, any size", offline, "roles: [{name: master, gpus: 16, cpu: '4000'}]", []string{"warning cluster RDMAUnknown cluster="}},

		{"found", found, "cluster: h100-ib", nil},
		{"found, unknown", found, "cluster: h100-lb", []string{"error cluster ClusterUnknown known=a100-ib, h100-ib nearest=h100-ib value=h100-lb"}},
		{"found, several", found, "", []string{"error cluster ClusterRequired known=a100-ib, h100-ib"}},
		{"found, any kind of resource", found, "cluster: h100-ib\nresource: Spot\nregion: r", nil},
		{"card by product", found, "cluster: h100-ib\ncardType: NVIDIA-H100-80GB-HBM3", nil},
		{"card of another cluster", found, "cluster: h100-ib\ncardType: A100-80G", []string{"error cardType CardTypeUnknown cluster=h100-ib known=H100-80G nearest=H100-80G value=A100-80G"}},
		{"8 cards", found, "cluster: h100-ib\nroles: [{name: master, gpus: 8}]", nil},
		{"9 cards", found, "cluster: h100-ib\nroles: [{name: master, gpus: 9}]", []string{"error roles[0].gpus CardsNeverFit cardType=H100-80G cluster=h100-ib max=8 value=9"}},
		{"9 cards of a role without replicas", found, "cluster: h100-ib\nroles: [{name: master, gpus: 8}, {name: worker, replicas: 0, gpus: 9}]", nil},
		{"the largest node's CPU", found, "cluster: h100-ib\nroles: [{name: master, gpus: 8, cpu: '192', memory: 2000Gi}]", nil},
		{"more than it", found, "cluster: h100-ib\nroles: [{name: master, gpus: 8, cpu: '193', memory: 2001Gi}]", []string{
			"error roles[0].cpu CPUNeverFits cardType=H100-80G cluster=h100-ib max=192 value=193",
			"error roles[0].memory MemoryNeverFits cardType=H100-80G cluster=h100-ib max=2000Gi value=2001Gi"}},
		{"shared memory of the resolved memory", found, "cluster: h100-ib\nsharedMemory: 242Gi", nil},
		{"more than it", found, "cluster: h100-ib\nsharedMemory: 243Gi", []string{"error sharedMemory SharedMemoryTooLarge memory=242Gi role=master value=243Gi"}},
		{"exclusive by default", found, "cluster: h100-ib\ncpuExclusive: true\nroles: [{name: master, gpus: 3}]", nil},
		{"exclusive whole node", found, "cluster: h100-ib\ncpuExclusive: true\nroles: [{name: master, wholeNode: true}]", nil},

		{"declared default", declared, "", nil},
		{"other workspace", declared, "workspace: vision\ncluster: h100-ib", []string{"error cluster ClusterNotForWorkspace cluster=h100-ib known=old workspace=vision"}},
		{"own workspace", declared, "workspace: research\ncluster: h100-ib", nil},
		{"only one for the workspace", declared, "workspace: vision\ncardType: V100", nil},
		{"no Spot", declared, "workspace: vision\nresource: Spot\ncluster: old\ncardType: V100", []string{"error resource ResourceNotServed cluster=old resource=Spot served=Dedicated"}},
		{"Spot nowhere for the workspace", declared, "workspace: vision\nresource: Spot", []string{"error resource ResourceNotServed cluster=old resource=Spot served=Dedicated"}},
		{"Spot", declared, "workspace: research\nresource: Spot\nregion: cn-1\nzone: a", nil},
		{"other region and zone", declared, "workspace: research\nresource: Spot\nregion: cn-2\nzone: c", []string{
			"error region RegionUnknown cluster=h100-ib known=cn-1 value=cn-2",
			"error zone ZoneUnknown cluster=h100-ib known=a, b value=c"}},
		{"several cards, a default", declared, "cluster: h100-ib", nil},
		{"several cards, no default", declared, "cluster: old", []string{"error cardType CardTypeRequired cluster=old known=V100, P100"}},
		{"no cards, no card type", declared, "cluster: old\nroles: [{name: master}]", nil},
		{"declared size", declared, "cluster: h100-ib\nroles: [{name: master, gpus: 8, cpu: '121', memory: 1000Gi}]", []string{"error roles[0].cpu CPUNeverFits cardType=H100-80G cluster=h100-ib max=120 value=121"}},
		{"exclusive, fractions by default", declared, "cluster: h100-ib\ncardType: H100-HALF\ncpuExclusive: true", []string{"error roles[0].cpu CPUNotWhole value=2500m"}},
		{"exclusive whole node, not a multiple", declared, "cluster: h100-ib\ncardType: H100-HALF\ncpuExclusive: true\nroles: [{name: master, wholeNode: true}]", nil},
		{"exclusive whole node, fewer CPUs than cards", declared, "cluster: h100-ib\ncardType: H100-THIN\ncpuExclusive: true\nroles: [{name: master, wholeNode: true}]", []string{"error cpuExclusive CPUFewerThanCards cards=8 value=7500m"}},
		{"volumes", declared, "storage: [{volume: nas-code, mountPath: /a}, {volume: nas-cod, mountPath: /b}]", []string{"error storage[1].volume VolumeUnknown known=nas-code, nas-far nearest=nas-code value=nas-cod"}},
		{"volume of another region", declared, "storage: [{volume: nas-far, mountPath: /a}]", []string{"error storage[0].volume VolumeNotInRegion known=cn-9 region=cn-1 value=nas-far"}},
		{"mount over the keys", declared, "ssh: true\nstorage: [{volume: nas-code, mountPath: /opt/ssh/x}]", []string{"error storage[0].mountPath MountPathOfSSH dir=/opt/ssh value=/opt/ssh/x"}},
		{"mount around the keys", declared, "ssh: true\nstorage: [{volume: nas-code, mountPath: /opt}]", nil},
		{"mount there without keys", declared, "storage: [{volume: nas-code, mountPath: /opt/ssh}]", nil},
		{"priority that the site has", declared, "priority: High", nil},
		{"priority that it lacks", declared, "priority: Highest", []string{"error priority PriorityUnknown known=Normal, High value=Highest"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := spec(t, c.text)
			if c.want == nil {
				c.want = []string{}
			}
			if diff := cmp.Diff(c.want, lines(site.Check(c.site, s))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if resolved := lines(site.Check(c.site, site.Resolve(c.site, s))); len(resolved) > len(c.want) {
				t.Errorf("the resolved spec has more problems: %v", resolved)
			}
		})
	}
}

func TestCheckNoClusterForWorkspace(t *testing.T) {
	s := siteFile(t, "declared.yaml")
	s.Clusters = s.Clusters[:1]
	if got, want := lines(site.Check(s, spec(t, "workspace: vision"))), []string{"error cluster NoClusterForWorkspace workspace=vision"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPlacement(t *testing.T) {
	offline, found, declared := site.Default(), discovered(), siteFile(t, "declared.yaml")
	for _, c := range []struct {
		name string
		site site.Site
		text string
		want site.Placement
		rdma map[int]int // cards → devices
	}{
		{"offline", offline, "cluster: nowhere\ncardType: H100", site.Placement{
			NodeSelector: map[string]string{clusterLabel: "nowhere"}, CardSelector: map[string]string{cardLabel: "H100"},
			CardResource: "nvidia.com/gpu", RDMA: true, Env: map[string]string{}}, map[int]int{8: 0}},
		{"nothing known", offline, "", site.Placement{NodeSelector: map[string]string{}, CardSelector: map[string]string{},
			CardResource: "nvidia.com/gpu", RDMA: true, Env: map[string]string{}}, map[int]int{8: 0}},
		{"found", found, "cluster: h100-ib", site.Placement{
			NodeSelector: map[string]string{clusterLabel: "h100-ib"}, CardSelector: map[string]string{cardLabel: "NVIDIA-H100-80GB-HBM3"},
			CardResource: "nvidia.com/gpu", RDMAResource: "rdma/hca", RDMA: true, Env: map[string]string{}}, map[int]int{0: 0, 1: 1, 8: 8}},
		{"fewer devices than cards", found, "cluster: a100-ib", site.Placement{
			NodeSelector: map[string]string{clusterLabel: "a100-ib"}, CardSelector: map[string]string{cardLabel: "NVIDIA-A100-SXM4-80GB"},
			CardResource: "nvidia.com/gpu", RDMAResource: "rdma/hca", RDMA: true, Env: map[string]string{}}, map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 8: 4}},
		{"declared", declared, "resource: Spot\nregion: cn-1\nzone: a\nworkspace: research", site.Placement{
			NodeSelector: map[string]string{"pool": "h100", "topology.kubernetes.io/region": "cn-1", "topology.kubernetes.io/zone": "a"},
			CardSelector: map[string]string{cardLabel: "NVIDIA-H100-80GB-HBM3"},
			Tolerations:  []corev1.Toleration{{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists}},
			CardResource: "nvidia.com/gpu", RDMAResource: "rdma/ib", RDMA: true, Env: map[string]string{"NCCL_SOCKET_IFNAME": "bond0"}}, map[int]int{0: 0, 1: 4, 8: 4}},
		{"declared without RDMA and selector", declared, "cluster: old\ncardType: V100", site.Placement{
			NodeSelector: map[string]string{clusterLabel: "old"}, CardSelector: map[string]string{"card": "v100"},
			CardResource: "example.com/v", RDMA: false, Env: map[string]string{}}, map[int]int{8: 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.site.Placement(spec(t, c.text))
			for cards, want := range c.rdma {
				if n := got.RDMAPerPod(cards); n != want {
					t.Errorf("%d cards: %d devices, want %d", cards, n, want)
				}
			}
			diff := cmp.Diff(c.want, got, cmp.FilterPath(func(p cmp.Path) bool {
				return strings.HasSuffix(p.String(), "rdma") || strings.HasSuffix(p.String(), "perNode")
			}, cmp.Ignore()), cmp.AllowUnexported(site.Placement{}))
			if diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
