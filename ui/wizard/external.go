package wizard

import (
	"errors"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget/editor"
)

// openEditor opens the text that has the focus in the user's editor program.
func (m *Model) openEditor(f *forms.Field) tea.Cmd {
	store, id := m.options.Store, m.draft.ID
	return editor.External(id+" "+f.ID, m.draft.Get(f.ID), f.Suffix, func() (string, error) {
		if store != nil {
			if folder, err := store.Scratch(id); err == nil {
				return folder, nil
			}
		}
		return os.MkdirTemp("", "muster-") // where drafts can't be kept; 0700
	})
}

// external takes over what the editor program left.
func (m *Model) external(msg editor.ExternalMsg) tea.Cmd {
	field, ours := strings.CutPrefix(msg.ID, m.draft.ID+" ")
	if !ours {
		return nil // another form's
	}
	failure := ""
	if msg.Err != nil {
		failure = safetext.Clean(msg.Err.Error())
	}
	if msg.Taken() {
		m.editorOf(field)
		m.setAt(field, msg.Text)
		m.editorOf(field)
		m.flash = said{m.env.T("form.editor.done", "program", msg.Cmd), forms.Good}
		if msg.Err != nil {
			m.flash = said{m.env.T("form.editor.saved", "program", msg.Cmd, "error", failure), forms.Doubtful}
		}
		if msg.Folder == "" {
			return nil
		}
		m.draft.Title = m.title()
		m.saver.edited = append(m.saver.edited, msg.Folder)
		return m.saver.start(m)
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
	m.flash = said{m.env.T(key, "error", failure), forms.Bad}
	if msg.Path != "" { // too much to say for one line
		r := &reader{title: "form.editor.title", under: m.dialog}
		for _, text := range []string{m.flash.text, m.env.T("form.editor.kept", "path", msg.Path)} {
			r.lines = append(append(r.lines, cell.Wrap(text, 72)...), "")
		}
		m.dialog = r
	}
	return nil
}
