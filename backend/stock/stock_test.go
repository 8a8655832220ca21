package stock_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/stock"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t testing.TB) (nodes []*corev1.Node, pods []*corev1.Pod) {
	t.Helper()
	text, err := os.ReadFile("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nodes, pods
		}
		if err != nil {
			t.Fatal(err)
		}
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind == "Node" {
			n := &corev1.Node{}
			err = yaml.UnmarshalStrict(document, n)
			nodes = append(nodes, n)
		} else {
			p := &corev1.Pod{}
			err = yaml.UnmarshalStrict(document, p)
			pods = append(pods, p)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
	}
}

func readSite(t testing.TB, nodes []*corev1.Node) site.Site {
	t.Helper()
	text, err := os.ReadFile("testdata/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var s site.Site
	if err := yaml.UnmarshalStrict(text, &s); err != nil {
		t.Fatal(err)
	}
	var all []corev1.Node
	for _, n := range nodes {
		all = append(all, *n)
	}
	return site.Discover(s, all)
}

func TestCount(t *testing.T) {
	nodes, pods := read(t)
	s := readSite(t, nodes)
	got := stock.Count(s, nodes, pods)
	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile("testdata/stock.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/stock.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(text)); d != "" {
		t.Error(d)
	}
	slices.Reverse(nodes)
	slices.Reverse(pods)
	if d := cmp.Diff(got, stock.Count(s, nodes, pods)); d != "" {
		t.Errorf("another order, another stock:\n%s", d)
	}
}

// TestFree says in one place what testdata/cluster.yaml has on each node and what must be free there.
func TestFree(t *testing.T) {
	nodes, pods := read(t)
	want := map[string]struct {
		free int
		why  string
	}{
		"h100-1": {1, ""},             // 8: a pod of 4 runs, one of 2 and 1 in containers ends (deletion does not free it), ended pods hold nothing
		"h100-2": {2, ""},             // 8: an init container that needs 6 counts more than the main one of 2
		"h100-3": {8, stock.Cordoned}, // cordoned
		"h100-4": {8, stock.NotReady}, // kubelet silent
		"h100-5": {8, stock.Tainted},  // a taint that jobs do not tolerate
		"h100-6": {5, ""},             // 8: a sidecar of 1 beside a container of 2
		"a100-1": {0, ""},             // more asked for than there is: 0, not negative
	}
	seen := map[string]bool{}
	for _, s := range stock.Count(readSite(t, nodes), nodes, pods) {
		for _, n := range s.Nodes {
			w, ok := want[n.Name]
			if !ok {
				t.Errorf("%s/%s: node %s is none of its", s.Cluster, s.CardType, n.Name)
				continue
			}
			seen[n.Name] = true
			if n.Free != w.free || n.Why != w.why || n.Schedulable != (w.why == "") {
				t.Errorf("%s: %+v, want %+v", n.Name, n, w)
			}
		}
		if s.Cluster == "h100-ib" && (s.Total != 48 || s.Free != 8) {
			t.Errorf("total %d free %d", s.Total, s.Free)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("nodes seen: %v", seen)
	}
}

// Overhead and CPU in fractions.
func TestFreeCPUAndMemory(t *testing.T) {
	nodes, pods := read(t)
	for _, s := range stock.Count(readSite(t, nodes), nodes, pods) {
		for _, n := range s.Nodes {
			if n.Name == "h100-6" {
				// 96 CPU − 10.5 main − 0.5 sidecar − 0.25 overhead; 900Gi − 100Gi − 1Gi − 128Mi
				memory := resource.MustParse("899Gi")
				memory.Sub(resource.MustParse("100Gi"))
				memory.Sub(resource.MustParse("128Mi"))
				if n.FreeCPU != 84750 || n.FreeMemory != memory.Value() {
					t.Errorf("free CPU %d memory %d, want 84750 and %d", n.FreeCPU, n.FreeMemory, memory.Value())
				}
				return
			}
		}
	}
	t.Error("node not seen")
}

func TestFits(t *testing.T) {
	s := stock.Stock{Known: true, Nodes: []stock.Node{
		{Name: "a", Total: 8, Free: 8, FreeCPU: 96000, FreeMemory: 1 << 40, Schedulable: true},
		{Name: "b", Total: 8, Free: 4, FreeCPU: 48000, FreeMemory: 1 << 39, Schedulable: true},
		{Name: "c", Total: 8, Free: 8, FreeCPU: 96000, FreeMemory: 1 << 40, Why: stock.Cordoned},
	}}
	for name, c := range map[string]struct {
		stock stock.Stock
		want  []stock.Want
		fit   stock.Fit
	}{
		"one node":            {s, []stock.Want{{Pods: 1, Cards: 8}}, stock.Fit{Needed: 1, Free: 1, Ever: true}},
		"two nodes, one free": {s, []stock.Want{{Pods: 1, Cards: 8}, {Pods: 1, Cards: 8}}, stock.Fit{Needed: 2, Free: 1, Ever: true}},
		"never":               {s, []stock.Want{{Pods: 4, Cards: 8}}, stock.Fit{Needed: 4, Free: 1, Ever: false}},
		"more than a node":    {s, []stock.Want{{Pods: 1, Cards: 16}}, stock.Fit{Needed: 1}},
		"several to a node":   {s, []stock.Want{{Pods: 3, Cards: 4}}, stock.Fit{Needed: 3, Free: 3, Ever: true}},
		"small ones leave room for the large": {s, []stock.Want{{Pods: 1, Cards: 4}, {Pods: 1, Cards: 8}},
			stock.Fit{Needed: 2, Free: 2, Ever: true}},
		"too much CPU for now": {s, []stock.Want{{Pods: 1, Cards: 4, CPU: 97000}}, stock.Fit{Needed: 1, Free: 0, Ever: true}},
		"no cards":             {s, []stock.Want{{Pods: 100}}, stock.Fit{Ever: true}},
		"not known":            {stock.Stock{}, []stock.Want{{Pods: 1, Cards: 8}}, stock.Fit{Needed: 1, Ever: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := stock.Fits(c.stock, c.want...)
			now, empty := sum(got.Now), sum(got.Empty)
			if len(got.Now) != len(c.want) || len(got.Empty) != len(c.want) || now != got.Free || (empty == got.Needed) != got.Ever {
				t.Errorf("%+v: the parts are not the whole", got)
			}
			got.Now, got.Empty = nil, nil
			if d := cmp.Diff(c.fit, got); d != "" {
				t.Error(d)
			}
			if s.Nodes[0].Free != 8 {
				t.Fatal("Fits changed the stock")
			}
		})
	}
}

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}

// The pods that lack are told where they lack: the large ones find room first.
func TestFitsOfEach(t *testing.T) {
	s := stock.Stock{Known: true, Nodes: []stock.Node{
		{Total: 8, Free: 8, FreeCPU: 96000, FreeMemory: 1 << 40, Schedulable: true},
		{Total: 8, Free: 3, FreeCPU: 1000, FreeMemory: 1 << 40, Schedulable: true},
	}}
	got := stock.Fits(s, stock.Want{Pods: 3, Cards: 1, CPU: 500}, stock.Want{Pods: 1}, stock.Want{Pods: 2, Cards: 8})
	want := stock.Fit{Needed: 5, Free: 3, Now: []int{2, 0, 1}, Empty: []int{0, 0, 2}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Every placing is what placing pod by pod gives, each on the node that it leaves the fewest cards on.
func TestFitsIsBestFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := stock.Stock{Known: true}
		for range random.IntN(6) {
			free := random.IntN(9)
			s.Nodes = append(s.Nodes, stock.Node{Total: 8, Free: free, FreeCPU: int64(random.IntN(20)), FreeMemory: 100, Schedulable: random.IntN(4) > 0})
		}
		var wants []stock.Want
		for cards := 8; cards > 0; cards -= 1 + random.IntN(4) { // in the order of placing
			wants = append(wants, stock.Want{Pods: random.IntN(5), Cards: cards, CPU: int64(random.IntN(9))})
		}
		now := make([]int, len(wants))
		nodes := slices.Clone(s.Nodes)
		for i, w := range wants {
			for range w.Pods {
				best := -1
				for k, n := range nodes {
					if n.Schedulable && n.Free >= w.Cards && n.FreeCPU >= w.CPU && (best < 0 || n.Free < nodes[best].Free) {
						best = k
					}
				}
				if best >= 0 {
					nodes[best].Free -= w.Cards
					nodes[best].FreeCPU -= w.CPU
					now[i]++
				}
			}
		}
		if got := stock.Fits(s, wants...); !slices.Equal(got.Now, now) {
			t.Fatalf("%+v on %+v: %v, want %v", wants, s.Nodes, got.Now, now)
		}
	}
}

func TestCheck(t *testing.T) {
	all := []stock.Stock{
		{Cluster: "a", CardType: "H100", Known: true, Nodes: []stock.Node{
			{Total: 8, Free: 8, FreeCPU: 96000, FreeMemory: 1 << 40, Schedulable: true},
			{Total: 8, Free: 2, FreeCPU: 96000, FreeMemory: 1 << 40, Schedulable: true},
		}},
		{Cluster: "b", CardType: "H100", Missing: "list nodes"},
	}
	role := func(name string, nodes, cards int) job.Role {
		return job.Role{Name: name, Replicas: nodes, GPUs: cards}
	}
	for name, c := range map[string]struct {
		cluster  string
		mode     job.Mode
		roles    []job.Role
		errors   []string
		warnings []string
	}{
		"fits":                  {"a", job.Standalone, []job.Role{role("master", 1, 8), role("worker", 2, 1)}, nil, nil},
		"lacks":                 {"a", job.Standalone, []job.Role{role("master", 1, 4), role("worker", 2, 4)}, []string{"roles[1].gpus StockLacks 3 4 2"}, nil},
		"waits":                 {"a", job.Queue, []job.Role{role("master", 1, 4), role("worker", 2, 4)}, nil, []string{"roles[1].gpus StockWait 3 4 2"}},
		"never, though queued":  {"a", job.Queue, []job.Role{role("master", 1, 8), role("worker", 2, 8)}, []string{"roles[1].gpus StockNever 3 8 2"}, nil},
		"CPU alone":             {"a", job.Standalone, []job.Role{role("main", 100, 0)}, nil, nil},
		"a role that is absent": {"a", job.Standalone, []job.Role{role("master", 1, 8), role("worker", 0, 8)}, nil, nil},
		"not known":             {"b", job.Standalone, []job.Role{role("master", 100, 8)}, nil, nil},
		"no such stock":         {"c", job.Standalone, []job.Role{role("master", 100, 8)}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			spec := job.Spec{Cluster: c.cluster, CardType: "H100", Roles: c.roles, Submission: job.Submission{Mode: c.mode}}
			got := stock.Check(all, spec)
			if d := cmp.Diff(c.errors, said(got.Errors)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.warnings, said(got.Warnings)); d != "" {
				t.Error(d)
			}
		})
	}
}

func said(problems []job.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%s %s %s %s %s", p.Path, p.Code, p.Args["asked"], p.Args["cards"], p.Args["nodes"]))
	}
	return out
}

func TestOf(t *testing.T) {
	all := []stock.Stock{{Cluster: "a", CardType: "H100", Known: true}, {Missing: "list nodes"}}
	if s, ok := stock.Of(all, job.Spec{Cluster: "a", CardType: "H100"}); !ok || !s.Known {
		t.Errorf("%+v %v", s, ok)
	}
	if s, ok := stock.Of(all, job.Spec{Cluster: "b"}); !ok || s.Missing != "list nodes" {
		t.Errorf("%+v %v", s, ok)
	}
	if s, ok := stock.Of(all[:1], job.Spec{Cluster: "b"}); ok {
		t.Errorf("%+v", s)
	}
}

func BenchmarkCount50000Pods(b *testing.B) {
	nodes, pods := read(b)
	s := readSite(b, nodes)
	many := make([]*corev1.Pod, 50_000)
	for i := range many {
		many[i] = pods[i%len(pods)]
	}
	b.ReportAllocs()
	for b.Loop() {
		stock.Count(s, nodes, many)
	}
}
