// Package jobview shows one job: why it is in its phase, its pods, the last lines of the one that failed, events,
// manifest and spec.
package jobview

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/action"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget"
)

// Backend is what the job view asks of a cluster; the job's status comes as nav.SnapshotMsg.
type Backend interface {
	Tail(ctx context.Context, workspace, pod string, lines int) ([]string, error)
	action.Backend
}

// The tabs.
const (
	podsTab = iota
	eventsTab
	manifestTab
	specTab
	tabCount
)

// Model is the job view.
type Model struct {
	nav.Outbox

	env     nav.Env
	backend Backend
	ctx     context.Context
	cancel  context.CancelFunc

	workspace, name string
	snap            snapshot.Snapshot
	status          job.Status
	found           bool // status was seen
	gone            bool // it was there, and is no more

	tab      int
	rows     []podRow
	pods     widget.Table
	events   widget.Pane
	manifest widget.Pane
	spec     widget.Pane

	details details
	tail    tail
	seen    bool // drawn since the last tick: on top of the other screens

	actions *action.Actions
	bodyTop int
	tabTop  int
}

// New returns the view of the job that open names.
func New(ctx context.Context, env nav.Env, backend Backend, snap snapshot.Snapshot, open nav.OpenJob) *Model {
	ctx, cancel := context.WithCancel(ctx)
	m := &Model{
		env: env, backend: backend, ctx: ctx, cancel: cancel,
		workspace: open.Workspace, name: open.Name,
	}
	m.actions = action.New(backend, &m.Outbox)
	m.events.SetWrap(true, 3)
	m.manifest.SetWrap(true, 5)
	m.spec.SetWrap(true, 5)
	m.setEnv(env)
	m.setSnapshot(snap)
	return m
}

// Init fetches the details, and the last lines of a pod that failed.
func (m *Model) Init() tea.Cmd { return tea.Batch(m.fetchDetails(), m.autoTail()) }

// Close ends requests that still run.
func (m *Model) Close() { m.cancel() }

// Typing is true while a question waits for its answer.
func (m *Model) Typing() bool { return m.actions.Asking() }

func (m *Model) setEnv(env nav.Env) {
	m.env = env
	m.pods.SetStyles(env.Styles)
	m.pods.SetColumns(m.podColumns())
	m.fillTexts()
}

// setSnapshot finds the job again: by its name, as its UID changes when it is made anew.
func (m *Model) setSnapshot(snap snapshot.Snapshot) (changed bool) {
	m.snap = snap
	m.actions.SetSnapshot(m.env, snap)
	for _, s := range snap.Jobs {
		if s.Name != m.name || s.Workspace != m.workspace {
			continue
		}
		changed = !m.found || m.gone || differs(m.status, s)
		m.status, m.found, m.gone = s, true, false
		m.fillPods()
		return changed
	}
	if snap.Conn.State == snapshot.Live && m.found {
		m.gone = true
	}
	return false
}

// differs tells whether events or the manifest may have changed too.
func differs(a, b job.Status) bool {
	if a.Phase != b.Phase || a.Restarts != b.Restarts || a.Reason != b.Reason || a.UID != b.UID || len(a.Roles) != len(b.Roles) {
		return true
	}
	for i := range a.Roles {
		if a.Roles[i].Ready != b.Roles[i].Ready || len(a.Roles[i].Pods) != len(b.Roles[i].Pods) {
			return true
		}
	}
	return false
}

// Update handles one message.
func (m *Model) Update(msg tea.Msg) (nav.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case nav.SnapshotMsg:
		if m.setSnapshot(msg.Snapshot) {
			return m, tea.Batch(m.fetchDetails(), m.autoTail())
		}
	case nav.EnvMsg:
		m.setEnv(msg.Env)
		m.fillPods()
	case nav.TickMsg:
		m.pods.Refresh()
		return m, m.tick()
	case detailsMsg:
		return m, m.gotDetails(msg)
	case tailMsg:
		m.gotTail(msg)
	case action.Done:
		m.actions.Finish(m.env, msg)
	case action.Details:
		m.actions.Cloned(m.env, msg, m.Typing())
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			m.mover().Move(-3)
		case tea.MouseWheelDown:
			m.mover().Move(3)
		}
	case tea.MouseClickMsg:
		m.click(msg)
	}
	return m, nil
}

func (m *Model) mover() widget.Mover {
	switch m.tab {
	case eventsTab:
		return &m.events
	case manifestTab:
		return &m.manifest
	case specTab:
		return &m.spec
	}
	return &m.pods
}

func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := m.env.Keys
	switch {
	case m.actions.Asking():
		return m.actions.Key(m.ctx, m.env, msg)
	case keys.Matches(msg, k.Back):
		return m.Send(nav.Close{})
	case keys.Matches(msg, k.NextTab):
		m.tab = (m.tab + 1) % tabCount
	case keys.Matches(msg, k.PreviousTab):
		m.tab = (m.tab + tabCount - 1) % tabCount
	case keys.Matches(msg, k.Tab1):
		m.tab = podsTab
	case keys.Matches(msg, k.Tab2):
		m.tab = eventsTab
	case keys.Matches(msg, k.Tab3):
		m.tab = manifestTab
	case keys.Matches(msg, k.Tab4):
		m.tab = specTab
	case keys.Matches(msg, k.Logs):
		return m.Send(nav.OpenLogs{Workspace: m.workspace, Job: m.name, Index: -1})
	case keys.Matches(msg, k.PodLogs):
		return m.podLogs()
	case keys.Matches(msg, k.Tail):
		return m.toggleTail()
	case keys.Matches(msg, k.Clone):
		return m.actions.Clone(m.ctx, m.workspace, m.name)
	case keys.Matches(msg, k.New):
		return m.Send(nav.NewJob{})
	case widget.Move(m.mover(), k, msg):
	default:
		if verb, ok := action.Verb(k, msg); ok {
			return m.ask(verb)
		}
	}
	return nil
}

func (m *Model) ask(verb snapshot.Verb) tea.Cmd {
	if !m.found || m.gone {
		return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("job.gone", "job", m.name)})
	}
	m.actions.Ask(m.env, verb, m.status)
	return nil
}

func (m *Model) podLogs() tea.Cmd {
	row, ok := m.selectedPod()
	if !ok || m.tab != podsTab {
		return m.Send(nav.OpenLogs{Workspace: m.workspace, Job: m.name, Index: -1})
	}
	return m.Send(nav.OpenLogs{Workspace: m.workspace, Job: m.name, Role: row.role, Index: row.pod.Index})
}

func (m *Model) click(msg tea.MouseClickMsg) {
	if msg.Button != tea.MouseLeft || m.actions.Asking() {
		return
	}
	if msg.Y == m.tabTop {
		if i := widget.TabAt(m.tabs(), msg.X); i >= 0 {
			m.tab = i
		}
		return
	}
	if m.tab == podsTab {
		if row := m.pods.RowAt(msg.Y - m.bodyTop); row >= 0 {
			m.pods.MoveTo(row)
		}
	}
}

func (m *Model) tabs() []widget.Tab {
	t := m.env.Texts
	tabs := []widget.Tab{
		{Title: t.T("tab.pods"), Count: strconv.Itoa(len(m.rows))},
		{Title: t.T("tab.events")},
		{Title: t.T("tab.manifest")},
		{Title: t.T("tab.spec")},
	}
	if n := len(m.details.value.Events); n > 0 {
		tabs[eventsTab].Count = strconv.Itoa(n)
	}
	return tabs
}

// Help tells the keys of the job view.
func (m *Model) Help() keys.Help {
	k := m.env.Keys
	return keys.Help{Title: "jobview.help", Groups: []keys.Group{
		{Title: "help.job", Bindings: []keys.Binding{
			k.Logs, k.PodLogs, k.Tail, k.Stop, k.Resume, k.Delete, k.Clone, k.New, k.NextTab, k.PreviousTab, k.Back,
		}},
		k.Movement(),
		k.Everywhere(),
	}}
}
