package dashboard

import (
	tea "charm.land/bubbletea/v2"

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
		return m.Send(nav.Notify{Level: nav.Warned, Text: t.T("notice.noJob")})
	}
	switch {
	case isVerb:
		m.actions.Ask(m.env, verb, s)
		return nil
	case keys.Matches(msg, k.Logs):
		return m.Send(nav.OpenLogs{Workspace: s.Workspace, Job: s.Name, Index: -1})
	case keys.Matches(msg, k.Clone):
		return m.actions.Clone(m.ctx, s.Workspace, s.Name)
	}
	return m.open()
}

func (m *Model) open() tea.Cmd {
	s, ok := m.jobs.selected()
	if !ok {
		return nil
	}
	return m.Send(nav.OpenJob{Workspace: s.Workspace, Name: s.Name})
}

func (m *Model) toggleMine() tea.Cmd {
	if m.jobs.facts.User == "" {
		return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("notice.userUnknown")})
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
