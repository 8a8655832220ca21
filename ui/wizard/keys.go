package wizard

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
	"muster.dev/muster/forms/train"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/widget/textline"
)

func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if m.dialog != nil {
		return m.dialog.key(m, k)
	}
	switch {
	case keys.Matches(k, m.keys.Submit):
		return m.submit()
	case keys.Matches(k, m.keys.Manifest):
		m.showManifest()
		return nil
	case keys.Matches(k, m.keys.Leave):
		return m.leave()
	case keys.Matches(k, m.keys.Next):
		m.enter(m.form.Schema.Next(m.draft, m.focus, false))
		return nil
	case keys.Matches(k, m.keys.Previous):
		m.enter(m.form.Schema.Next(m.draft, m.focus, true))
		return nil
	case keys.Matches(k, m.keys.Section):
		n, _ := strconv.Atoi(k.Keystroke()[len("alt+"):])
		m.section(n - 1)
		return nil
	case keys.Matches(k, m.keys.Example) && m.sectionID() == train.SectionImage:
		m.showExamples()
		return nil
	}
	if m.fieldKey(k) {
		return nil
	}
	return m.formKey(k)
}

// section goes to the start of a section.
func (m *Model) section(i int) {
	if i >= 0 && i < len(m.form.Schema.Sections) {
		m.enter(m.form.Schema.First(m.draft, i))
	}
}

func (m *Model) sectionID() string { return m.form.Schema.Sections[m.focus.Section].ID }

// fieldKey lets the field that has the focus take a key.
func (m *Model) fieldKey(k tea.KeyPressMsg) bool {
	f, _ := m.field()
	kind := m.kind()
	switch {
	case f == nil:
		return m.sectionID() == train.SectionReview && m.reviewKey(k)
	case m.focus.Column == forms.Add:
		return m.addKey(k)
	case kind == forms.Multiline:
		return m.editorKey(k)
	case kind == forms.Toggle && keys.Matches(k, m.keys.Toggle):
		if m.draft.Get(m.focus.Path()) == forms.On {
			m.set("")
		} else {
			m.set(forms.On)
		}
		return true
	case kind == forms.Select && keys.Matches(k, m.keys.Choose):
		m.pick("")
		return true
	case kind == forms.Suggest && keys.Matches(k, m.keys.Open) && len(m.choices()) > 0:
		m.pick("")
		return true
	case kind == forms.Select && k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		m.pick(k.Text)
		return true
	case m.focus.Row >= 0 && m.sideways(k):
		return true
	case kind == forms.Select && m.focus.Row < 0 && keys.Matches(k, m.keys.Left, m.keys.Right):
		m.cycle(keys.Matches(k, m.keys.Left))
		return true
	case m.edits(k):
		return true
	case oneLine(kind) && m.input.Key(k):
		m.typed()
		return true
	}
	return false
}

// edits puts a default that is shown into the input line when the cursor is moved in it: what is typed next changes it.
// The draft has it only once something is typed.
func (m *Model) edits(k tea.KeyPressMsg) bool {
	if !m.short() || m.input.Value() != "" || !m.input.Moves(k) {
		return false
	}
	standard := ""
	switch f, c := m.field(); {
	case c != nil && c.Default != nil:
		standard = c.Default(m.draft, m.focus.Row)
	case c == nil && f.Default != nil:
		standard = f.Default(m.draft)
	}
	if standard == "" {
		return false
	}
	m.input.SetValue(standard)
	m.input.Key(k)
	return true
}

// typed takes the input line's text over into the draft.
func (m *Model) typed() {
	if m.kind() == forms.Secret {
		m.draft.SetSecret(m.focus.Path(), m.input.Value())
		return
	}
	m.set(m.input.Value())
}

// sideways moves between the cells of a row, from the ends of the text in them.
func (m *Model) sideways(k tea.KeyPressMsg) bool {
	text := oneLine(m.kind())
	left := keys.Matches(k, m.keys.Left) && (!text || m.input.AtStart())
	right := keys.Matches(k, m.keys.Right) && (!text || m.input.AtEnd())
	if !left && !right {
		return false
	}
	to := m.form.Schema.Next(m.draft, m.focus, left)
	if to.Field == m.focus.Field && to.Row == m.focus.Row {
		m.enter(to)
		if right {
			m.input.CursorStart()
		}
	}
	return true
}

// editorKey is false for the keys that leave the field: up on the first line, down on the last.
func (m *Model) editorKey(k tea.KeyPressMsg) bool {
	e := m.editorOf(m.focus.Field)
	if !e.Key(k) {
		return keys.Matches(k, m.keys.PageUp, m.keys.PageDown) && e.Lines() > 1 // not by surprise out of a long text
	}
	m.set(e.Value())
	return true
}

func (m *Model) addKey(k tea.KeyPressMsg) bool {
	if !keys.Matches(k, m.keys.Choose) {
		return false
	}
	m.addRow(len(m.draft.Tables[m.focus.Field]))
	return true
}

// addRow adds a row to the table that has the focus, and goes there.
func (m *Model) addRow(at int) {
	f, _ := m.field()
	m.draft.AddRow(f.ID, at, f.NewRow(m.draft))
	train.Changed(m.draft, f.ID+"["+strconv.Itoa(at)+"]", "")
	for _, c := range f.ShownColumns(m.draft) {
		if c.Kind != forms.Computed && (c.Locked == nil || !c.Locked(m.draft, at)) {
			m.enter(forms.Stop{Section: m.focus.Section, Cell: forms.Cell{Field: f.ID, Row: at, Column: c.ID}})
			return
		}
	}
}

func (m *Model) removeRow() {
	f, _ := m.field()
	row := m.focus.Row
	if f.Fixed != nil {
		if why := f.Fixed(m.draft, row); why != "" {
			m.flash = said{m.env.T(why), forms.Doubtful}
			return
		}
	}
	m.draft.RemoveRow(f.ID, row)
	train.Changed(m.draft, f.ID+"["+strconv.Itoa(row)+"]", "")
	to := m.focus
	to.Row = min(row, len(m.draft.Tables[f.ID])-1)
	if to.Row < 0 {
		to.Row, to.Column = -1, forms.Add
	}
	m.enter(m.form.Schema.Settle(m.draft, to))
}

// formKey handles the keys that the field has no use for.
func (m *Model) formKey(k tea.KeyPressMsg) tea.Cmd {
	f, _ := m.field()
	switch {
	case keys.Matches(k, m.keys.Up):
		m.vertical(true)
	case keys.Matches(k, m.keys.Down):
		m.vertical(false)
	case keys.Matches(k, m.keys.NextSection):
		m.section(m.focus.Section + 1)
	case keys.Matches(k, m.keys.PreviousSection):
		m.section(m.focus.Section - 1)
	case keys.Matches(k, m.keys.Editor) && f != nil && m.kind() == forms.Multiline:
		return m.openEditor(f)
	case keys.Matches(k, m.keys.AddRow) && f != nil && f.Kind == forms.Table:
		if !f.Adds(m.draft) {
			m.flash = said{m.env.T("form.roles.fixed"), forms.Doubtful}
			return nil
		}
		at := len(m.draft.Tables[f.ID])
		if m.focus.Row >= 0 {
			at = m.focus.Row + 1
		}
		m.addRow(at)
	case keys.Matches(k, m.keys.RemoveRow) && f != nil && f.Kind == forms.Table && m.focus.Row >= 0:
		m.removeRow()
	case keys.Matches(k, m.keys.Open):
		m.enter(m.form.Schema.Next(m.draft, m.focus, false))
	}
	return nil
}

// vertical moves a line up or down; past the section's end it goes on in the next one, as tab does.
func (m *Model) vertical(up bool) {
	to := m.form.Schema.Vertical(m.draft, m.focus, up)
	if to == m.focus {
		section := m.focus.Section + 1
		if up {
			section = m.focus.Section - 1
		}
		if section < 0 || section >= len(m.form.Schema.Sections) {
			return
		}
		to = m.form.Schema.First(m.draft, section)
		if up {
			to = m.form.Schema.Last(m.draft, section)
		}
	}
	m.enter(to)
	if m.kind() == forms.Multiline {
		if e := m.editorOf(m.focus.Field); up {
			e.CursorEnd()
		} else {
			e.CursorStart()
		}
	}
}

// choices are the options of what has the focus.
func (m *Model) choices() []forms.Option {
	f, c := m.field()
	switch {
	case c != nil && c.Options != nil:
		return c.Options(m.draft, m.focus.Row)
	case c == nil && f != nil && f.Options != nil:
		return f.Options(m.draft)
	}
	return nil
}

func (m *Model) cycle(back bool) {
	choices := m.choices()
	if len(choices) == 0 {
		return
	}
	i := slices.IndexFunc(choices, func(o forms.Option) bool { return o.Value == m.draft.Get(m.focus.Path()) })
	switch {
	case i < 0:
		i = 0
	case back:
		i = max(i-1, 0)
	default:
		i = min(i+1, len(choices)-1)
	}
	m.set(choices[i].Value)
}

// paste puts text where the focus is. It never acts as keys: not on a toggle, not on a select, and it moves nothing.
func (m *Model) paste(text string) {
	m.flash = said{}
	if m.dialog != nil {
		m.dialog.paste(m, text)
		return
	}
	switch k := m.kind(); {
	case oneLine(k):
		note := m.input.Paste(text)
		m.typed()
		m.noted(note)
	case k == forms.Multiline:
		e := m.editorOf(m.focus.Field)
		note := e.Paste(text)
		m.set(e.Value())
		m.noted(note)
	default:
		m.flash = said{m.env.T("form.paste.nowhere"), forms.Doubtful}
	}
}

// noted says what was done to a paste.
func (m *Model) noted(n textline.Note) {
	text := ""
	for _, part := range []struct {
		count int
		key   string
	}{
		{n.Breaks, "form.paste.breaks"}, {n.Dropped, "form.paste.dropped"}, {n.Invalid, "form.paste.invalid"},
		{n.Kept, "form.paste.kept"}, {n.Cut, "form.paste.cut"},
	} {
		if part.count == 0 {
			continue
		}
		if text != "" {
			text += m.env.T("form.paste.and")
		}
		text += m.env.T(part.key, "count", part.count)
	}
	if text != "" {
		m.flash = said{text, forms.Doubtful}
	}
}
