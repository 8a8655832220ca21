package dashboard

import (
	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget"
)

// openPicker asks for a workspace: one of those known, or the name of one that can't be listed.
func (m *Model) openPicker() {
	t := m.env.Texts
	m.picker = widget.NewPicker(m.env.Styles, t.T("workspace.title"), t.T("workspace.hint"), m.workspaces(), m.snap.Facts.Workspace, true)
}

func (m *Model) workspaces() []widget.Choice {
	choices := []widget.Choice{{ID: "", Label: m.env.T("workspace.all")}}
	for _, name := range m.snap.Workspaces {
		choices = append(choices, widget.Choice{ID: name, Label: name})
	}
	return choices
}

func (m *Model) pickerUpdate(msg tea.Msg) tea.Cmd {
	choice, picked, done := m.picker.Update(msg)
	if done {
		m.picker = nil
	}
	if picked {
		return m.Send(nav.SetWorkspace{Name: choice.ID})
	}
	return nil
}
