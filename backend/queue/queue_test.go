package queue_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"
	"sigs.k8s.io/yaml"

	"muster.dev/muster/backend/queue"
)

var update = flag.Bool("update", false, "write the golden files")

type objects struct {
	locals    []*kueue.LocalQueue
	clusters  []*kueue.ClusterQueue
	workloads []*kueue.Workload
	pending   map[queue.Key]*visibility.PendingWorkloadsSummary
}

func read(t *testing.T) objects {
	t.Helper()
	var o objects
	text, err := os.ReadFile("testdata/queues.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.Kind {
		case "LocalQueue":
			o.locals = append(o.locals, strict[kueue.LocalQueue](t, document))
		case "ClusterQueue":
			o.clusters = append(o.clusters, strict[kueue.ClusterQueue](t, document))
		case "Workload":
			o.workloads = append(o.workloads, strict[kueue.Workload](t, document))
		default:
			t.Fatalf("kind %q", kind.Kind)
		}
	}
	text, err = os.ReadFile("testdata/pending.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o.pending = map[queue.Key]*visibility.PendingWorkloadsSummary{
		{Workspace: "research", Name: "team-a"}: strict[visibility.PendingWorkloadsSummary](t, text),
	}
	return o
}

func strict[T any](t *testing.T, text []byte) *T {
	t.Helper()
	v := new(T)
	if err := yaml.UnmarshalStrict(text, v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

func TestGolden(t *testing.T) {
	o := read(t)
	for name, from := range map[string]func(objects) []queue.Queue{
		"admin": func(o objects) []queue.Queue { return queue.From(o.locals, o.clusters, o.workloads, o.pending) },
		"user":  func(o objects) []queue.Queue { return queue.From(o.locals, nil, o.workloads, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			got := from(o)
			text, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, '\n')
			golden := "testdata/" + name + ".json"
			if *update {
				if err := os.WriteFile(golden, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(text)); d != "" {
				t.Error(d)
			}
			slices.Reverse(o.locals)
			slices.Reverse(o.workloads)
			if d := cmp.Diff(got, from(o)); d != "" {
				t.Errorf("another order of the objects, another answer:\n%s", d)
			}
		})
	}
}

func waiting(q queue.Queue) []string {
	var names []string
	for i, w := range q.Waiting {
		if w.Position != i+1 {
			names = append(names, "wrong position")
		}
		names = append(names, w.Job)
	}
	return names
}

func TestOrder(t *testing.T) {
	o := read(t)
	user := queue.From(o.locals, nil, o.workloads, nil)
	if got := waiting(user[0]); !slices.Equal(got, []string{"urgent", "early", "late"}) {
		t.Errorf("by priority and time: %v", got)
	}
	if user[0].OrderKnown {
		t.Error("an order that was worked out is given as known")
	}
	admin := queue.From(o.locals, o.clusters, o.workloads, o.pending)
	if got := waiting(admin[0]); !slices.Equal(got, []string{"urgent", "other", "late"}) {
		t.Errorf("as the visibility API says: %v", got)
	}
}

// TestOrderOfOne: where at most one waits nobody needs to be asked for the order; where more wait than the user may see,
// it is not known.
func TestOrderOfOne(t *testing.T) {
	local := func(pending int32) []*kueue.LocalQueue {
		q := &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "q"}}
		q.Status.PendingWorkloads = pending
		return []*kueue.LocalQueue{q}
	}
	one := &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "a"}, Spec: kueue.WorkloadSpec{QueueName: "q"}}
	two := one.DeepCopy()
	two.Name = "b"
	for name, c := range map[string]struct {
		pending   int32
		workloads []*kueue.Workload
		known     bool
	}{
		"empty":                       {0, nil, true},
		"one":                         {1, []*kueue.Workload{one}, true},
		"one that is not yet counted": {0, []*kueue.Workload{one}, true},
		"two":                         {2, []*kueue.Workload{one, two}, false},
		"one that can't be seen":      {1, nil, false},
		"and one that can":            {2, []*kueue.Workload{one}, false},
	} {
		if got := queue.From(local(c.pending), nil, c.workloads, nil)[0]; got.OrderKnown != c.known || len(got.Waiting) != len(c.workloads) {
			t.Errorf("%s: %+v, known %v", name, got, c.known)
		}
	}
}

func TestActive(t *testing.T) {
	o := read(t)
	for _, q := range queue.From(o.locals, nil, nil, nil) {
		want := map[string]bool{"team-a": true}[q.Name]
		if q.Active != want || want == (q.Reason != "") {
			t.Errorf("%s: active %v, reason %q", q.Name, q.Active, q.Reason)
		}
	}
}
