package ui

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/nav"
)

func TestActionsAskFirstAndHappenOnce(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("d")
	h.shows("Delete this job?", "research/bert-ft-0412")
	h.press("d d x j") // a key pressed twice is no yes
	if got := h.backend.Done(); len(got) != 0 {
		t.Fatalf("done without a yes: %v", got)
	}
	h.press("esc")
	h.hides("Delete this job?")
	h.press("s y")
	h.press("j j d enter") // enter is the default, and that is no
	h.hides("Delete this job?")
	h.press("d y")
	if got := strings.Join(h.backend.Done(), ","); got != "stop research/bert-ft-0412 u1,delete research/whisper-eval u3" {
		t.Errorf("done %q", got)
	}
	h.shows("whisper-eval is deleted")
}

func TestAQuestionIsAboutTheJobItWasAskedFor(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("d")
	snap := fixture.Snapshot()
	snap.Jobs = append(fixture.Many(3), snap.Jobs...) // the list moves under the dialog
	h.snapshot(snap)
	h.press("y")
	if got := strings.Join(h.backend.Done(), ","); got != "delete research/bert-ft-0412 u1" {
		t.Errorf("done %q", got)
	}
}

// A question whose job is gone is no question about another job that has its name.
func TestAQuestionGoesWithItsJob(t *testing.T) {
	for _, open := range []string{"d", "enter d"} {
		h := newHarness(t, "en", 80, 24, fixture.Snapshot())
		h.press(open)
		snap := fixture.Snapshot()
		snap.Jobs, snap.Conn.State = nil, snapshot.Connecting
		h.snapshot(snap)
		h.shows("Delete this job?") // nobody says that it is gone
		snap = fixture.Snapshot()
		snap.Jobs[0].Phase = job.Restarting
		h.snapshot(snap)
		h.shows("Delete this job?", "(Restarting)")
		snap = fixture.Snapshot()
		snap.Jobs[0].UID = "another"
		h.snapshot(snap)
		h.hides("Delete this job?")
		h.shows("bert-ft-0412 is not there any more: nothing was done.")
		h.press("y")
		if got := h.backend.Done(); len(got) > 0 {
			t.Errorf("%q: did %v", open, got)
		}
	}
}

func TestAJobOfAnotherWorkspaceIsFollowedThere(t *testing.T) {
	h, r := withRecorder(t)
	h.settle(h.m.apply(r, []nav.Intent{
		nav.OpenJob{Workspace: "vision", Name: "made-there", Replace: true}, nav.Notify{Level: nav.Done, Text: "made-there is created"},
	}))
	h.shows("vision ▸ made-there", "Workspace: vision, where the job is.", "made-there is created")
	if got := strings.Join(h.backend.Workspaces(), ","); got != "vision" {
		t.Fatalf("watched %q", got)
	}
	snap := fixture.Snapshot()
	snap.Facts.Workspace = "vision"
	snap.Jobs = snap.Jobs[:1]
	snap.Jobs[0].Workspace, snap.Jobs[0].Name = "vision", "made-there"
	h.snapshot(snap)
	h.shows("Running · all pods run")

	for _, watched := range []string{"research", ""} { // "" is all of them
		h, r = withRecorder(t)
		h.m.snap.Facts.Workspace = watched
		h.settle(h.m.apply(r, []nav.Intent{nav.OpenJob{Workspace: "research", Name: "bert-ft-0412", Replace: true}}))
		if got := h.backend.Workspaces(); len(got) > 0 {
			t.Errorf("%q watched: switched to %v", watched, got)
		}
	}
}

func TestActionsThatMakeNoSenseAreRefusedInWords(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("j j s")
	h.shows("whisper-eval is over (Failed): there is nothing to stop.")
	h.press("g r")
	h.shows("bert-ft-0412 is not stopped (Running): there is nothing to resume.")
	h.press("j j j j j r y")
	if got := strings.Join(h.backend.Done(), ","); got != "resume research/stopped-one u6" {
		t.Errorf("done %q", got)
	}
	empty := fixture.Snapshot()
	empty.Jobs = nil
	h.snapshot(empty)
	h.press("d")
	h.shows("There is no job to do that to.")
}

func TestAnActionThatFailsSaysWhichAndWhy(t *testing.T) {
	h := newHarness(t, "en", 200, 24, fixture.Snapshot())
	h.backend.DoError = errors.New(`jobsets.jobset.x-k8s.io "bert-ft-0412" is forbidden: User "alice" cannot delete resource "jobsets"`)
	h.press("d y")
	h.shows(`Could not delete research/bert-ft-0412: jobsets.jobset.x-k8s.io "bert-ft-0412" is forbidden: User "alice" cannot delete`)
	h.backend.DoError = nil
	h.press("d y") // it can be tried again
	h.shows("bert-ft-0412 is deleted")
}

// finding is an error of the backend that has a text in the catalogue.
type finding struct{ problem job.Problem }

func (f finding) Error() string        { return "code " + f.problem.Code }
func (f finding) Problem() job.Problem { return f.problem }

func TestAFindingOfTheBackendIsSaidInTheUsersLanguage(t *testing.T) {
	replaced := finding{job.Problem{Code: "Replaced", Args: map[string]string{"name": "bert-ft-0412", "workspace": "research"}}}
	for lang, want := range map[string]string{"en": "another job now has the name bert-ft-0412", "zh": "现在有另一个名为 bert-ft-0412 的任务"} {
		h := newHarness(t, lang, 200, 24, fixture.Snapshot())
		h.backend.DoError = fmt.Errorf("research: %w", replaced)
		h.press("d y")
		h.shows(want)
		h.backend.DoError = finding{job.Problem{Code: "Unheard"}} // without a text its own words are shown
		h.press("d y")
		h.shows("code Unheard")
	}
}

func TestCloneBringsTheSpecOrSaysWhyNot(t *testing.T) {
	h, r := withRecorder(t)
	h.ask(nav.Close{})
	opened := 0
	wizard := h.m.config.Wizard
	h.m.config.Wizard = func(ctx context.Context, env nav.Env, s snapshot.Snapshot, request nav.NewJob) nav.Screen {
		opened++
		if request.Spec == nil || request.From != "bert-ft-0412" {
			t.Errorf("request %+v", request)
		}
		return wizard(ctx, env, s, request)
	}
	h.press("c")
	if opened != 1 || h.m.top() != nav.Screen(r) {
		t.Fatalf("opened %d forms", opened)
	}
	h.ask(nav.Close{})
	h.press("/ v e r y enter c")
	h.shows("was not made by muster")
	if opened != 1 {
		t.Error("a form was opened for a job without a spec")
	}
}

func TestSelectionStaysWithTheJob(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("j j")
	snap := fixture.Snapshot()
	snap.Jobs = append(fixture.Many(3), snap.Jobs...)
	h.snapshot(snap)
	h.press("enter")
	h.shows("▸ whisper-eval")
}

func TestANewJobUnderAnOldNameIsAnotherRow(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	snap := fixture.Snapshot()
	again := snap.Jobs[0]
	again.UID, again.Phase = "another", job.Queued
	snap.Jobs = append([]job.Status{again}, snap.Jobs...)
	h.snapshot(snap)
	h.shows("made 3h00m ago · alice · jobset · h100-ib") // still the running one
	h.shows("bert-ft-0412 · BERT-预训练  Running")
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		typed, shown, hidden string
	}{
		{"w h e", "whisper-eval", "bert-ft"},
		{"语 音", "whisper-eval", "bert-ft"},
		{"m p i", "timed-out", "llama"},
		{"b o b", "whisper-eval", "llama"},
		{"q u e u e d", "llama-sweep", "whisper"},
		{"b r t f", "bert-ft-0412", "whisper"},
	} {
		h := newHarness(t, "en", 120, 24, fixture.Snapshot())
		h.press("/ " + c.typed)
		h.shows(c.shown)
		h.hides(c.hidden)
		h.press("enter esc")
		h.shows("Jobs 8  ")
	}
	h := newHarness(t, "en", 120, 24, fixture.Snapshot())
	h.press("/")
	h.send(tea.PasteMsg{Content: "whisper\nd\ny\n"})
	if got := h.backend.Done(); len(got) > 0 {
		t.Errorf("what was pasted did %v", got)
	}
	h.shows("/ whisper d y")
}

func TestPastingIntoAListDoesNothing(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	before := h.frame()
	h.send(tea.PasteMsg{Content: "dy\nq\n"})
	if h.quit || len(h.backend.Done()) > 0 || h.frame() != before {
		t.Error("a paste acted like keys")
	}
}

func TestMineNeedsAUser(t *testing.T) {
	h := newHarness(t, "en", 120, 24, fixture.Snapshot())
	h.press("m")
	h.hides("whisper-eval")
	h.shows("bert-ft-0412", "mine")
	snap := fixture.Snapshot()
	snap.Facts.User = ""
	h = newHarness(t, "en", 120, 24, snap)
	h.press("m")
	h.shows("The cluster does not say who you are", "whisper-eval")
}

func TestAgesGoOn(t *testing.T) {
	h := newHarness(t, "en", 200, 24, fixture.Snapshot())
	now := fixture.Now()
	h.m.config.Now = func() time.Time { return now }
	h.m.env.Now = h.m.config.Now
	h.settle(h.m.broadcast(nav.EnvMsg{Env: h.m.env}))
	h.shows("live, <5s", "2h14m")
	now = now.Add(6 * time.Minute)
	h.send(nav.TickMsg{Now: now})
	h.shows("live, 6m", "2h20m")
}

func TestJobViewShowsTheEndOfTheFailedPod(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("j j enter")
	h.shows("exit 3 (general error), worker-1 on h100-2", "last lines of worker-1", "RuntimeError: NCCL communicator was aborted")
	if strings.Contains(h.m.View().Content, "]0;owned") {
		t.Error("an escape sequence of the log is on the screen")
	}
	h.press("t")
	h.hides("last lines of")
	h.press("k t")
	h.shows("last lines of worker-0")
}

func TestJobViewFollowsTheJob(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("enter")
	h.shows("Running · all pods run")
	snap := fixture.Snapshot()
	snap.Jobs[0].Phase, snap.Jobs[0].Reason = job.Failed, "ExitCode"
	code := 3
	snap.Jobs[0].ExitCode, snap.Jobs[0].FailedPod = &code, snap.Jobs[0].Roles[1].Pods[2].Name
	snap.Jobs[0].Roles[1].Pods[2].Phase, snap.Jobs[0].Roles[1].Pods[2].ExitCode = "Failed", &code
	h.snapshot(snap)
	h.shows("exit 3 (general error), worker-2 on h100-2", "last lines of worker-2", "RuntimeError")
	snap.Jobs = snap.Jobs[1:]
	h.snapshot(snap)
	h.shows("is not there any more", "worker-2")
	h.press("d")
	h.shows("bert-ft-0412 is not there any more")
	h.press("esc")
	h.shows("Jobs 7")
}

func TestAConnectionThatIsGoneIsNoEndOfTheJob(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("enter")
	snap := fixture.Snapshot()
	snap.Jobs = nil
	snap.Conn = snapshot.Connection{State: snapshot.Stale, Error: "connection refused", Fresh: fixture.Now().Add(-time.Minute)}
	h.snapshot(snap)
	h.hides("is not there any more")
	h.shows("stale 1m: connection refused, retrying", "Running")
}

func TestLogsAreAskedForAsMeant(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.press("l esc enter j enter esc l r w o r k e r - 2 enter p")
	var got []string
	for _, r := range h.backend.Requests() {
		s := r.Job + "/" + r.Role
		if r.Index >= 0 {
			s += string(rune('0' + r.Index))
		}
		if r.Follow {
			s += " follow"
		}
		if r.Previous {
			s += " previous"
		}
		got = append(got, s)
	}
	want := "bert-ft-0412/ follow;bert-ft-0412/worker0 follow;bert-ft-0412/ follow;bert-ft-0412/worker2 follow;bert-ft-0412/worker2 previous"
	if s := strings.Join(got, ";"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestManyJobsStayQuick(t *testing.T) {
	snap := fixture.Snapshot()
	snap.Jobs = fixture.Many(10_000)
	h := newHarness(t, "en", 200, 50, snap)
	h.press("G")
	h.shows("sweep-09999", "Jobs 10000")
	h.press("/ 0 4 2 4 2")
	h.hides("sweep-00001")
}

func BenchmarkKeyToFrame(b *testing.B) {
	snap := fixture.Snapshot()
	snap.Jobs = fixture.Many(10_000)
	h := newHarness(&testing.T{}, "zh", 200, 50, snap)
	key := keyPress("j")
	for b.Loop() {
		h.m.Update(key)
		h.m.View()
	}
}

func BenchmarkSnapshotToFrame(b *testing.B) {
	snap := fixture.Snapshot()
	snap.Jobs = fixture.Many(10_000)
	h := newHarness(&testing.T{}, "en", 200, 50, snap)
	for b.Loop() {
		h.m.broadcast(nav.SnapshotMsg{Snapshot: snap})
		h.m.View()
	}
}

func TestANewJobIsSelectedOnTheWayBack(t *testing.T) {
	for _, c := range []struct {
		name, before string // keys on the dashboard before the job comes
		want         string
	}{
		{"comes later", "", "made-now"},
		{"the user chose another one meanwhile", "j", "oom-victim"},
	} {
		snap := fixture.Snapshot()
		h := newHarness(t, "en", 120, 30, snap)
		h.press("j j 2")
		h.ask(nav.OpenJob{Workspace: "research", Name: "made-now", Replace: true})
		h.press("esc")
		h.frame()
		h.press(c.before)
		snap.Jobs = append([]job.Status{{Name: "made-now", Workspace: "research", UID: "new", Phase: job.Starting}}, snap.Jobs...)
		h.snapshot(snap)
		h.press("enter")
		if frame := h.frame(); !strings.Contains(frame, "research ▸ "+c.want) {
			t.Errorf("%s: not %s is open:\n%s", c.name, c.want, frame)
		}
	}
}

func TestALongNoticeIsShownWhole(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	path := "/a/long/home/of/somebody/.local/state/muster/logs/pytorch-20261201-with-a-name-that-goes-on-20261201-120000.log"
	h.ask(nav.Notify{Level: nav.Kept, Text: "Saved 12345 lines to " + path})
	lines := strings.Split(h.frame(), "\n")
	said := ""
	for _, line := range lines[len(lines)-3:] {
		said += strings.TrimSpace(line)
	}
	if !strings.Contains(said, path) {
		t.Errorf("cut:\n%s", h.frame())
	}
}

func TestALongManifestSaysWhichLinesAreShown(t *testing.T) {
	h := newHarness(t, "en", 80, 10, fixture.Snapshot())
	h.press("enter 3")
	h.frame()
	h.shows("1–")
	h.press("G")
	h.frame()
	if f := h.frame(); !regexp.MustCompile(`\d+–(\d+) of (\d+)`).MatchString(f) || strings.Contains(f, " 1–") {
		t.Errorf("no position:\n%s", f)
	}
	h.press("1")
	if strings.Contains(h.frame(), "–7 of") {
		t.Errorf("a position on the tab of pods:\n%s", h.frame())
	}
}
