package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/ui/dashboard"
	"muster.dev/muster/ui/jobview"
	"muster.dev/muster/ui/logview"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/words"
)

// apply does what a screen asked for, before the next message is looked at.
func (m *Model) apply(by nav.Screen, intents []nav.Intent) tea.Cmd {
	var cmds []tea.Cmd
	var said []nav.Notify
	for _, intent := range intents {
		switch intent := intent.(type) {
		case nav.Notify:
			said = append(said, intent)
		case nav.SetWorkspace:
			said = append(said, m.setWorkspace(intent.Name, "workspace.switching"))
		default:
			cmd, notices := m.move(by, intent)
			cmds = append(cmds, cmd)
			said = append(said, notices...)
		}
	}
	m.say(said)
	return tea.Batch(cmds...)
}

// move opens and closes screens. What a screen asks that is not on top any more concerns a stack that is gone, so
// nothing comes of it: but a screen's place is its own to give.
func (m *Model) move(by nav.Screen, intent nav.Intent) (tea.Cmd, []nav.Notify) {
	open, isJob := intent.(nav.OpenJob)
	if by != m.top() && !(isJob && open.Replace) {
		return nil, nil
	}
	switch intent := intent.(type) {
	case nav.OpenJob:
		return m.openJob(by, intent)
	case nav.OpenLogs:
		return m.push(logview.New(m.ctx, m.env, m.config.Backend, m.snap, intent)), nil
	case nav.NewJob:
		if m.config.Wizard == nil {
			return nil, []nav.Notify{{Level: nav.Failed, Text: m.env.T("wizard.none")}}
		}
		return m.push(m.config.Wizard(m.ctx, m.env, m.snap, intent)), nil
	case nav.Close:
		if len(m.screens) == 1 {
			return m.leave(), nil
		}
		m.pop()
	}
	return nil, nil
}

// openJob puts the view of a job on top, or in the place of the screen that asks. The dashboard keeps its place.
func (m *Model) openJob(by nav.Screen, open nav.OpenJob) (tea.Cmd, []nav.Notify) {
	at := slices.Index(m.screens, by)
	if at < 0 {
		return nil, nil
	}
	var said []nav.Notify
	if watched := m.snap.Facts.Workspace; watched != "" && open.Workspace != "" && open.Workspace != watched {
		said = append(said, m.setWorkspace(open.Workspace, "workspace.followed"))
	}
	view := jobview.New(m.ctx, m.env, m.config.Backend, m.snap, open)
	if home, ok := m.screens[0].(*dashboard.Model); ok && open.Replace {
		home.Select(open.Workspace, open.Name)
	}
	if !open.Replace || at == 0 {
		return m.push(view), said
	}
	if by == m.top() {
		m.overlay = nil
	}
	by.Close()
	m.screens[at] = view
	return view.Init(), said
}

// setWorkspace watches another workspace and returns the notice that says so. It waits for nothing.
func (m *Model) setWorkspace(name, key string) nav.Notify {
	m.config.Backend.SetWorkspace(name)
	return nav.Notify{Level: nav.Info, Text: m.env.T(key, "workspace", words.Workspace(m.env.Texts, name))}
}

// say shows what came of one message in one notice, as long as what matters most in it.
func (m *Model) say(notices []nav.Notify) {
	if len(notices) == 0 {
		return
	}
	all := notices[0]
	for _, n := range notices[1:] {
		all.Level = max(all.Level, n.Level)
		all.Text += " " + n.Text
	}
	m.notify(all)
}

func (m *Model) push(s nav.Screen) tea.Cmd {
	m.screens = append(m.screens, s)
	m.overlay = nil
	return s.Init()
}

func (m *Model) pop() {
	m.top().Close()
	m.screens = m.screens[:len(m.screens)-1]
	m.overlay = nil
}

// leave ends muster. bubbletea comes to it after keys that were typed already.
func (m *Model) leave() tea.Cmd {
	m.leaving = true
	return tea.Quit
}
