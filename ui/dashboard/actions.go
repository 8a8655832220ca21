package dashboard

import (
	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/action"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
)

// jobKey handles the keys that are about the selected job.
func (m *Model) jobKey(msg tea.KeyPressMsg) tea.Cmd {
	k, t := m.env.Keys, m.env.Texts
	switch {
	case keys.Matches(msg, k.Filter):
		m.jobs.typing = true
		return nil
	case msg.String() == "esc":
		m.jobs.prompt.Set("")
		m.jobs.arrange()
		return nil
	case keys.Matches(msg, k.Sort):
		m.jobs.sort = (m.jobs.sort + 1) % sortKeys
		m.jobs.reverse = false
		m.jobs.columns()
		m.jobs.arrange()
		return nil
	case keys.Matches(msg, k.SortReverse):
		m.jobs.reverse = !m.jobs.reverse
		m.jobs.columns()
		m.jobs.arrange()
		return nil
	case keys.Matches(msg, k.Mine):
		return m.toggleMine()
	case keys.Matches(msg, k.Preview):
		m.jobs.preview = !m.jobs.preview
		return nil
	}
	verb, isVerb := action.Verb(k, msg)
	if !isVerb && !keys.Matches(msg, k.Open, k.Logs, k.Clone) {
		return nil
	}
	s, ok := m.jobs.selected()
	if !ok {
		return nav.Send(nav.Notify{Level: nav.Warned, Text: t.T("notice.noJob")})
	}
	switch {
	case isVerb:
		return m.ask(verb, s)
	case keys.Matches(msg, k.Logs):
		return nav.Send(nav.OpenLogs{Workspace: s.Workspace, Job: s.Name, Index: -1})
	case keys.Matches(msg, k.Clone):
		return action.Clone(m.ctx, m.env, m.backend, s.Workspace, s.Name)
	}
	return m.open()
}

func (m *Model) open() tea.Cmd {
	s, ok := m.jobs.selected()
	if !ok {
		return nil
	}
	return nav.Send(nav.OpenJob{Workspace: s.Workspace, Name: s.Name})
}

func (m *Model) toggleMine() tea.Cmd {
	if m.jobs.facts.User == "" {
		return nav.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("notice.userUnknown")})
	}
	m.jobs.mine = !m.jobs.mine
	m.jobs.arrange()
	return nil
}

func (m *Model) filterKey(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "esc":
		m.jobs.prompt.Set("")
		m.jobs.typing = false
		m.jobs.arrange()
	case "enter":
		m.jobs.typing = false
	case "up":
		m.jobs.table.Move(-1)
	case "down":
		m.jobs.table.Move(1)
	default:
		m.jobs.edit(msg)
	}
}

// ask opens the dialog, or says why the verb makes no sense for the job.
func (m *Model) ask(verb snapshot.Verb, s job.Status) tea.Cmd {
	confirm, refusal := m.actions.Ask(m.env, verb, s)
	if confirm == nil {
		return nav.Send(nav.Notify{Level: nav.Warned, Text: refusal})
	}
	m.confirm = confirm
	return nil
}

func (m *Model) confirmKey(msg tea.KeyPressMsg) tea.Cmd {
	k := m.env.Keys
	switch {
	case keys.Matches(msg, k.Yes):
		confirm := m.confirm
		m.confirm = nil
		return m.actions.Start(m.ctx, m.backend, confirm)
	case keys.Matches(msg, k.No):
		m.confirm = nil
	}
	return nil
}
