package wizard

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget/editor"
)

// openEditor opens the text that has the focus in the user's editor program.
func (m *Model) openEditor(f *forms.Field) tea.Cmd {
	return editor.External(m.draft.ID+" "+f.ID, m.draft.Get(f.ID), f.Suffix)
}

// external takes over what the editor program left.
func (m *Model) external(msg editor.ExternalMsg) {
	field, ours := strings.CutPrefix(msg.ID, m.draft.ID+" ")
	if !ours {
		return // another form's
	}
	if msg.Err == nil {
		m.editorOf(field)
		m.setAt(field, msg.Text)
		m.editorOf(field)
		m.flash = said{m.env.T("form.editor.done", "program", msg.Cmd), forms.Good}
		return
	}
	key := "form.editor.failed"
	switch {
	case errors.Is(msg.Err, editor.ErrNoEditor):
		key = "form.editor.none"
	case errors.Is(msg.Err, editor.ErrTooLong):
		key = "form.editor.tooLong"
	case errors.Is(msg.Err, editor.ErrNotText):
		key = "form.editor.notText"
	}
	m.flash = said{m.env.T(key, "error", safetext.Clean(msg.Err.Error())), forms.Bad}
}
