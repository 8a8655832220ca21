package wizard

import (
	"strings"

	"muster.dev/muster/forms"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/widget/textline"
)

const gap = 2 // cells between two columns

// table draws a table: a head, its rows, what is wrong below each, and a line to add one.
func (p *painter) table(f *forms.Field) {
	m, styles := p.m, p.m.env.Styles
	label := m.env.T(f.Label)
	if m.focus.Field == f.ID {
		label = styles.Accent.Render(label)
	}
	p.add("  " + label)
	columns := f.ShownColumns(m.draft)
	widths := p.fit(f, columns)
	rows := len(m.draft.Tables[f.ID])
	if widths != nil && rows > 0 {
		p.head(columns, widths)
	}
	for row := range rows {
		here := m.focus.Field == f.ID && m.focus.Row == row
		if here {
			p.from = len(p.lines)
		}
		if widths == nil {
			p.stacked(f, columns, row)
		} else {
			p.row(f, columns, widths, row)
		}
		for _, c := range columns {
			p.complaints(forms.Cell{Field: f.ID, Row: row, Column: c.ID}.Path(), m.env.T("form.at", "column", m.env.T(c.Label)))
		}
		p.complaints(forms.Cell{Field: f.ID, Row: row}.Path(), "")
		if here {
			p.to = len(p.lines)
		}
	}
	if f.Adds(m.draft) {
		add := forms.Cell{Field: f.ID, Row: -1, Column: forms.Add}
		text := "+ " + m.env.T(f.AddLabel)
		p.spot(add, 0, p.width)
		if p.focused(add) {
			p.from, p.to = len(p.lines), len(p.lines)+1
			text = styles.FieldFocus.Render(text)
		} else {
			text = styles.Dim.Render(text)
		}
		p.add(p.mark(p.focused(add)) + text)
	}
}

// fit shares the width among the columns; nil: there is too little for a table, cells stand below one another. A
// computed column that does not fit gets 0: its text stands below the row.
func (p *painter) fit(f *forms.Field, columns []forms.Column) []int {
	m := p.m
	widths := make([]int, len(columns))
	wanted := make([]int, len(columns))
	for i, c := range columns {
		head := cell.Width(m.env.T(c.Label))
		if c.Kind == forms.Toggle {
			wanted[i] = max(head, 3)
			widths[i] = wanted[i]
			continue
		}
		least := max(c.Min, head)
		wanted[i] = least
		for row := range m.draft.Tables[f.ID] {
			text, _ := p.cell(c, f.ID, row)
			if len(text) > shown {
				text = text[:shown]
			}
			wanted[i] = max(wanted[i], min(cell.Width(textline.Safe(text))+1, 40))
		}
		widths[i] = least
		if c.Kind == forms.Computed {
			widths[i] = wanted[i] - 1
		}
	}
	room := p.width - indent
	if sum(widths) > room {
		for i, c := range columns {
			if c.Kind == forms.Computed {
				widths[i] = 0
			}
		}
	}
	if sum(widths) > room {
		return nil
	}
	for grown := true; grown; { // what is wanted first, one cell at a time
		grown = false
		for i := range columns {
			if widths[i] > 0 && widths[i] < wanted[i] && sum(widths) < room {
				widths[i]++
				grown = true
			}
		}
	}
	for left := room - sum(widths); left > 0; {
		given := false
		for i, c := range columns {
			if left > 0 && c.Grow && c.Kind != forms.Computed && widths[i] < 48 {
				widths[i]++
				left--
				given = true
			}
		}
		if !given {
			break
		}
	}
	return widths
}

func sum(widths []int) int {
	n := -gap
	for _, w := range widths {
		if w > 0 {
			n += w + gap
		}
	}
	return max(n, 0)
}

// cell is a cell's text and whether it only stands for one.
func (p *painter) cell(c forms.Column, table string, row int) (text string, fallback bool) {
	m := p.m
	path := forms.Cell{Field: table, Row: row, Column: c.ID}.Path()
	locked := c.Locked != nil && c.Locked(m.draft, row)
	switch c.Kind {
	case forms.Computed:
		return m.say(c.Say(m.draft, row).Said), true
	case forms.Toggle:
		if m.draft.Get(path) == forms.On {
			return "[x]", false
		}
		return "[ ]", false
	case forms.Secret:
		if m.draft.Secret(path) != "" {
			text = "********" // of a secret not even the length is shown
		}
	case forms.Select:
		text = m.draft.Get(path)
		for _, o := range c.Options(m.draft, row) {
			if o.Value == text {
				text = m.optionLabel(o)
			}
		}
	default:
		text = m.draft.Get(path)
	}
	if c.Default != nil && (text == "" || locked && c.ID != "name") {
		return c.Default(m.draft, row), true
	}
	return text, locked
}

func (p *painter) head(columns []forms.Column, widths []int) {
	line := strings.Repeat(" ", indent)
	for i, c := range columns {
		if widths[i] == 0 {
			continue
		}
		text := p.m.env.T(c.Label)
		if c.Right {
			text = cell.PadLeft(text, widths[i])
		} else {
			text = cell.Pad(text, widths[i])
		}
		line += text + cell.Spaces(gap)
	}
	p.add(p.m.env.Styles.Heading.Render(cell.Truncate(strings.TrimRight(line, " "), p.width)))
}

func (p *painter) row(f *forms.Field, columns []forms.Column, widths []int, row int) {
	here := p.m.focus.Field == f.ID && p.m.focus.Row == row
	line := p.mark(here)
	x := indent
	for i, c := range columns {
		if widths[i] == 0 {
			continue
		}
		text := p.drawn(f, c, row, x, widths[i])
		line += text + cell.Spaces(widths[i]+gap-cell.Width(text)) // the edited cell takes a cell more, for the cursor
		x += widths[i] + gap
	}
	p.add(strings.TrimRight(line, " "))
	for i, c := range columns {
		if widths[i] == 0 && c.Kind == forms.Computed {
			n := c.Say(p.m.draft, row)
			p.wrapped(p.m.say(n.Said), p.m.level(n.Level), indent+2)
		}
	}
}

// stacked draws a row as lines of label and cell.
func (p *painter) stacked(f *forms.Field, columns []forms.Column, row int) {
	m := p.m
	here := m.focus.Field == f.ID && m.focus.Row == row
	wide := 0
	for _, c := range columns {
		wide = max(wide, cell.Width(m.env.T(c.Label)))
	}
	wide = min(wide, p.width/2)
	if row > 0 {
		p.add("")
	}
	for _, c := range columns {
		if c.Kind == forms.Computed {
			n := c.Say(m.draft, row)
			p.wrapped(m.say(n.Said), m.level(n.Level), indent+2)
			continue
		}
		c.Right = false
		focused := here && m.focus.Column == c.ID
		if focused {
			p.from = len(p.lines)
		}
		x := indent + wide + 1
		line := p.mark(focused) + cell.Pad(m.env.T(c.Label), wide) + " "
		p.add(line + p.drawn(f, c, row, x, max(p.width-x, 1)))
		if focused {
			p.to = len(p.lines)
		}
	}
}

// drawn is one cell in exactly width cells, at column x of the line that is added next.
func (p *painter) drawn(f *forms.Field, c forms.Column, row, x, width int) string {
	m, styles := p.m, p.m.env.Styles
	here := forms.Cell{Field: f.ID, Row: row, Column: c.ID}
	text, fallback := p.cell(c, f.ID, row)
	locked := c.Locked != nil && c.Locked(m.draft, row)
	if c.Kind != forms.Computed && !locked {
		p.spot(here, x, x+width)
	}
	if p.focused(here) && !locked && oneLine(c.Kind) {
		if !fallback {
			text = ""
		}
		if c.Right {
			return p.inputRight(x, width, text)
		}
		return p.input(x, width, text)
	}
	style := styles.Field
	switch {
	case c.Kind == forms.Computed:
		style = m.level(c.Say(m.draft, row).Level)
	case p.focused(here):
		style = styles.FieldFocus
	case p.wrong(here):
		style = styles.Error
	case locked || fallback:
		style = styles.Placeholder
	}
	if text == "" && !p.focused(here) {
		text, style = "–", styles.Placeholder
	}
	out := p.cut(text, width, themes.Style{})
	if c.Right {
		out = cell.PadLeft(out, width)
	} else {
		out = cell.Pad(out, width)
	}
	if p.focused(here) && c.Kind != forms.Computed {
		return style.Render(out)
	}
	trimmed := strings.Trim(out, " ")
	at := strings.Index(out, trimmed)
	return out[:at] + style.Render(trimmed) + out[at+len(trimmed):]
}

func (p *painter) wrong(c forms.Cell) bool {
	for _, problem := range p.m.problems.At[c.Path()] {
		if p.m.isError(problem) {
			return true
		}
	}
	return false
}
