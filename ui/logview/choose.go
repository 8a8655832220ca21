package logview

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/ui/widget"
)

func (m *Model) openPicker() {
	m.picker = widget.NewPicker(m.env.Styles, m.env.T("log.choose"), "", m.choices(), choiceID(m.request.Role, m.request.Index), false)
}

// choices are all pods, each role, each pod.
func (m *Model) choices() []widget.Choice {
	t := m.env.Texts
	choices := []widget.Choice{{ID: choiceID("", -1), Label: t.T("log.allPods")}}
	for _, s := range m.snap.Jobs {
		if s.Workspace != m.request.Workspace || s.Name != m.request.Job {
			continue
		}
		for _, role := range s.Roles {
			if len(s.Roles) > 1 {
				choices = append(choices, widget.Choice{ID: choiceID(role.Name, -1), Label: t.T("log.role", "role", role.Name, "count", role.Replicas)})
			}
		}
		for _, role := range s.Roles {
			for _, p := range role.Pods {
				choices = append(choices, widget.Choice{ID: choiceID(role.Name, p.Index), Label: role.Name + "-" + strconv.Itoa(p.Index)})
			}
		}
	}
	return choices
}

func choiceID(role string, index int) string { return strconv.Itoa(index) + "/" + role }

func (m *Model) pick(msg tea.Msg) tea.Cmd {
	choice, picked, done := m.picker.Update(msg)
	if done {
		m.picker = nil
	}
	if !picked {
		return nil
	}
	index, role, _ := strings.Cut(choice.ID, "/")
	m.request.Role = role
	m.request.Index, _ = strconv.Atoi(index)
	return m.start()
}
