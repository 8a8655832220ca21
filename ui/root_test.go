package ui

import (
	"context"
	"errors"
	"image/color"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
)

// recorder is a screen that notes what reaches it.
type recorder struct {
	nav.Outbox

	got    []tea.Msg
	typing bool
	closed int
}

func (*recorder) Init() tea.Cmd { return nil }
func (r *recorder) Update(msg tea.Msg) (nav.Screen, tea.Cmd) {
	r.got = append(r.got, msg)
	return r, nil
}
func (*recorder) View(int, int) string { return "recorder" }
func (*recorder) Help() keys.Help      { return keys.Help{Title: "app"} }
func (r *recorder) Typing() bool       { return r.typing }
func (r *recorder) Close()             { r.closed++ }

func withRecorder(t *testing.T) (*harness, *recorder) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	r := &recorder{}
	h.m.config.Wizard = func(context.Context, nav.Env, snapshot.Snapshot, nav.NewJob) nav.Screen { return r }
	h.press("n")
	if h.m.top() != nav.Screen(r) {
		t.Fatal("the form did not open")
	}
	r.got = nil
	return h, r
}

func TestKeysGoToTheScreenOnTopOnly(t *testing.T) {
	h, r := withRecorder(t)
	h.press("j d x")
	if len(r.got) != 3 {
		t.Errorf("%d messages, want 3: %v", len(r.got), r.got)
	}
	h.send(nav.SnapshotMsg{Snapshot: fixture.Snapshot()})
	if _, ok := r.got[len(r.got)-1].(nav.SnapshotMsg); !ok {
		t.Error("a snapshot did not arrive")
	}
	if d := h.backend.Done(); len(d) > 0 {
		t.Errorf("a key for the form did %v to a job", d)
	}
}

func TestGlobalKeysWhileTyping(t *testing.T) {
	h, r := withRecorder(t)
	r.typing = true
	h.press("? q")
	if len(r.got) != 2 || h.m.overlay != nil {
		t.Errorf("typed text was taken away: %v", r.got)
	}
	h.press("f1")
	if h.m.overlay == nil {
		t.Error("f1 does not open the keys while typing")
	}
	h.press("x")
	if h.m.overlay != nil || len(r.got) != 2 {
		t.Error("the key that closes the overlay reached the screen, or did not close it")
	}
	h.press("ctrl+c")
	if !h.quit {
		t.Error("ctrl+c does not quit")
	}
}

func TestLateAnswersOfTheTerminalDoNotLeak(t *testing.T) {
	h, r := withRecorder(t)
	h.m.theme = themes.Auto
	h.send(tea.BackgroundColorMsg{Color: color.White})
	if h.m.env.Styles.Name != themes.Light {
		t.Errorf("theme %q on a white background", h.m.env.Styles.Name)
	}
	for _, msg := range r.got {
		if _, ok := msg.(nav.EnvMsg); !ok {
			t.Errorf("%T reached the screen", msg)
		}
	}
	h.m.theme = themes.Dark
	h.m.env.Styles = h.m.styles()
	h.send(tea.BackgroundColorMsg{Color: color.Black})
	h.send(tea.BackgroundColorMsg{Color: color.White})
	h.send(tea.BackgroundColorMsg{})
	if h.m.env.Styles.Name != themes.Dark {
		t.Error("an answer changed a theme that was chosen")
	}
}

func TestCloseAndQuit(t *testing.T) {
	h, r := withRecorder(t)
	h.ask(nav.Close{})
	if r.closed != 1 || len(h.m.screens) != 1 || h.quit {
		t.Errorf("closed %d times, %d screens left, quit %v", r.closed, len(h.m.screens), h.quit)
	}
	h.press("q")
	if !h.quit {
		t.Error("q on the dashboard does not quit")
	}
	h, r = withRecorder(t)
	h.m.closeAll()
	if r.closed != 1 {
		t.Error("a screen was not closed at the end")
	}
}

func TestAfterSubmissionTheJobTakesTheFormsPlace(t *testing.T) {
	h, r := withRecorder(t)
	h.ask(nav.OpenJob{Workspace: "research", Name: "bert-ft-0412", Replace: true})
	if r.closed != 1 || len(h.m.screens) != 2 {
		t.Errorf("closed %d, screens %d", r.closed, len(h.m.screens))
	}
	h.shows("research ▸ bert-ft-0412", "worker-2")
	h.press("esc")
	h.shows("Jobs 8")
}

func TestLanguageAndThemeSwitch(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("enter f2")
	h.shows("运行中", "全部 Pod", "事件")
	h.press("esc")
	h.shows("任务 8")
	h.press("f2")
	h.shows("Jobs 8")
	for range themes.Names() {
		h.press("f3")
	}
	if h.m.theme != themes.Dark {
		t.Errorf("all themes once round end at %q", h.m.theme)
	}
}

func TestNotices(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.ask(nav.Notify{Level: nav.Failed, Text: "broken\x1b[2J"})
	h.shows("broken")
	h.send(nav.TickMsg{Now: fixture.Now()})
	h.shows("broken")
	h.press("j")
	h.hides("broken")
	now := fixture.Now()
	h.m.config.Now = func() time.Time { return now }
	h.ask(nav.Notify{Level: nav.Done, Text: "it worked"})
	h.shows("it worked")
	now = now.Add(noticeFor + time.Second)
	h.send(nav.TickMsg{Now: now})
	h.hides("it worked")
}

func TestTooSmall(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.send(tea.WindowSizeMsg{Width: 19, Height: 24})
	h.shows("too", "small")
	h.press("d y")
	h.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if d := h.backend.Done(); len(d) != 0 {
		t.Errorf("keys at an unseen screen did %v", d)
	}
	h.shows("Jobs 8")
}

func TestFirstFrameNeedsNoAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := New(ctx, Config{
		Backend: &fixture.Backend{}, Texts: newHarness(t, "en", 80, 24, snapshot.Snapshot{}).m.env.Texts, Theme: themes.None,
		Now: fixture.Now, Width: 80, Height: 24,
	})
	frame := m.View().Content
	for _, want := range []string{"muster", "connecting", "n already opens the form"} {
		if !strings.Contains(frame, want) {
			t.Errorf("%q is not in the first frame:\n%s", want, frame)
		}
	}
}

func TestWindowTitleIsClean(t *testing.T) {
	snap := fixture.Snapshot()
	snap.Facts.Context, snap.Facts.Workspace = fixture.Hostile, fixture.Hostile
	h := newHarness(t, "en", 80, 24, snap)
	if title := h.m.View().WindowTitle; strings.ContainsAny(title, "\x1b\x07\u009b\n\u202e") || !strings.HasPrefix(title, "muster") {
		t.Errorf("title %q", title)
	}
}

func TestWatchThatEndsIsSaid(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.m.config.Backend = failing{h.backend}
	h.m.Init()
	for range 3 {
		msg := h.m.watch.Next()()
		_, cmd := h.m.Update(msg)
		_ = cmd
	}
	h.shows("The watch of the cluster ended: no luck")
}

type failing struct{ *fixture.Backend }

func (failing) Watch(context.Context, func(snapshot.Snapshot)) error { return errors.New("no luck") }

func TestWorkspaceSwitchReachesTheBackend(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("w v i s enter")
	h.press("w n e w - o n e enter")
	h.press("w up up up enter")
	got := strings.Join(h.backend.Workspaces(), ",")
	if got != "vision,new-one," {
		t.Errorf("workspaces %q", got)
	}
}

// No key means two things on one screen, and every key in the footer and the overlay does something there.
func TestNoKeyTwice(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	open := map[string]string{"dashboard": "", "job": "enter", "logs": "esc l"}
	for name, keysTo := range open {
		h.press(keysTo)
		seen := map[string]string{}
		for _, group := range h.m.top().Help().Groups {
			for _, b := range group.Bindings {
				for _, k := range b.Keys() {
					if other, twice := seen[k]; twice && other != b.Help().Desc {
						t.Errorf("%s: %q is %s and %s", name, k, other, b.Help().Desc)
					}
					seen[k] = b.Help().Desc
				}
			}
		}
	}
}
