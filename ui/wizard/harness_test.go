package wizard

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/stock"
	"muster.dev/muster/backend/submit"
	"muster.dev/muster/forms"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
)

var update = flag.Bool("update", false, "write the golden files anew")

var morning = time.Date(2026, 12, 1, 12, 4, 31, 0, time.UTC)

// cluster is a research site with two training clusters; on the first three nodes are free and one is not.
func cluster() snapshot.Snapshot {
	node := func(name string, free int) stock.Node {
		return stock.Node{Name: name, Total: 8, Free: free, FreeCPU: int64(free) * 12000, FreeMemory: int64(free) << 37, Schedulable: true}
	}
	return snapshot.Snapshot{
		Workspaces: []string{"research", "vision"},
		Conn:       snapshot.Connection{State: snapshot.Live, Since: morning, Fresh: morning},
		Facts:      snapshot.Facts{Workspace: "research", Context: "h100-prod", User: "alice", Engines: []string{"jobset", "job"}, Kueue: true},
		Site: site.Site{
			DefaultCluster: "h100-ib",
			Clusters: []site.Cluster{
				{Name: "h100-ib", RDMA: site.RDMA{Resource: "rdma/hca", PerCard: 1}, CardTypes: []site.CardType{
					{Name: "H100-80G", PerNode: 8, CPUPerCard: "12", MemoryPerCard: "120Gi", NodeCPU: "96", NodeMemory: "1000Gi"}}},
				{Name: "a100-roce", CardTypes: []site.CardType{{Name: "A100-40G", PerNode: 8, CPUPerCard: "8", MemoryPerCard: "60Gi"}}},
			},
			Defaults:   site.Defaults{CPU: "4", Memory: "16Gi", SharedMemory: "64Gi"},
			Priorities: []site.Priority{{Level: job.Normal}, {Level: job.High}, {Level: job.Highest}},
			Images: []site.Image{{Name: "registry.local/ai/pytorch:25.06-py3", Framework: "PyTorch", CUDA: "12.9", Python: "3.12"},
				{Name: "registry.local/ai/tensorflow:2.19", Framework: "TensorFlow"}},
		},
		Volumes: []snapshot.Volume{{Name: "nas-code", Workspace: "research", Capacity: "10Ti", Phase: "Bound"},
			{Name: "nas-data", Workspace: "research", Capacity: "100Ti", Phase: "Bound"}},
		Queues: []queue.Queue{{Name: "research", Workspace: "research", Active: true, Pending: 3, Admitted: 2}, {Name: "nightly", Workspace: "research", Active: true}},
		Stock: []stock.Stock{{Cluster: "h100-ib", CardType: "H100-80G", Total: 40, Free: 28, Known: true,
			Nodes: []stock.Node{node("n1", 8), node("n2", 8), node("n3", 8), node("n4", 2), node("n5", 2)}}},
	}
}

// server answers submissions from a list; past its end it creates.
type server struct {
	requests []submit.Request
	answers  []error
}

func (s *server) Submit(_ context.Context, r submit.Request) (submit.Result, error) {
	n := len(s.requests)
	s.requests = append(s.requests, r)
	if n < len(s.answers) && s.answers[n] != nil {
		return submit.Result{}, s.answers[n]
	}
	return submit.Result{Workspace: r.Spec.Workspace, Name: r.Spec.Name, Engine: "jobset"}, nil
}

// created counts the submissions that were no dry-run.
func (s *server) created() int {
	n := 0
	for _, r := range s.requests {
		if r.DryRun == submit.Real {
			n++
		}
	}
	return n
}

// screen drives the form as the root does.
type screen struct {
	t      testing.TB
	m      *Model
	server *server
	sent   []nav.Intent // what the form asked of the root
	held   []tea.Cmd    // submissions that are not answered yet, while hold is set
	hold   bool
}

// watched is a catalogue of which no text may lack an argument.
func watched(lang string) *i18n.Texts {
	return i18n.New(lang).Watched(func(key, argument string) { panic(key + " has no " + argument) })
}

func options(lang string) Options {
	seed := uint64(41)
	return Options{
		Env:      nav.Env{Texts: watched(lang), Styles: themes.New(themes.None), Keys: keys.Default(), Now: func() time.Time { return morning }},
		Snapshot: cluster(), Submitter: &server{},
		Random: func() uint64 { seed++; return seed },
		Render: func(s job.Spec, view snapshot.Snapshot) (string, []job.Problem) {
			out, problems := render.Render("jobset", render.Input{Spec: s, Site: view.Site, User: "alice"})
			if len(problems) > 0 {
				return "", problems
			}
			text, err := render.ListYAML(render.Redact(out))
			if err != nil {
				return "", []job.Problem{{Code: "Cluster", Args: map[string]string{"message": err.Error()}}}
			}
			return string(text), nil
		},
	}
}

func open(t testing.TB, o Options) *screen {
	s := &screen{t: t, m: New(o), server: o.Submitter.(*server)}
	s.run(s.m.Init())
	s.m.View(80, 24)
	return s
}

// quick leaves the manifest's text out: it is not looked at, and under the race detector it takes most of the time.
func quick(o Options) Options {
	o.Render = func(s job.Spec, view snapshot.Snapshot) (string, []job.Problem) {
		_, problems := render.Render("jobset", render.Input{Spec: s, Site: view.Site})
		return "manifest", problems
	}
	return o
}

// run executes a command and hands its messages on, as bubbletea does.
func (s *screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if s.hold {
		s.held = append(s.held, cmd)
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	default:
		s.message(msg)
	}
}

func (s *screen) message(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.sent = append(s.sent, s.m.Take()...)
	s.run(cmd)
}

// press sends keystrokes: names, or text that is typed.
func (s *screen) press(strokes ...string) {
	for _, stroke := range strokes {
		s.message(key(stroke))
	}
}

func (s *screen) typed(text string) {
	for _, r := range text {
		s.message(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func key(stroke string) tea.KeyPressMsg {
	var k tea.Key
	rest := stroke
	for {
		switch {
		case strings.HasPrefix(rest, "ctrl+"):
			k.Mod |= tea.ModCtrl
			rest = rest[5:]
			continue
		case strings.HasPrefix(rest, "alt+"):
			k.Mod |= tea.ModAlt
			rest = rest[4:]
			continue
		case strings.HasPrefix(rest, "shift+"):
			k.Mod |= tea.ModShift
			rest = rest[6:]
			continue
		}
		break
	}
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown}
	switch code, ok := codes[rest]; {
	case ok:
		k.Code = code
	case rest == "space":
		k.Code, k.Text = ' ', " "
	default:
		k.Code = []rune(rest)[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	return tea.KeyPressMsg(k)
}

// fill makes the draft one that nothing is wrong with.
func (s *screen) fill() {
	d := s.m.draft
	d.Set("displayName", "BERT-预训练")
	d.Set("image", "registry.local/ai/pytorch:25.06-py3")
	d.Set("args", "set -e\ntorchrun train.py $RANK $$ $(date)\n")
	d.Set("env", "LR=3e-4")
	d.Set("storage[0].volume", "nas-code")
	s.m.pristine = false
	s.m.check()
	s.m.load()
	s.m.dirty = true
}

// go to a stop by its path.
func (s *screen) focus(path string) {
	stop, ok := s.m.form.Schema.Find(s.m.draft, path)
	if !ok {
		s.t.Fatalf("no field %s", path)
	}
	s.m.enter(s.m.form.Schema.Settle(s.m.draft, stop))
}

func (s *screen) frame(width, height int) string {
	s.m.dirty = true
	return s.m.View(width, height)
}

// golden compares a frame with a file, the cursor marked below it.
func golden(t *testing.T, name, frame string) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test -update", err)
	}
	if string(want) != got {
		t.Errorf("%s differs:\n%s", path, got)
	}
}

// whole checks what every frame must satisfy.
func whole(t testing.TB, m *Model, width, height int) {
	t.Helper()
	m.dirty = true
	frame := m.View(width, height)
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		t.Fatalf("%d×%d: %d lines", width, height, len(lines))
	}
	for i, line := range lines {
		if w, g := ansi.StringWidthWc(line), ansi.StringWidth(line); w > width || g > width {
			t.Fatalf("%d×%d: line %d is %d or %d wide: %q", width, height, i, w, g, line)
		}
		for _, r := range ansi.Strip(line) {
			if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%d×%d: line %d holds %U", width, height, i, r)
			}
		}
	}
	if c := m.Cursor(); c != nil && (c.X < 0 || c.Y < 0 || c.X >= width || c.Y >= height) {
		t.Fatalf("%d×%d: cursor at %d,%d", width, height, c.X, c.Y)
	}
}

func store(t testing.TB) *forms.Store {
	return forms.NewStore(filepath.Join(t.TempDir(), "drafts"))
}
