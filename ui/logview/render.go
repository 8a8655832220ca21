package logview

import (
	"fmt"
	"strings"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/safetext"
)

// shownBytes is how much of one line is shown: more is for the file that is saved.
const shownBytes = 16 << 10

// labelLimit is the greatest width of a prefix, in cells.
const labelLimit = 24

// pod is whose line it is.
type pod struct {
	role  string
	index int
}

// meet gives a pod its label when its first line comes.
func (m *Model) meet(line *logs.Line) {
	p := pod{line.Role, line.Index}
	if _, ok := m.labels[p]; ok {
		return
	}
	if _, ok := m.roles[p.role]; !ok {
		m.roles[p.role] = len(m.roles)
	}
	text := cell.Truncate(fmt.Sprintf("%s-%d", safetext.Clean(p.role), p.index), labelLimit)
	m.labels[p] = text
	if w := cell.Width(text); w > m.labelWidth {
		m.labelWidth = w
		m.redraw()
	}
}

// rows are the rows of line n on the screen, made when it is first seen and kept until something changes.
func (m *Model) rows(n int) []string {
	if rows, ok := m.drawn[n]; ok {
		return rows
	}
	if len(m.drawn) > 2000 {
		m.redraw()
	}
	line := m.store.at(n)
	var rows []string
	if line.Mark != logs.NoMark {
		rows = []string{m.markRow(line)}
	} else {
		rows = m.textRows(line)
	}
	m.drawn[n] = rows
	return rows
}

func (m *Model) textRows(line *logs.Line) []string {
	styles := m.env.Styles
	style := styles.Series[(m.roles[line.Role]+line.Index)%len(styles.Series)]
	prefix := style.Render(cell.Pad(m.labels[pod{line.Role, line.Index}], m.labelWidth)) + " " + styles.Border.Render("│") + " "
	rest := cell.Spaces(m.labelWidth+1) + styles.Border.Render("│") + " " // before the rows after the first one
	used := m.labelWidth + 3
	if m.timestamps {
		prefix += styles.Dim.Render(line.Time.Local().Format("15:04:05.000")) + " "
		rest += cell.Spaces(13)
		used += 13
	}
	if room := m.width - used; room < 10 { // a narrow screen has no room for a prefix on every line
		prefix, rest, used = "", "", 0
	}
	room := max(m.width-used, 1)
	text := m.text(line)
	if !m.wrap {
		if m.column > 0 {
			text = cell.Cut(text, m.column, m.column+room+1)
		}
		return []string{prefix + closed(cell.Truncate(text, room))}
	}
	rows := wrapped(text, room)
	for i, row := range rows {
		if i == 0 {
			rows[i] = prefix + row
		} else {
			rows[i] = rest + row
		}
	}
	return rows
}

// text is the line fit for the screen: cut when it is very long, its colours kept, matches of a search marked.
func (m *Model) text(line *logs.Line) string {
	text := safetext.LastState(line.Text)
	rest := ""
	if len(text) > shownBytes {
		rest = m.env.Styles.Warning.Render(m.env.T("log.long", "bytes", len(text)))
		text = strings.ToValidUTF8(text[:shownBytes], "")
	}
	if m.search.pattern != nil {
		plain := safetext.Clean(text)
		if found := m.search.pattern.FindAllStringIndex(plain, 100); found != nil {
			var b strings.Builder
			at := 0
			for _, r := range found {
				b.WriteString(plain[at:r[0]])
				b.WriteString(m.env.Styles.Marked.Render(plain[r[0]:r[1]]))
				at = r[1]
			}
			b.WriteString(plain[at:])
			return b.String() + rest
		}
	}
	if !m.env.Styles.Coloured() {
		return strings.Join(strings.Split(safetext.Clean(safetext.CleanLines(text)), "\n"), " ") + rest
	}
	return safetext.CleanLog(text) + rest
}

// closed ends colours that a cut may have left open.
func closed(s string) string {
	if strings.IndexByte(s, '\x1b') >= 0 {
		return s + "\x1b[m"
	}
	return s
}

// wrapped breaks a line into rows; a colour goes on in the next row.
func wrapped(text string, width int) []string {
	rows := cell.HardWrap(text, width)
	open := ""
	for i, row := range rows {
		rows[i] = closed(open + row)
		open = lastColour(open + row)
	}
	return rows
}

// lastColour is the sequences that are in force at the end of s.
func lastColour(s string) string {
	open := ""
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return open
		}
		end := strings.IndexByte(s[i:], 'm')
		if end < 0 {
			return open
		}
		sequence := s[i : i+end+1]
		if sequence == "\x1b[m" || sequence == "\x1b[0m" {
			open = ""
		} else {
			open += sequence
		}
		s = s[i+end+1:]
	}
}

// markText says what happened to the stream of a pod.
func markText(t *i18n.Texts, line *logs.Line, who string) string {
	text := t.T("mark."+string(line.Mark), "pod", who, "text", line.Text)
	if line.Text == "" {
		text = strings.TrimRight(text, " :：")
	}
	return text
}

// markRow is something that happened to a stream, on a line of its own.
func (m *Model) markRow(line *logs.Line) string {
	styles := m.env.Styles
	style := styles.Dim
	switch line.Mark {
	case logs.Cut, logs.Gap, logs.Refused:
		style = styles.Warning
	case logs.Ended:
		if line.Text != "" && line.Text != "0" {
			style = styles.Error
		}
	}
	who := m.labels[pod{line.Role, line.Index}]
	text := markText(m.env.Texts, line, who)
	if !line.Time.IsZero() {
		text = line.Time.Local().Format("15:04:05") + " " + text
	}
	return style.Render(cell.Truncate("── "+text+" ──", m.width))
}
