package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// helpOverlay shows what every key does, made from the bindings themselves.
type helpOverlay struct {
	offset, rows, page int
}

// key scrolls; it is false for a key that closes the overlay.
func (h *helpOverlay) key(k keys.Map, msg tea.KeyPressMsg) bool {
	if h.rows <= h.page {
		return false
	}
	switch {
	case keys.Matches(msg, k.Down):
		h.offset++
	case keys.Matches(msg, k.Up):
		h.offset--
	case keys.Matches(msg, k.PageDown, k.HalfDown):
		h.offset += h.page
	case keys.Matches(msg, k.PageUp, k.HalfUp):
		h.offset -= h.page
	default:
		return false
	}
	h.offset = max(min(h.offset, h.rows-h.page), 0)
	return true
}

func (h *helpOverlay) view(env nav.Env, help keys.Help, width, height int) string {
	blocks := make([][]string, 0, len(help.Groups))
	widest := 0
	for _, group := range help.Groups {
		block := groupLines(env, group)
		for _, line := range block {
			widest = max(widest, cell.Width(line))
		}
		blocks = append(blocks, block)
	}
	columns := max(min((width-4)/(widest+3), 3), 1)
	lines := arrange(blocks, columns, widest)
	h.rows, h.page = len(lines), max(height-4, 1)
	h.offset = max(min(h.offset, h.rows-h.page), 0)
	lines = lines[h.offset:min(h.offset+h.page, len(lines))]
	hint := env.T("help.close")
	if h.rows > h.page {
		hint = env.T("help.scroll")
	}
	lines = append(lines, env.Styles.Dim.Render(hint))
	return widget.Box(env.Styles, env.T("help.title")+" · "+env.T(help.Title), lines, width, height)
}

func groupLines(env nav.Env, group keys.Group) []string {
	lines := []string{env.Styles.Heading.Render(env.T(group.Title))}
	label := 0
	for _, b := range group.Bindings {
		label = max(label, cell.Width(b.Help().Key))
	}
	for _, b := range group.Bindings {
		if b.Enabled() {
			lines = append(lines, env.Styles.Key.Render(cell.Pad(b.Help().Key, label))+"  "+env.T(b.Help().Desc))
		}
	}
	return append(lines, "")
}

// arrange puts blocks below one another in columns of about the same height.
func arrange(blocks [][]string, columns, width int) []string {
	all := 0
	for _, block := range blocks {
		all += len(block)
	}
	var made [][]string
	var column []string
	for _, block := range blocks {
		if len(column) > 0 && len(column)+len(block)/2 > all/columns && len(made) < columns-1 {
			made = append(made, column)
			column = nil
		}
		column = append(column, block...)
	}
	made = append(made, column)
	var lines []string
	for row := 0; ; row++ {
		var b strings.Builder
		more := false
		for i, column := range made {
			text := ""
			if row < len(column) {
				text, more = column[row], true
			}
			if i < len(made)-1 {
				text = cell.Pad(text, width+3)
			}
			b.WriteString(text)
		}
		if !more {
			return lines
		}
		lines = append(lines, b.String())
	}
}

// noticeLines is how many lines a notice has at most.
const noticeLines = 3

// noticed is a screen with the notice at its bottom, whole if it fits into a few lines: a path that is cut is of no use.
func (m *Model) noticed(screen string) string {
	if m.notice == nil {
		return screen
	}

	styles := m.env.Styles
	style := map[nav.Level]themes.Style{
		nav.Info: styles.Info, nav.Done: styles.Success, nav.Kept: styles.Success, nav.Warned: styles.Warning, nav.Failed: styles.Error,
	}[m.notice.Level]
	lines := widget.Paragraph(safetext.Clean(m.notice.Text), m.width-2, max(min(noticeLines, m.height/4), 1))
	for i, line := range lines {
		lines[i] = style.Render(cell.Pad(" "+line, m.width))
	}
	return widget.Place(screen, strings.Join(lines, "\n"), 0, m.height-len(lines), m.width, m.height)
}

func (m *Model) title() string {
	title := m.env.T("app")
	if m.snap.Facts.Context != "" {
		title += " · " + words.Where(m.env.Texts, m.snap.Facts)
	}
	return cell.Truncate(safetext.Clean(title), 120)
}
