package wizard

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/forms"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget/textline"
	"muster.dev/muster/ui/words"
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

// What the columns of the list need at least; the name takes what is left.
const (
	draftFramework = 12
	draftAge       = 8
	draftColumns   = 5
)

// widths are the columns' cells: name, workspace, image, framework, age.
func (d *drafts) widths(width int) [draftColumns]int {
	room := max(width-2-draftFramework-draftAge-(draftColumns-1)*gap, 0) // 2 for the mark
	workspace := min(room/4, 20)
	image := min((room-workspace)*2/5, 32)
	return [draftColumns]int{min(room-workspace-image, 40), workspace, image, draftFramework, draftAge}
}

func row(mark string, widths [draftColumns]int, cells ...string) string {
	line := cell.Pad(mark, 2)
	for i, text := range cells {
		line += cell.Pad(cell.Middle(text, widths[i]), widths[i])
		if i < len(cells)-1 {
			line += cell.Spaces(gap)
		}
	}
	return line
}

// elsewhere tells whether a draft was typed for another cluster or as another user.
func (d *drafts) elsewhere(m *Model, k forms.Kept) bool {
	now, then := m.context.Snapshot.Facts, k.Draft.Place
	return then.Context != "" && now.Context != "" && then.Context != now.Context || then.User != "" && now.User != "" && then.User != now.User
}

// line says what a draft is.
func (d *drafts) line(m *Model, k forms.Kept, widths [draftColumns]int) string {
	mark := ""
	if d.elsewhere(m, k) || k.Open {
		mark = warningMark
	}
	values := k.Draft.Values
	workspace := values["workspace"]
	if workspace == "" {
		workspace = k.Draft.Place.Workspace
	}
	image := values["image"]
	image = image[strings.LastIndexByte(image, '/')+1:]
	return row(mark, widths, glance(k.Draft.Title), glance(workspace), glance(image), glance(values["framework"]), words.Rough(m.env.Texts, d.now.Sub(k.Draft.Saved)))
}

// glance is a typed text as one cell shows it: of a long one no more than could matter.
func glance(text string) string {
	if text == "" {
		return words.None
	}
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "")
	}
	return textline.Safe(text)
}

// about says of the chosen draft what the columns have no room for.
func (d *drafts) about(m *Model, k forms.Kept) (string, bool) {
	place := k.Draft.Place
	text := m.env.T("form.draft.about", "saved", k.Draft.Saved.In(d.now.Location()).Format("2006-01-02 15:04"),
		"user", brief(place.User), "context", brief(place.Context))
	switch {
	case d.elsewhere(m, k):
		return text + m.env.T("form.draft.elsewhere", "context", m.context.Snapshot.Facts.Context, "user", m.context.Snapshot.Facts.User), true
	case k.Open:
		return text + m.env.T("form.draft.open"), true
	}
	return text, false
}

func (d *drafts) view(m *Model, width, height int) (string, []string) {
	t, styles := m.env.T, m.env.Styles
	widths := d.widths(width)
	var lines []string
	if height > 6 {
		lines = append(lines, styles.Heading.Render(row("", widths, t("col.displayName"), t("col.workspace"), t("form.draft.image"), t("col.framework"), t("form.draft.age"))))
	}
	rows := max(height-len(lines)-4, 1) // the rest is for what is said of the chosen one
	from := max(min(d.at-rows/2, len(d.kept)+1-rows), 0)
	for i := from; i < min(from+rows, len(d.kept)+1); i++ {
		line := cell.Pad("  "+t("form.draft.new"), min(width, cell.Width(row("", widths, "", "", "", "", ""))))
		if i < len(d.kept) {
			line = d.line(m, d.kept[i], widths)
		}
		if line = cell.Truncate(line, width); i == d.at {
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
	text, doubtful := "", true
	switch {
	case warning != "":
		text = t(warning)
	case d.at < len(d.kept):
		text, doubtful = d.about(m, d.kept[d.at])
	}
	if text != "" {
		style := styles.Dim
		if doubtful {
			style = styles.Warning
		}
		for _, line := range cell.Wrap(text, width) {
			lines = append(lines, style.Render(line))
		}
	}
	return m.env.T("form.draft.title"), lines
}

func (d *drafts) bindings(m *Model) []keys.Binding {
	open := m.keys.Open
	return []keys.Binding{relabel(open, "key.form.continue"), m.keys.Up, m.keys.Down, m.keys.DeleteDraft, m.keys.Cancel}
}
