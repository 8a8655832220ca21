package jobview

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
)

// asked notes of which pods the last lines were asked for.
type asked struct {
	fixture.Backend
	pods []string
}

func (a *asked) Tail(_ context.Context, _, pod string, _ int) ([]string, error) {
	a.pods = append(a.pods, pod)
	return []string{"of " + pod}, nil
}

func with(pods ...job.PodStatus) snapshot.Snapshot {
	return snapshot.Snapshot{
		Conn: snapshot.Connection{State: snapshot.Live},
		Jobs: []job.Status{{Name: "j", Workspace: "research", Phase: job.Running, Roles: []job.RoleStatus{{Name: "worker", Pods: pods}}}},
	}
}

// tailing is the view of a job whose pod's last lines are open.
func tailing(t *testing.T, pods ...job.PodStatus) (*Model, *asked) {
	backend := &asked{}
	env := nav.Env{Texts: i18n.New(i18n.English), Styles: themes.New(themes.None), Keys: keys.Default(), Now: fixture.Now}
	m := New(context.Background(), env, backend, with(pods...), nav.OpenJob{Workspace: "research", Name: "j"})
	t.Cleanup(m.Close)
	answer(m, m.toggleTail())
	m.View(80, 24)
	return m, backend
}

// answer runs the requests that a command makes.
func answer(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			answer(m, c)
		}
	case tailMsg:
		m.Update(msg)
	}
}

// pass lets seconds pass; seen: the view is on top.
func pass(m *Model, seconds int, seen bool) {
	for range seconds {
		_, cmd := m.Update(nav.TickMsg{})
		answer(m, cmd)
		if seen {
			m.View(80, 24)
		}
	}
}

func TestTheTailFollowsToThePodThatTakesThePlace(t *testing.T) {
	other := job.PodStatus{Name: "worker-1-a", Index: 1}
	m, backend := tailing(t, job.PodStatus{Name: "worker-0-a"}, other)
	pass(m, 2*tailEvery, true)
	if got := strings.Join(backend.pods, " "); got != "worker-0-a worker-0-a worker-0-a" {
		t.Fatalf("asked for %s", got)
	}
	m.Update(nav.SnapshotMsg{Snapshot: with(other)}) // deleted, and not yet made anew
	pass(m, 3*tailEvery, true)
	if len(backend.pods) != 3 || !strings.Contains(ansi.Strip(m.View(80, 24)), "This pod is gone") {
		t.Errorf("a pod that is gone is asked for: %v", backend.pods)
	}
	m.Update(nav.SnapshotMsg{Snapshot: with(job.PodStatus{Name: "worker-0-b"}, other)})
	pass(m, 1, true)
	if got := backend.pods[len(backend.pods)-1]; got != "worker-0-b" || !strings.Contains(ansi.Strip(m.View(80, 24)), "of worker-0-b") {
		t.Errorf("asked for %v:\n%s", backend.pods, ansi.Strip(m.View(80, 24)))
	}
}

func TestTheTailOfAPodThatFailedStays(t *testing.T) {
	m, backend := tailing(t, job.PodStatus{Name: "worker-0-a"}, job.PodStatus{Name: "worker-1-a", Index: 1})
	m.tail.pinned = true
	m.Update(nav.SnapshotMsg{Snapshot: with(job.PodStatus{Name: "worker-0-b"}, job.PodStatus{Name: "worker-1-a", Index: 1})})
	pass(m, 3*tailEvery, true)
	f := ansi.Strip(m.View(80, 24))
	if len(backend.pods) != 1 || !strings.Contains(f, "of worker-0-a") || !strings.Contains(f, "This pod is gone") {
		t.Errorf("asked for %v:\n%s", backend.pods, f)
	}
}

func TestNothingIsAskedForWhileAnotherScreenIsOnTop(t *testing.T) {
	m, backend := tailing(t, job.PodStatus{Name: "worker-0-a"})
	pass(m, 1, false)
	pass(m, 10*tailEvery, false)
	if len(backend.pods) != 1 {
		t.Errorf("asked for %v", backend.pods)
	}
	m.View(80, 24)
	pass(m, 1, true) // back again: at once
	if len(backend.pods) != 2 {
		t.Errorf("asked for %v", backend.pods)
	}
	// What a pod that ended wrote does not change.
	now := time.Now()
	m.Update(nav.SnapshotMsg{Snapshot: with(job.PodStatus{Name: "worker-0-a", Finished: &now})})
	pass(m, 10*tailEvery, true)
	if len(backend.pods) != 3 { // once more, to the end
		t.Errorf("asked for %v", backend.pods)
	}
}
