package wizard

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
	"muster.dev/muster/forms"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/nav"
)

func TestAJobByKeyboardAlone(t *testing.T) {
	s := open(t, options("en"))
	s.press("tab")
	s.typed("BERT 1")
	s.press("backspace", "backspace", "pgdown")
	s.typed("registry.local/ai/pytorch:25.06-py3")
	s.press("tab", "tab", "tab", "tab")
	s.typed("echo $RANK $$")
	s.press("enter", "ctrl+t")
	s.typed("date: $(date)")
	s.press("pgdown") // in a text of several lines a page is the text's
	s.press("alt+3", "down")
	s.press("enter", "enter") // picks the first volume
	s.press("alt+4", "down", "down")
	s.press("backspace", "3")
	spec := s.m.form.Verdict.Spec
	want := []string{"BERT", "registry.local/ai/pytorch:25.06-py3", "echo $RANK $$\n\tdate: $(date)", "nas-code", "/workspace"}
	got := []string{spec.DisplayName, spec.Image, spec.Args.Text, spec.Storage[0].Volume, spec.Storage[0].MountPath}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
	if spec.Roles[1].Replicas != 2 || !s.m.form.Verdict.OK() {
		t.Errorf("roles %+v, errors %v", spec.Roles, s.m.form.Verdict.Errors)
	}
	s.press("ctrl+s", "enter")
	if s.server.created() != 1 || len(s.sent) != 2 {
		t.Fatalf("%d created, sent %v", s.server.created(), s.sent)
	}
	if to, ok := s.sent[0].(nav.OpenJob); !ok || to.Name != spec.Name || to.Workspace != "research" || !to.Replace {
		t.Errorf("%+v", s.sent[0])
	}
	if s.server.requests[0].DryRun != submit.Server || s.server.requests[1].DryRun != submit.Real {
		t.Errorf("%+v", s.server.requests)
	}
}

func TestErrorsAreGoneToInsteadOfSubmitting(t *testing.T) {
	s := open(t, options("en"))
	s.m.section(6)
	s.press("ctrl+s")
	if s.m.dialog != nil || len(s.server.requests) != 0 || s.m.focus.Field != "image" || !strings.Contains(s.m.flash.text, "2 errors") {
		t.Errorf("%v %v %q", s.m.dialog, s.m.focus, s.m.flash.text)
	}
}

func TestTwiceIsOnce(t *testing.T) {
	s := open(t, options("en"))
	s.fill()
	s.hold = true // nothing is answered yet
	s.press("ctrl+s", "ctrl+s", "ctrl+s")
	s.press("enter", "enter", "ctrl+s", "enter")
	s.release()
	for range 3 {
		s.press("enter", "ctrl+s")
		s.release()
	}
	if n := s.server.created(); n != 1 {
		t.Errorf("created %d times", n)
	}
}

// release answers what was held back.
func (s *screen) release() {
	for len(s.held) > 0 {
		held := s.held
		s.held = nil
		for _, cmd := range held {
			if msg := cmd(); msg != nil {
				if batch, ok := msg.(tea.BatchMsg); ok {
					s.held = append(s.held, batch...)
					continue
				}
				s.message(msg)
			}
		}
	}
}

func TestARetryKeepsTheName(t *testing.T) {
	s := open(t, options("en"))
	s.fill()
	s.server.answers = []error{nil, context.DeadlineExceeded, nil, errors.New("reset")}
	s.press("ctrl+s", "enter")
	if s.m.asked == nil || s.m.asked.stage != failed {
		t.Fatal("the failure is not shown")
	}
	first := s.server.requests[1].Spec.Name
	s.press("esc")
	s.focus("displayName")
	s.typed("-2") // another display name would make another name
	s.press("ctrl+s", "enter", "enter")
	last := s.server.requests[len(s.server.requests)-1]
	if last.Spec.Name != first || last.DryRun != submit.Real || len(s.sent) != 2 {
		t.Errorf("%q then %q, sent %v", first, last.Spec.Name, s.sent)
	}
}

func TestRefusalsStandAtTheirFields(t *testing.T) {
	s := open(t, options("en"))
	s.fill()
	s.server.answers = []error{&submit.Refused{Problems: []job.Problem{
		{Path: "image", Code: "Cluster", Args: map[string]string{"message": "not from this registry"}},
		{Path: "", Code: "Cluster", Args: map[string]string{"message": "quota"}},
	}}}
	before := s.m.draft.Get("args")
	s.press("ctrl+s")
	if s.m.dialog != nil || s.m.focus.Field != "image" || len(s.m.problems.At["image"]) != 1 || s.m.draft.Get("args") != before {
		t.Fatalf("%v %v", s.m.focus, s.m.problems)
	}
	if s.m.errors[1] != 1 || s.m.errors[7] != 1 {
		t.Errorf("counted %v", s.m.errors)
	}
	s.typed("x")
	if len(s.m.problems.At["image"]) != 0 {
		t.Error("the refusal stays though the field changed")
	}
	s.press("ctrl+s", "enter")
	if s.server.created() != 1 {
		t.Error("a refusal of before keeps the job from being submitted")
	}
}

func TestLeavingWhileTheServerChecks(t *testing.T) {
	s := open(t, options("en"))
	s.fill()
	s.hold = true
	s.press("ctrl+s", "enter", "esc")
	s.hold = false
	s.release()
	if s.server.created() != 0 || s.m.dialog != nil {
		t.Errorf("created %d though it was left", s.server.created())
	}
}

// What was agreed to is what is created: when the cluster is another one by then, it is asked for anew.
func TestTheLastWordIsAboutWhatIsCreated(t *testing.T) {
	change := map[string]func(*snapshot.Snapshot){
		"workspace": func(v *snapshot.Snapshot) { v.Facts.Workspace = "vision" },
		"context":   func(v *snapshot.Snapshot) { v.Facts.Context = "a100-prod" },
		"site":      func(v *snapshot.Snapshot) { v.Site.Defaults.CPU = "7" },
	}
	for name, to := range change {
		for _, wanted := range []bool{false, true} {
			s := open(t, options("en"))
			s.fill()
			s.hold = wanted // confirmed while the server is still asked
			s.press("ctrl+s")
			if wanted {
				s.press("enter")
			}
			early := s.held
			s.hold, s.held = false, nil
			view := cluster()
			view.Volumes = append(view.Volumes, snapshot.Volume{Name: "nas-code", Workspace: "vision", Phase: "Bound"})
			to(&view)
			s.message(nav.SnapshotMsg{Snapshot: view})
			for _, cmd := range early {
				s.message(cmd()) // the answer about the cluster of before
			}
			if s.server.created() != 0 {
				t.Fatalf("%s: created after an answer about another cluster", name)
			}
			if s.m.asked == nil || s.m.asked.stage != ready || !s.m.asked.moved {
				t.Fatalf("%s: not asked again: %+v, errors %v", name, s.m.asked, s.m.form.Verdict.Errors)
			}
			if frame := s.frame(120, 30); !strings.Contains(frame, "changed under this question") || name == "workspace" && !strings.Contains(frame, "in vision:") {
				t.Errorf("%s: not said:\n%s", name, frame)
			}
			s.press("enter")
			last := s.server.requests[len(s.server.requests)-1]
			if s.server.created() != 1 || last.Spec.Workspace != s.m.form.Verdict.Spec.Workspace {
				t.Errorf("%s: created %d, %+v", name, s.server.created(), last.Spec)
			}
		}
	}

	// Agreed to again while the new question runs: the answer to the old one creates nothing.
	asked := open(t, options("en"))
	asked.fill()
	asked.hold = true
	asked.press("ctrl+s")
	early := asked.held
	asked.held = nil
	moved := cluster()
	moved.Facts.Context = "a100-prod"
	asked.message(nav.SnapshotMsg{Snapshot: moved})
	asked.press("enter")
	again := asked.held
	asked.hold, asked.held = false, nil
	for _, cmd := range early {
		asked.message(cmd())
	}
	if asked.server.created() != 0 {
		t.Error("created after the answer to the question of before")
	}
	for _, cmd := range again {
		asked.message(cmd())
	}
	if asked.server.created() != 1 {
		t.Errorf("created %d", asked.server.created())
	}

	// What moves all the time (stock, queues, volumes) asks nothing anew.
	s := open(t, options("en"))
	s.fill()
	s.m.draft.Set("cluster", "h100-ib")
	s.m.check()
	s.press("ctrl+s")
	view := cluster()
	view.Stock, view.Queues[0].Pending = nil, 99
	s.message(nav.SnapshotMsg{Snapshot: view})
	if len(s.server.requests) != 1 || s.m.asked.moved {
		t.Errorf("%d requests, %+v", len(s.server.requests), s.m.asked)
	}

	// Where the draft makes no job any more, the form says why.
	view = cluster()
	view.Site.Clusters = []site.Cluster{{Name: "cpu-only"}}
	view.Site.DefaultCluster = "cpu-only"
	s.message(nav.SnapshotMsg{Snapshot: view})
	if s.m.form.Verdict.OK() || s.m.dialog != nil || s.m.asked != nil || s.m.flash.text == "" {
		t.Errorf("errors %v, dialog %v", s.m.form.Verdict.Errors, s.m.dialog)
	}
}

func TestPasteNeverMovesOrSubmits(t *testing.T) {
	hundred := strings.Repeat("x\ry\n\x1b[A\t训", 7000)
	s := open(t, quick(options("en")))
	for section := range s.m.form.Schema.Sections {
		stops, _ := s.m.form.Schema.Stops(s.m.draft, section)
		for _, stop := range stops {
			s := open(t, quick(options("en")))
			s.m.enter(stop)
			s.message(tea.PasteMsg{Content: hundred})
			if s.m.focus != stop || s.m.dialog != nil || len(s.server.requests) != 0 || len(s.sent) != 0 {
				t.Fatalf("%v: focus %v, dialog %v, sent %v", stop, s.m.focus, s.m.dialog, s.sent)
			}
			whole(t, s.m, 80, 24)
		}
	}
	s.focus("framework")
	s.press("enter")
	s.message(tea.PasteMsg{Content: "tensor\r\n"})
	if p, ok := s.m.dialog.(*picker); !ok || p.filter.Value() != "tensor" {
		t.Error("a paste did not go to the filter")
	}
	s.press("enter")
	if s.m.draft.Get("framework") != "TensorFlow" {
		t.Errorf("%q", s.m.draft.Get("framework"))
	}
}

func TestTables(t *testing.T) {
	s := open(t, options("en"))
	s.focus("storage[0].volume")
	s.press("ctrl+x")
	if len(s.m.draft.Tables["storage"]) != 1 || s.m.flash.text == "" {
		t.Error("the main mount was removed")
	}
	s.press("ctrl+n")
	s.typed("nas-data")
	s.press("right", "right")
	s.typed("/data")
	if got := s.m.draft.Get("storage[1].mountPath"); got != "/data" {
		t.Errorf("%q", got)
	}
	s.press("ctrl+x")
	if len(s.m.draft.Tables["storage"]) != 1 || s.m.focus.Row != 0 {
		t.Errorf("%v", s.m.focus)
	}
	s.focus("roles[1].gpus")
	s.press("ctrl+n", "ctrl+x")
	if len(s.m.draft.Tables["roles"]) != 2 {
		t.Error("a framework's role was added or removed")
	}
}

func TestLanguageAndClusterChangeUnderTheHand(t *testing.T) {
	s := open(t, options("en"))
	s.focus("displayName")
	s.typed("b")
	env := s.m.env
	env.Texts = i18n.New(i18n.Chinese)
	s.message(nav.EnvMsg{Env: env})
	view := cluster()
	view.Volumes, view.Queues, view.Stock = nil, nil, nil
	s.message(nav.SnapshotMsg{Snapshot: view})
	s.typed("c")
	if s.m.draft.Get("displayName") != "bc" || !strings.Contains(s.m.View(80, 24), "基本信息") {
		t.Error("typing or language is lost")
	}
	s.m.section(2)
	if frame := s.m.View(80, 24); !strings.Contains(frame, "没有可用的存储卷") {
		t.Error(frame)
	}
}

func TestMouse(t *testing.T) {
	s := open(t, options("en"))
	s.frame(80, 24)
	s.message(tea.MouseClickMsg{X: 4, Y: 5, Button: tea.MouseLeft})
	if s.m.focus.Section != 3 {
		t.Fatalf("%v", s.m.focus)
	}
	s.frame(80, 24)
	for i := range s.m.frame.hits {
		h := s.m.frame.hits[i]
		s.message(tea.MouseClickMsg{X: h.x0, Y: h.y, Button: tea.MouseLeft})
		if s.m.focus.Field != h.stop.Field {
			t.Errorf("clicked %v, at %v", h.stop, s.m.focus)
		}
		s.m.dialog = nil
		s.m.enter(forms.Stop{Section: 3, Cell: forms.Cell{Field: "cluster", Row: -1}})
		s.frame(80, 24)
	}
	s.message(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if s.m.focus.Field != "cardType" {
		t.Errorf("%v", s.m.focus)
	}
}

func TestEveryCellOfTheScreenIsReachedByTab(t *testing.T) {
	s := open(t, options("en"))
	seen := map[forms.Stop]bool{}
	for range 200 {
		seen[s.m.focus] = true
		s.press("tab")
	}
	for section := range s.m.form.Schema.Sections {
		stops, _ := s.m.form.Schema.Stops(s.m.draft, section)
		for _, stop := range stops {
			if !seen[stop] {
				t.Errorf("%v is not reached", stop)
			}
		}
	}
}

func TestANumberIsTypedAnew(t *testing.T) {
	for _, c := range []struct{ path, keys, want string }{
		{"form.nodes", "3", "3"},
		{"form.nodes", "end 3", "13"},
		{"form.nodes", "3 2", "32"},
		{"roles[0].gpus", "2", "2"},
		{"sharedMemory", "8", "8"},
		{"image", "b", "ab"}, // a text is edited
	} {
		s := open(t, quick(options("en")))
		for path, value := range map[string]string{"form.nodes": "1", "sharedMemory": "64Gi", "image": "a"} {
			s.m.setAt(path, value)
		}
		s.m.check()
		s.focus(c.path)
		s.press(strings.Fields(c.keys)...)
		if got := s.m.draft.Get(c.path); got != c.want {
			t.Errorf("%s: %s makes %q, want %q", c.path, c.keys, got, c.want)
		}
	}
}

func TestTheManifestIsPagedAsTextIs(t *testing.T) {
	s := open(t, options("en"))
	s.fill()
	s.press("ctrl+p")
	title := func() string {
		return strings.Split(s.frame(80, 24), "\n")[2] + strings.Split(s.frame(80, 24), "\n")[1]
	}
	top := title()
	for _, c := range []struct{ away, back string }{{"G", "g"}, {"end", "home"}, {"ctrl+d", "ctrl+u"}, {"pgdown", "pgup"}, {"j", "k"}} {
		s.press(c.away)
		if title() == top {
			t.Errorf("%s moves nothing", c.away)
		}
		s.press(c.back)
		if got := title(); got != top {
			t.Errorf("%s after %s: %q, want %q", c.back, c.away, got, top)
		}
	}
}

func TestTheWholeReviewCanBeReached(t *testing.T) {
	for _, filled := range []bool{false, true} {
		s := open(t, options("en"))
		if filled {
			s.fill()
		}
		s.m.section(7)
		for range 6 {
			s.press("down")
		}
		if frame := s.frame(80, 18); !strings.Contains(frame, "Limits") || !strings.Contains(frame, "ctrl+p manifest") {
			t.Errorf("filled %v: the end is not shown:\n%s", filled, frame)
		}
		for s.m.reviewAt > 0 {
			s.press("up")
		}
		if frame := s.frame(80, 18); !strings.Contains(frame, "Name  ") && filled || !strings.Contains(frame, "Image") {
			t.Errorf("filled %v: the beginning is not shown again:\n%s", filled, frame)
		}
	}
}

func TestAfterTheCursorWasMovedADefaultIsChangedNotReplaced(t *testing.T) {
	for _, c := range []struct{ move, typed, want string }{
		{"end", "7", "432007"}, {"home", "7", "743200"}, {"left", "7", "432070"}, {"", "7", "7"}, {"end", "", ""},
	} {
		s := open(t, options("en"))
		s.focus("timeoutMinutes")
		if c.move != "" {
			s.press(c.move)
		}
		s.typed(c.typed)
		if got := s.m.draft.Get("timeoutMinutes"); got != c.want {
			t.Errorf("%s, then %q: %q, want %q", c.move, c.typed, got, c.want)
		}
	}
}
