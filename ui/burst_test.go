package ui

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/nav"
)

// stack names the screens, the one on top last.
func stack(m *Model) string {
	names := make([]string, len(m.screens))
	for i, s := range m.screens {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(typeName(s), "*"), ".Model")
	}
	return strings.Join(names, " ")
}

// typed is what reached a screen from the keyboard.
func (r *recorder) typed() string {
	var got []string
	for _, msg := range r.got {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			got = append(got, msg.String())
		case tea.PasteMsg:
			got = append(got, "paste:"+msg.Content)
		}
	}
	return strings.Join(got, " ")
}

func (h *harness) withForm(screens ...nav.Screen) (opened *int) {
	opened = new(int)
	h.m.config.Wizard = func(context.Context, nav.Env, snapshot.Snapshot, nav.NewJob) nav.Screen {
		*opened++
		return screens[*opened-1]
	}
	return opened
}

// Every key is for the screen that the keys before it opened or left, however late commands are run.
func TestKeysInABurst(t *testing.T) {
	for delay := range 6 {
		for _, c := range []struct {
			keys, stack, form string
			quit              bool
		}{
			{keys: "n d enter", stack: "dashboard ui.recorder", form: "d enter"},
			{keys: "n d y", stack: "dashboard ui.recorder", form: "d y"},
			{keys: "enter n d y", stack: "dashboard jobview ui.recorder", form: "d y"},
			{keys: "enter enter", stack: "dashboard jobview logview"}, // the second is for the pod that is selected
			{keys: "enter l q q", stack: "dashboard"},
			{keys: "enter esc esc esc", stack: "dashboard"},
			{keys: "enter l esc esc esc esc", stack: "dashboard"},
			{keys: "enter q n x", stack: "dashboard ui.recorder", form: "x"},
			{keys: "l q j j d enter", stack: "dashboard"},
			{keys: "q d y", stack: "dashboard", quit: true}, // nothing is done on the way out
			{keys: "ctrl+c d y", stack: "dashboard", quit: true},
		} {
			h := newHarness(t, "en", 80, 24, fixture.Snapshot())
			r := &recorder{typing: true}
			h.withForm(r)
			h.delay = delay
			h.press(c.keys)
			h.catchUp()
			if got := stack(h.m); got != c.stack || h.quit != c.quit || r.typed() != c.form {
				t.Errorf("%q, delay %d: screens %q, form %q, quit %v", c.keys, delay, got, r.typed(), h.quit)
			}
			if done := h.backend.Done(); len(done) > 0 {
				t.Errorf("%q, delay %d: did %v", c.keys, delay, done)
			}
		}
	}
}

func TestAPasteBehindAKeyIsForTheNewScreen(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	r := &recorder{typing: true}
	h.withForm(r)
	h.delay = 3
	h.press("n")
	h.send(tea.PasteMsg{Content: "python train.py"})
	h.catchUp()
	if got := r.typed(); got != "paste:python train.py" {
		t.Errorf("the form got %q", got)
	}
}

// Late commands change nothing about where one is. Left out are c, which opens the form when its answer comes, and s,
// which writes a file in the log view.
func TestWhereOneIsDoesNotDependOnWhenCommandsRun(t *testing.T) {
	all := fields("j k g G tab enter enter esc esc q n x / a d l l t r w p 1 2 ? f1 f2 up down")
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		keys := make([]string, 40)
		for i := range keys {
			keys[i] = all[r.IntN(len(all))]
		}
		var first string
		for _, delay := range []int{0, 1, 3, 50} {
			h := newHarness(t, "en", 80, 24, fixture.Snapshot())
			h.m.config.Wizard = nil
			h.delay = delay
			for i, k := range keys {
				h.press(k)
				if h.m.leaving {
					keys = keys[:i+1]
				}
			}
			h.catchUp()
			got := fmt.Sprint(stack(h.m), h.m.leaving, h.m.top().Typing(), h.m.overlay != nil, h.backend.Done())
			if delay == 0 {
				first = got
			} else if got != first {
				t.Errorf("seed %d, delay %d: %s; at once: %s\nkeys %v", seed, delay, got, first, keys)
			}
		}
	}
}

func TestAnAnswerThatIsLateOpensNothingOverWhatOneDoes(t *testing.T) {
	for _, c := range []struct {
		keys, stack string
		opened      int
	}{
		{"c", "dashboard ui.recorder", 1},
		{"c j", "dashboard ui.recorder", 1},
		{"c c c", "dashboard ui.recorder", 1},
		{"c n", "dashboard ui.recorder", 1}, // the form that n opened, and no other over it
		{"c enter", "dashboard jobview", 0},
		{"c / w h e", "dashboard", 0},
		{"c w v i", "dashboard", 0},
		{"c d", "dashboard", 0},
		{"enter c l", "dashboard jobview logview", 0},
		{"enter c q", "dashboard", 0},
	} {
		h := newHarness(t, "en", 80, 24, fixture.Snapshot())
		opened := h.withForm(&recorder{typing: true}, &recorder{}, &recorder{})
		h.delay = 20
		h.press(c.keys)
		h.catchUp()
		if got := stack(h.m); got != c.stack || *opened != c.opened {
			t.Errorf("%q: %d forms, screens %q", c.keys, *opened, got)
		}
		if done := h.backend.Done(); len(done) > 0 {
			t.Errorf("%q did %v", c.keys, done)
		}
	}
}

func TestAScreenThatIsNotOnTopOpensAndClosesNothing(t *testing.T) {
	h, r := withRecorder(t)
	h.ask(nav.OpenLogs{Workspace: "research", Job: "bert-ft-0412", Index: -1})
	from := func(s nav.Screen, intents ...nav.Intent) { h.settle(h.m.apply(s, intents)) }
	from(r, nav.Close{}, nav.NewJob{}, nav.OpenLogs{Job: "x", Index: -1}, nav.OpenJob{Workspace: "research", Name: "whisper-eval"})
	from(h.m.screens[0], nav.Close{})
	if got := stack(h.m); got != "dashboard ui.recorder logview" || r.closed != 0 || h.quit {
		t.Fatalf("screens %q, closed %d, quit %v", got, r.closed, h.quit)
	}
	// A place is its screen's to give, also below another.
	from(r, nav.OpenJob{Workspace: "research", Name: "bert-ft-0412", Replace: true}, nav.Notify{Level: nav.Done, Text: "it is made"})
	if got := stack(h.m); got != "dashboard jobview logview" || r.closed != 1 {
		t.Fatalf("screens %q, closed %d", got, r.closed)
	}
	h.shows("it is made")
	from(r, nav.Close{}, nav.OpenJob{Workspace: "research", Name: "bert-ft-0412", Replace: true})
	if got := stack(h.m); got != "dashboard jobview logview" || r.closed != 1 {
		t.Errorf("a screen that is gone: %q, closed %d", got, r.closed)
	}
	h.press("esc esc")
	if got := stack(h.m); got != "dashboard" || h.quit {
		t.Errorf("screens %q, quit %v", got, h.quit)
	}
}

// The same through bubbletea itself, with bytes that come in one read.
func TestBurstsOfBytes(t *testing.T) {
	for _, c := range []struct{ bytes, stack, form string }{
		{"nd\r", "dashboard ui.recorder", "d enter"},
		{"n\x1b[200~python train.py\x1b[201~", "dashboard ui.recorder", "paste:python train.py"},
		{"\r\r", "dashboard jobview logview", ""},
		{"\rlqq", "dashboard", ""},
		{"\rlqqnx", "dashboard ui.recorder", "x"}, // muster is still there
		{"qdy", "dashboard", ""},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		backend := &fixture.Backend{}
		m := New(ctx, Config{Backend: backend, Texts: i18n.New("en"), Theme: themes.Dark, Now: fixture.Now, Width: 80, Height: 24})
		r := &recorder{typing: true}
		m.config.Wizard = func(context.Context, nav.Env, snapshot.Snapshot, nav.NewJob) nav.Screen { return r }
		m.snap = fixture.Snapshot() // jobs are there before the first key
		m.broadcast(nav.SnapshotMsg{Snapshot: m.snap})
		_, err := tea.NewProgram(m, tea.WithInput(strings.NewReader(c.bytes+"\x03")), tea.WithOutput(io.Discard),
			tea.WithoutSignalHandler(), tea.WithWindowSize(80, 24)).Run()
		if err != nil {
			t.Fatalf("%q: %v", c.bytes, err)
		}
		if got := stack(m); got != c.stack || r.typed() != c.form {
			t.Errorf("%q: screens %q, form %q", c.bytes, got, r.typed())
		}
		if done := backend.Done(); len(done) > 0 {
			t.Errorf("%q: did %v", c.bytes, done)
		}
		m.closeAll()
		cancel()
	}
}
