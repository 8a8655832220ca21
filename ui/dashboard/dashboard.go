// Package dashboard is the first screen: jobs, queues and the stock of cards.
package dashboard

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/action"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget"
)

// Backend is what the dashboard does to jobs. What it shows comes as nav.SnapshotMsg.
type Backend = action.Backend

// The tabs.
const (
	jobsTab = iota
	queuesTab
	stockTab
	tabCount
)

// Model is the dashboard.
type Model struct {
	nav.Outbox

	env    nav.Env
	ctx    context.Context
	cancel context.CancelFunc

	snap   snapshot.Snapshot
	tab    int
	jobs   jobs
	queues queues
	stock  stock

	picker  *widget.Picker
	actions *action.Actions

	bodyTop int // the line where the table began in the last View
}

// New returns the dashboard. Its actions end with ctx.
func New(ctx context.Context, env nav.Env, backend Backend, snap snapshot.Snapshot) *Model {
	ctx, cancel := context.WithCancel(ctx)
	m := &Model{env: env, ctx: ctx, cancel: cancel}
	m.actions = action.New(backend, &m.Outbox)
	m.jobs.preview = true
	m.setEnv(env)
	m.setSnapshot(snap)
	return m
}

// Init has nothing to start: the root watches the cluster.
func (m *Model) Init() tea.Cmd { return nil }

// Close ends actions that still run.
func (m *Model) Close() { m.cancel() }

// Typing is true while the filter or the workspace's name is typed.
func (m *Model) Typing() bool { return m.picker != nil || m.actions.Asking() || m.jobs.typing }

// Select selects a job, also one that is yet to come: who made one and comes back looks for it.
func (m *Model) Select(workspace, name string) {
	m.tab = jobsTab
	m.jobs.wishFor(workspace, name)
}

func (m *Model) setEnv(env nav.Env) {
	m.env = env
	m.jobs.setEnv(env)
	m.queues.setEnv(env)
	m.stock.setEnv(env)
	if m.picker != nil {
		m.picker.SetTexts(env.Styles, env.T("workspace.title"), env.T("workspace.hint"))
	}
}

func (m *Model) setSnapshot(snap snapshot.Snapshot) {
	m.snap = snap
	m.jobs.set(snap)
	m.queues.set(snap)
	m.stock.set(snap)
	m.actions.SetSnapshot(m.env, snap)
	if m.picker != nil {
		m.picker.SetChoices(m.workspaces())
	}
}

// Update handles one message.
func (m *Model) Update(msg tea.Msg) (nav.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case nav.SnapshotMsg:
		m.setSnapshot(msg.Snapshot)
	case nav.EnvMsg:
		m.setEnv(msg.Env)
		m.setSnapshot(m.snap)
	case nav.TickMsg:
		m.jobs.tick()
		m.queues.tick()
	case action.Done:
		m.actions.Finish(m.env, msg)
	case action.Details:
		m.actions.Cloned(m.env, msg, m.Typing())
	case tea.PasteMsg:
		m.paste(msg)
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.jobs.wish = ""
		return m, m.click(msg)
	}
	return m, nil
}

func (m *Model) paste(msg tea.PasteMsg) {
	switch {
	case m.picker != nil:
		m.pickerUpdate(msg)
	case m.jobs.typing:
		m.jobs.edit(msg)
	}
}

func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := m.env.Keys
	m.jobs.wish = "" // the selection is the user's from now on
	switch {
	case m.actions.Asking():
		return m.actions.Key(m.ctx, m.env, msg)
	case m.picker != nil:
		return m.pickerUpdate(msg)
	case m.jobs.typing:
		m.filterKey(msg)
		return nil
	case keys.Matches(msg, k.NextTab):
		m.tab = (m.tab + 1) % tabCount
	case keys.Matches(msg, k.PreviousTab):
		m.tab = (m.tab + tabCount - 1) % tabCount
	case keys.Matches(msg, k.Tab1):
		m.tab = jobsTab
	case keys.Matches(msg, k.Tab2):
		m.tab = queuesTab
	case keys.Matches(msg, k.Tab3):
		m.tab = stockTab
	case keys.Matches(msg, k.Workspace):
		m.openPicker()
	case keys.Matches(msg, k.New):
		return m.Send(nav.NewJob{})
	case keys.Matches(msg, k.Quit):
		return m.Send(nav.Close{})
	case widget.Move(m.table(), k, msg):
	case m.tab == jobsTab:
		return m.jobKey(msg)
	}
	return nil
}

func (m *Model) table() *widget.Table {
	switch m.tab {
	case queuesTab:
		return &m.queues.table
	case stockTab:
		return &m.stock.table
	}
	return &m.jobs.table
}

func (m *Model) wheel(msg tea.MouseWheelMsg) {
	if m.Typing() {
		return
	}
	switch msg.Button {
	case tea.MouseWheelUp:
		m.table().Move(-3)
	case tea.MouseWheelDown:
		m.table().Move(3)
	}
}

func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if m.Typing() || msg.Button != tea.MouseLeft {
		return nil
	}
	if msg.Y == 1 {
		if i := widget.TabAt(m.tabs(), msg.X); i >= 0 {
			m.tab = i
		}
		return nil
	}
	table := m.table()
	if row := table.RowAt(msg.Y - m.bodyTop); row >= 0 {
		if row == table.Index() && m.tab == jobsTab {
			return m.open()
		}
		table.MoveTo(row)
	}
	return nil
}

// Help tells the keys of the dashboard.
func (m *Model) Help() keys.Help {
	k := m.env.Keys
	return keys.Help{Title: "dashboard.help", Groups: []keys.Group{
		{Title: "help.jobs", Bindings: []keys.Binding{
			k.Open, k.Logs, k.New, k.Clone, k.Stop, k.Resume, k.Delete,
		}},
		{Title: "help.list", Bindings: []keys.Binding{
			k.Filter, k.Sort, k.SortReverse, k.Mine, k.Workspace, k.Preview, k.NextTab, k.PreviousTab, k.Quit,
		}},
		k.Movement(),
		k.Everywhere(),
	}}
}
