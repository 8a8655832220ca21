package wizard

import (
	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
)

// click goes to what was clicked; a click on a toggle or a choice that has the focus already acts as enter does.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if m.dialog != nil || at.Button != tea.MouseLeft {
		return nil
	}
	if l := m.frame.list; at.X < l.width && at.Y >= l.y && at.Y < l.y+l.sections {
		m.section(at.Y - l.y)
		return nil
	}
	for i := len(m.frame.hits) - 1; i >= 0; i-- {
		h := m.frame.hits[i]
		if at.Y != h.y || at.X < h.x0 || at.X >= h.x1 {
			continue
		}
		same := m.focus == h.stop
		m.enter(h.stop)
		if k := m.kind(); same && (k == forms.Toggle || k == forms.Select) || h.stop.Column == forms.Add {
			return m.key(tea.KeyPressMsg{Code: tea.KeyEnter})
		}
		return nil
	}
	return nil
}

// wheel moves as the arrow keys do.
func (m *Model) wheel(at tea.Mouse) {
	code := tea.KeyDown
	switch at.Button {
	case tea.MouseWheelUp:
		code = tea.KeyUp
	case tea.MouseWheelDown:
	default:
		return
	}
	m.key(tea.KeyPressMsg{Code: code})
}
