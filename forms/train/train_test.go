package train

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/forms"
)

var noon = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)

func place(free ...int) snapshot.Snapshot {
	var nodes []stock.Node
	for _, f := range free {
		nodes = append(nodes, stock.Node{Total: 8, Free: f, FreeCPU: int64(f) * 12000, FreeMemory: int64(f) << 37, Schedulable: true})
	}
	return snapshot.Snapshot{
		Conn:       snapshot.Connection{State: snapshot.Live, Fresh: noon},
		Facts:      snapshot.Facts{Workspace: "research", Kueue: true},
		Workspaces: []string{"research", "vision"},
		Site: site.Site{DefaultCluster: "h100", Clusters: []site.Cluster{{Name: "h100", RDMA: site.RDMA{Resource: "rdma/hca", PerCard: 1},
			CardTypes: []site.CardType{{Name: "H100", PerNode: 8, CPUPerCard: "12", MemoryPerCard: "100Gi", NodeCPU: "96", NodeMemory: "1000Gi"}}}},
			Priorities: []site.Priority{{Level: job.Normal}}},
		Volumes: []snapshot.Volume{{Name: "nas", Workspace: "research"}, {Name: "other", Workspace: "vision"}},
		Stock:   []stock.Stock{{Cluster: "h100", CardType: "H100", Known: true, Total: 8 * len(free), Nodes: nodes}},
	}
}

// filled is a draft that nothing is wrong with.
func filled() *forms.Draft {
	d := New("d", noon, 7)
	d.Set("image", "registry.local/ai/pytorch:1")
	d.Set("args", "python train.py")
	d.Set(keyStorage, "")
	return d
}

func change(d *forms.Draft, path, text string) {
	before := d.Get(path)
	d.Set(path, text)
	Changed(d, path, before)
}

func codes(problems []job.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Path+" "+p.Code)
	}
	slices.Sort(out)
	return out
}

func TestEveryFieldOfASpecComesBack(t *testing.T) {
	full := job.Default()
	full.Name, full.DisplayName, full.Workspace = "bert-1", "BERT-预训练", "research"
	full.Resource, full.Region, full.Zone, full.Network, full.Preemptible = job.Spot, "cn", "cn-1", "vpc", true
	full.Image, full.ImagePullSecret = "r/i:1", "pull"
	full.Command = []string{"/bin/my prog", "-c", "it's", ""}
	full.Args.SetText("a $$ $(date)\n\t\"x\"  \r\n")
	full.Env = map[string]string{"A": " 3e-4 ", "EMPTY": "", "MANY": "one\nEND\nthree=3", "EQ": "a=b=c", "HASH": "#x"}
	full.SecretEnv = []string{"TOKEN", "KEY"}
	full.Storage = []job.Mount{{Volume: "v", Path: "p/q", MountPath: "/w", ReadOnly: true}, {Volume: "w", MountPath: "/x"}}
	full.Cluster, full.CardType = "h100", "H100"
	full.Roles = []job.Role{{Name: "master", Replicas: 1, WholeNode: true}, {Name: "worker", Replicas: 3, GPUs: 8, CPU: "96", Memory: "1000Gi"}}
	full.Submission = job.Submission{Mode: job.Queue, Queue: "q", Total: 8, Concurrency: 2}
	full.Priority = job.High
	full.FaultTolerance = job.FaultTolerance{MaxRestarts: -1, Rules: []job.Rule{{ExitCodes: "1,3-5", Action: job.RestartPod, Placement: job.PlaceAvoid}, {ExitCodes: "9", Action: job.Fail, Placement: job.PlaceAny}}}
	full.TimeoutMinutes, full.GracePeriodSeconds, full.SharedMemory = 60, 0, "64Gi"
	full.CPUExclusive, full.SSH, full.TensorBoard.LogDir = true, true, "/w/logs"
	list := full
	list.Args.SetList([]string{"--a", "b c", "it's \"q\"", "", "$(x)", "line\nbreak", "#no", "训练"})
	empty := full
	empty.Args.SetList(nil)
	custom := job.Default()
	custom.Framework, custom.Roles = job.Custom, []job.Role{{Name: "actor", Replicas: 2}, {Name: "learner", Replicas: 1, GPUs: 4}}
	for name, want := range map[string]job.Spec{"full": full, "list": list, "empty list": empty, "custom": custom} {
		t.Run(name, func(t *testing.T) {
			want = job.Canonical(want)
			got, problems := ToSpec(FromSpec(want, "d", noon, 1))
			if len(problems) > 0 {
				t.Fatalf("problems: %v", problems)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestRandomTextsComeBack(t *testing.T) {
	alphabet := []rune("ab \t\n\r'\"\\$#=<>|&;*`训é\u202e_E")
	r := rand.New(rand.NewPCG(1, 1))
	text := func() string {
		out := make([]rune, r.IntN(12))
		for i := range out {
			out[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(out)
	}
	for range 2000 {
		s := job.Default()
		s.Command = []string{text(), text()}
		s.Env = map[string]string{"A": text(), "B": text()}
		s.Args.SetList([]string{text(), text(), text()})
		got, problems := ToSpec(FromSpec(s, "d", noon, 1))
		if len(problems) > 0 || !slices.Equal(got.Command, s.Command) || !cmp.Equal(got.Env, s.Env) || !slices.Equal(got.Args.List, s.Args.List) {
			t.Fatalf("%+v\n%+v %v", s, got, problems)
		}
	}
}

func TestWhatCannotBeReadIsSaidAtItsField(t *testing.T) {
	d := filled()
	d.Set("roles[0].gpus", "eight")
	d.Set("timeoutMinutes", "1.5")
	d.Set("submission.mode", "Queue")
	d.Set("submission.total", "99999999999")
	d.Set("command", "bash 'x")
	d.Set("env", "A=1\nnothing\nA=2\n\nB<<END\nx")
	_, problems := ToSpec(d)
	want := []string{"command ArgsUnclosed", "env FormEnvLine", "env.A FormEnvTwice", "env.B FormEnvUnclosed", "roles[0].gpus FormNotNumber", "submission.total FormNumberTooLong", "timeoutMinutes FormNotNumber"}
	if got := codes(problems); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if d.Get("roles[0].gpus") != "eight" {
		t.Error("what was typed is lost")
	}
	for text, want := range map[string]int{"": 5, " 8 ": 8, "１２": 12, "-1": -1, "－1": -1} {
		if n, ok := number(text, 5); n != want || !ok {
			t.Errorf("%q: %d %v", text, n, ok)
		}
	}
}

func TestNoProblemFollowsFromAnother(t *testing.T) {
	d := filled()
	d.Set("roles[0].gpus", "eight")
	d.Set("roles[1].replicas", "2")
	v := Check(d, &Context{Snapshot: place(8, 8, 8)})
	if got := codes(v.Errors); !slices.Equal(got, []string{"roles[0].gpus FormNotNumber"}) {
		t.Errorf("%q", got)
	}
}

func TestStock(t *testing.T) {
	cases := []struct {
		name          string
		free          []int
		nodes, gpus   string
		queue         bool
		known         bool
		errors, warns []string
	}{
		{"fits", []int{8, 8}, "2", "8", false, true, nil, nil},
		{"two pods on one node", []int{8, 0}, "2", "4", false, true, nil, nil},
		{"lacks", []int{8, 7}, "2", "8", false, true, []string{"roles[1].gpus StockLacks"}, nil},
		{"waits", []int{8, 7}, "2", "8", true, true, nil, []string{"roles[1].gpus StockWait"}},
		{"never, standalone", []int{8, 8}, "3", "8", false, true, []string{"roles[1].gpus StockNever"}, nil},
		{"never, queued", []int{8, 8}, "3", "8", true, true, []string{"roles[1].gpus StockNever"}, nil},
		{"unknown blocks nothing", []int{0, 0}, "2", "8", false, false, nil, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := filled()
			change(d, keyNodes, c.nodes)
			change(d, "roles[0].gpus", c.gpus)
			if c.queue {
				d.Set("submission.mode", "Queue")
				d.Set("submission.queue", "q")
			}
			view := place(c.free...)
			view.Stock[0].Known = c.known
			view.Stock[0].Missing = "list nodes"
			f := NewForm(&Context{Snapshot: view})
			f.Check(d)
			if got := codes(f.Verdict.Errors); !slices.Equal(got, c.errors) {
				t.Errorf("errors %q", got)
			}
			if got := codes(f.Verdict.Warnings); !slices.Equal(got, c.warns) {
				t.Errorf("warnings %q", got)
			}
			note := f.context.stockNote(f.Verdict.Resolved, 0)
			if !c.known && note.Key != "form.stock.unknown" {
				t.Errorf("note %v", note)
			}
		})
	}
}

func TestWhoMayNotSeeNodesIsTold(t *testing.T) {
	view := place(8)
	view.Stock = []stock.Stock{{Missing: "list nodes"}}
	f := NewForm(&Context{Snapshot: view})
	f.Check(filled())
	if note := f.context.stockNote(f.Verdict.Resolved, 0); note.Key != "form.stock.unknown" || note.Args["right"] != "list nodes" || !f.Verdict.OK() {
		t.Errorf("%v %v", note, f.Verdict.Errors)
	}
}

func TestBeforeTheClusterAnswersNothingIsSaidOfIt(t *testing.T) {
	d := filled()
	v := Check(d, &Context{Snapshot: snapshot.Snapshot{Facts: snapshot.Facts{Workspace: "research"}}})
	if !v.OK() || v.Reached {
		t.Errorf("%v %v", codes(v.Errors), v.Reached)
	}
	v = Check(d, &Context{})
	if got := codes(v.Errors); !slices.Equal(got, []string{"workspace FormNoWorkspace"}) {
		t.Errorf("%q", got)
	}
}

func TestRenderersRefusalsStandAtTheirFields(t *testing.T) {
	d := filled()
	render := func(s job.Spec, _ snapshot.Snapshot) (string, []job.Problem) {
		if s.SSH {
			return "", []job.Problem{{Path: "ssh", Code: "NotYet"}}
		}
		return "manifest of " + s.Name, nil
	}
	c := &Context{Snapshot: place(8), Render: render}
	f := NewForm(c)
	f.Check(d)
	if manifest, problems := f.Manifest(); !f.Verdict.OK() || len(problems) > 0 || manifest != "manifest of "+f.Verdict.Spec.Name {
		t.Errorf("%v %q", codes(f.Verdict.Errors), manifest)
	}
	d.Set("ssh", forms.On)
	f.Check(d)
	if manifest, problems := f.Manifest(); !slices.Equal(codes(problems), []string{"ssh NotYet"}) || manifest != "" {
		t.Errorf("%v %q", codes(problems), manifest)
	}
}

func TestTheManifestHasTheWholeScript(t *testing.T) {
	d := filled()
	script := strings.Repeat("echo 训练\n", 400)
	d.Set("args", script)
	longest := 0
	f := NewForm(&Context{Snapshot: place(8), Render: func(s job.Spec, _ snapshot.Snapshot) (string, []job.Problem) {
		longest = max(longest, len(s.Args.Text))
		return s.Args.Text, nil
	}})
	f.Check(d)
	if longest > outlined {
		t.Errorf("a key renders %d bytes", longest)
	}
	if manifest, _ := f.Manifest(); manifest != script {
		t.Errorf("the manifest has %d bytes of %d", len(manifest), len(script))
	}
}

func TestGeneratedNameStays(t *testing.T) {
	d := filled()
	first := Check(d, &Context{Snapshot: place(8)}).Spec.Name
	if !strings.HasPrefix(first, "pytorch-20261201-0930-") {
		t.Fatal(first)
	}
	d.Set("image", "other")
	if again := Check(d, &Context{Snapshot: place(8)}).Spec.Name; again != first {
		t.Errorf("%s, then %s", first, again)
	}
	other := New("e", noon, 8)
	if name := Check(other, &Context{Snapshot: place(8)}).Spec.Name; name == first {
		t.Error("two drafts have one name")
	}
	d.Set("name", "mine")
	if name := Check(d, &Context{Snapshot: place(8)}).Spec.Name; name != "mine" {
		t.Error(name)
	}
}

func TestFrameworksKeepTheirRoles(t *testing.T) {
	d := filled()
	change(d, keyNodes, "4")
	change(d, "framework", "TensorFlow")
	if names := column(d, "name"); !slices.Equal(names, []string{"worker", "chief", "ps", "evaluator"}) {
		t.Errorf("%q", names)
	}
	d.Set("roles[2].replicas", "2")
	change(d, "framework", "PyTorch")
	if got := column(d, "replicas"); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("PyTorch again: %q", got)
	}
	change(d, "framework", "TensorFlow")
	if got := column(d, "replicas"); !slices.Equal(got, []string{"1", "0", "2", "0"}) {
		t.Errorf("TensorFlow again: %q", got)
	}
	change(d, "framework", "Custom")
	if got := len(d.Tables[tableRoles]); got != 1 {
		t.Errorf("Custom has %d roles", got)
	}
}

func column(d *forms.Draft, name string) []string {
	var out []string
	for _, row := range d.Tables[tableRoles] {
		out = append(out, row[name])
	}
	return out
}

func TestSecrets(t *testing.T) {
	d := filled()
	d.AddRow(tableSecrets, 0, forms.Row{"name": "TOKEN"})
	d.AddRow(tableSecrets, 1, forms.Row{"name": "HOME_KEY"})
	d.AddRow(tableSecrets, 2, forms.Row{"name": "NONE"})
	d.SetSecret("secretEnv[0].value", "typed")
	getenv := func(k string) string { return map[string]string{"HOME_KEY": "env", "TOKEN": "other"}[k] }
	if got := SecretValues(d, getenv); !cmp.Equal(got, map[string]string{"TOKEN": "typed", "HOME_KEY": "env"}) {
		t.Errorf("%v", got)
	}
	v := Check(d, &Context{Snapshot: place(8), Getenv: getenv})
	if got := codes(v.Errors); !slices.Equal(got, []string{"secretEnv[2].value FormSecretNoValue"}) {
		t.Errorf("%q", got)
	}
}

func TestStorageOffKeepsTheMounts(t *testing.T) {
	d := New("d", noon, 1)
	d.Set("storage[0].volume", "nas")
	if s, _ := ToSpec(d); len(s.Storage) != 1 {
		t.Error("no mount")
	}
	d.Set(keyStorage, "")
	if s, _ := ToSpec(d); len(s.Storage) != 0 || d.Get("storage[0].volume") != "nas" {
		t.Error("mounts are not off, or lost")
	}
}

func TestEveryProblemOfTheSpecHasAField(t *testing.T) {
	f := NewForm(&Context{Snapshot: place(8)})
	d := filled()
	d.Set("resource", "Spot")
	d.Set("submission.mode", "Queue")
	d.Set(keyStorage, forms.On)
	d.AddRow(tableSecrets, 0, forms.Row{})
	d.AddRow(tableRules, 0, forms.Row{})
	for _, path := range []string{"name", "displayName", "workspace", "region", "zone", "network", "cluster", "resource", "preemptible", "framework",
		"image", "imagePullSecret", "command", "command[0]", "args", "args[1]", "env", "env.A", "secretEnv", "secretEnv[0]", "storage", "storage[0].volume",
		"storage[0].path", "storage[0].mountPath", "roles", "roles[0].name", "roles[0].replicas", "roles[1].gpus", "roles[0].cpu", "roles[0].memory",
		"roles[0].wholeNode", "cardType", "submission", "submission.mode", "submission.queue", "submission.total", "submission.concurrency", "priority",
		"faultTolerance.maxRestarts", "faultTolerance.rules", "faultTolerance.rules[0].exitCodes", "faultTolerance.rules[0].action",
		"faultTolerance.rules[0].placement", "timeoutMinutes", "gracePeriodSeconds", "sharedMemory", "cpuExclusive", "ssh", "tensorBoard.logDir"} {
		if _, ok := f.Schema.Find(d, path); !ok && path != "submission" {
			t.Errorf("%s has no field", path)
		}
	}
}

// Who is known to lack the right to create a job is told; what is not known blocks and warns of nothing.
func TestRightsToCreate(t *testing.T) {
	denied := []string{"create jobsets.jobset.x-k8s.io in namespace research", "create jobs.batch in namespace research", "list nodes"}
	for _, c := range []struct {
		name    string
		facts   snapshot.Facts
		draft   string // the workspace typed
		reached bool
		want    string
	}{
		{"may create nothing", snapshot.Facts{Workspace: "research", Denied: denied}, "", true, "jobsets.jobset.x-k8s.io, jobs.batch"},
		{"may create one kind", snapshot.Facts{Workspace: "research", Engines: []string{"job"}, Denied: denied[:1]}, "", true, ""},
		{"nothing is known", snapshot.Facts{Workspace: "research"}, "", true, ""},
		{"the right to create is not what lacks", snapshot.Facts{Workspace: "research", Denied: denied[2:]}, "", true, ""},
		{"another workspace is not known of", snapshot.Facts{Workspace: "research", Denied: denied}, "vision", true, ""},
		{"no answer yet", snapshot.Facts{Workspace: "research", Denied: denied}, "", false, ""},
	} {
		view := place(8)
		view.Facts = c.facts
		if !c.reached {
			view.Conn = snapshot.Connection{State: snapshot.Connecting}
		}
		d := filled()
		d.Set("workspace", c.draft)
		v := Check(d, &Context{Snapshot: view})
		got := ""
		for _, p := range v.Warnings {
			if p.Code == CodeMayNotCreate {
				got = p.Args["resources"]
				if p.Path != "workspace" || p.Args["workspace"] != "research" {
					t.Errorf("%s: %+v", c.name, p)
				}
			}
		}
		if got != c.want || !v.OK() {
			t.Errorf("%s: warns of %q, want %q; errors %v", c.name, got, c.want, v.Errors)
		}
	}
}

func TestArgumentsInTheSummary(t *testing.T) {
	for _, c := range []struct{ command, form, args, key, count string }{
		{"bash", argsText, "set -e\npython train.py\n", "form.review.script", "2"},
		{"bash", argsText, "python train.py", "form.review.script", "1"},
		{"bash -ec", argsText, "a\n\nb\n\n", "form.review.script", "3"},
		{"python", argsText, "train.py --epochs 2", "form.review.args", "3"},
		{"bash", argsList, "-c\n'a b'", "form.review.args", "2"},
		{"bash", argsText, "", "", ""},
	} {
		d := filled()
		for path, text := range map[string]string{"command": c.command, keyArgsForm: c.form, "args": c.args} {
			d.Set(path, text)
		}
		f := NewForm(&Context{Snapshot: place(8)})
		f.Check(d)
		var got forms.Said
		for _, l := range f.Summary(d) {
			if l.Label == "form.args" {
				got = l.Value
			}
		}
		if got.Key != c.key || got.Args["count"] != c.count {
			t.Errorf("%s %q: %v", c.command, c.args, got)
		}
	}
}

// A new form has storage on: whoever wants none is told how to switch it off, where the error stands.
func TestStorageWithoutAVolume(t *testing.T) {
	d := filled()
	d.Set(keyStorage, forms.On)
	if got := codes(Check(d, &Context{Snapshot: place(8)}).Errors); !slices.Contains(got, "storage[0].volume "+CodeNoVolume) {
		t.Errorf("%v", got)
	}
	d.AddRow(tableStorage, 1, forms.Row{"mountPath": "/data"})
	if got := codes(Check(d, &Context{Snapshot: place(8)}).Errors); !slices.Contains(got, "storage[1].volume "+job.CodeRequired) {
		t.Errorf("a mount that was added can be removed: %v", got)
	}
}

func TestFillIn(t *testing.T) {
	d := filled()
	for _, e := range Examples() {
		FillIn(d, e)
		s, problems := ToSpec(d)
		if len(problems) > 0 || s.Args.Text != e.Args || s.Framework != e.Framework {
			t.Errorf("%s: %v %q", e.Framework, problems, s.Args.Text)
		}
	}
}

func BenchmarkCheck100kArgs(b *testing.B) {
	d := filled()
	d.Set("args", strings.Repeat("echo 训练 x\n", 7000))
	c := &Context{Snapshot: place(8, 8, 8)}
	for b.Loop() {
		Check(d, c)
	}
}
