package wizard

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
)

// drafts offers what was left.
type drafts struct {
	kept  []forms.Kept
	at    int
	armed bool // the next press of the key deletes
	copy  bool // the next press of the key opens a copy of one that is open elsewhere
	now   time.Time
}

// offer shows the drafts that were left, unless typing has begun already.
func (m *Model) offer(msg draftsMsg) {
	if msg.err != nil {
		m.flash = said{m.env.T("form.draft.unread", "error", safetext.Clean(msg.err.Error())), forms.Doubtful}
	}
	for _, a := range msg.aside {
		key := "form.draft.aside"
		switch {
		case a.Newer:
			key = "form.draft.newer"
		case a.Edits:
			key = "form.draft.edits"
		}
		m.flash = said{m.env.T(key, "path", a.Path), forms.Doubtful}
	}
	if m.options.Spec != nil || !m.pristine || len(msg.kept) == 0 || m.dialog != nil {
		return
	}
	m.dialog = &drafts{kept: msg.kept, now: m.env.Now()}
}

func (d *drafts) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	armed, again := d.armed, d.copy
	d.armed, d.copy = false, false
	switch {
	case keys.Matches(k, m.keys.Cancel):
		m.dialog = nil
		return m.Send(nav.Close{})
	case keys.Matches(k, m.keys.Up):
		d.at = max(d.at-1, 0)
	case keys.Matches(k, m.keys.Down, m.keys.Next):
		d.at = min(d.at+1, len(d.kept))
	case keys.Matches(k, m.keys.Open):
		if d.at == len(d.kept) {
			m.dialog = nil
			return nil
		}
		draft := d.kept[d.at].Draft
		if d.kept[d.at].Open {
			if !again {
				d.copy = true
				return nil
			}
			// Two that write one file would lose what either typed.
			draft = draft.Clone()
			draft.ID = m.newID()
		}
		m.dialog = nil
		m.open(draft)
		m.saver.saved = m.draft.Saved
		m.pristine = false
		return m.saver.start(m) // marks it as open here
	case keys.Matches(k, m.keys.DeleteDraft) && d.at < len(d.kept):
		if !armed {
			d.armed = true
			return nil
		}
		if err := m.options.Store.Delete(d.kept[d.at].Draft.ID); err != nil {
			m.flash = said{m.env.T("form.draft.kept", "error", safetext.Clean(err.Error())), forms.Doubtful}
			return nil
		}
		d.kept = append(d.kept[:d.at:d.at], d.kept[d.at+1:]...)
		if len(d.kept) == 0 {
			m.dialog = nil
		}
	}
	return nil
}

func (d *drafts) paste(*Model, string) {}

func (d *drafts) view(m *Model, width, height int) (string, []string) {
	styles := m.env.Styles
	var lines []string
	rows := max(height-4, 1) // two lines and more are for a warning
	from := max(min(d.at-rows/2, len(d.kept)+1-rows), 0)
	for i := from; i < min(from+rows, len(d.kept)+1); i++ {
		text := m.env.T("form.draft.new")
		if i < len(d.kept) {
			k := d.kept[i]
			key := "form.draft.line"
			if k.Open {
				key = "form.draft.lineOpen"
			}
			text = m.env.T(key, "title", k.Draft.Title, "saved", k.Draft.Saved.In(d.now.Location()).Format("2006-01-02 15:04"))
		}
		line := cell.Pad(" "+text, min(width, 72))
		if i == d.at {
			line = styles.Selected.Render(line)
		}
		lines = append(lines, line)
	}
	warning := ""
	switch {
	case d.copy:
		warning = "form.draft.copy"
	case d.armed && d.kept[d.at].Open:
		warning = "form.draft.armedOpen"
	case d.armed:
		warning = "form.draft.armed"
	}
	if warning != "" {
		for _, line := range cell.Wrap(m.env.T(warning), min(width, 72)) {
			lines = append(lines, styles.Warning.Render(line))
		}
	}
	return m.env.T("form.draft.title"), lines
}

func (d *drafts) bindings(m *Model) []keys.Binding {
	open := m.keys.Open
	return []keys.Binding{relabel(open, "key.form.continue"), m.keys.Up, m.keys.Down, m.keys.DeleteDraft, m.keys.Cancel}
}
