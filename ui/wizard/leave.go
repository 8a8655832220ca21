package wizard

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
)

// unkept asks before a form is left whose draft can't be saved: what was typed stands nowhere else.
type unkept struct{ err error }

// leave closes the form when its draft is on disk, or when there is nothing to keep.
func (m *Model) leave() tea.Cmd {
	if m.Hold() {
		return nil
	}
	return m.Send(nav.Close{})
}

// Hold is true when leaving would lose what was typed: then the form asks, and stays until it is answered. While the
// question stands it is false: whoever asks again means it.
func (m *Model) Hold() bool {
	if _, asked := m.dialog.(*unkept); asked || m.finished {
		return false
	}
	err := m.saver.keep(m)
	if err == nil {
		return false
	}
	m.dirty = true
	m.dialog, m.asked = &unkept{err}, nil
	return true
}

func (u *unkept) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keys.Matches(k, m.keys.Lose):
		m.dialog = nil
		return m.Send(nav.Close{})
	case keys.Matches(k, m.keys.Cancel, m.keys.Open):
		m.dialog = nil
	}
	return nil
}

func (u *unkept) paste(*Model, string) {}

func (u *unkept) view(m *Model, width, _ int) (string, []string) {
	t, styles := m.env.T, m.env.Styles
	var lines []string
	for _, line := range cell.Wrap(t("form.draft.unkept", "error", safetext.Clean(u.err.Error())), min(width, 72)) {
		lines = append(lines, styles.Warning.Render(line))
	}
	return t("form.draft.unkeptTitle"), lines
}

func (u *unkept) bindings(m *Model) []keys.Binding {
	return []keys.Binding{m.keys.Lose, relabel(m.keys.Cancel, "key.form.stay")}
}

// errNoStore: there is nowhere to keep drafts, and nobody said why.
var errNoStore = errors.New("there is no folder for drafts")

// keep writes the draft now; nil when that is done, or when there is nothing to keep.
func (s *saver) keep(m *Model) error {
	s.file.Lock()
	defer s.file.Unlock()
	switch {
	case m.pristine || s.file.closed:
		return nil
	case s.store == nil && s.broken != nil:
		return s.broken
	case s.store == nil:
		return errNoStore
	}
	now := m.env.Now()
	if s.broken = s.store.Save(m.draft, now); s.broken == nil {
		s.saved = now
		s.dropEdited()
	}
	return s.broken
}

// keeps tells whether leaving keeps a draft, as far as is known.
func (s *saver) keeps() bool { return s.broken == nil }
