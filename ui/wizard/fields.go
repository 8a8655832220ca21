package wizard

import (
	"strings"
	"unicode/utf8"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/widget/editor"
	"muster.dev/muster/ui/widget/input"
	"muster.dev/muster/ui/widget/textline"
)

// pane is some drawn lines with what stands where in them.
type pane struct {
	lines  []string
	hits   []hit
	cursor bool
	x, y   int // of the cursor
	from   int // lines of what has the focus
	to     int
}

// painter draws the fields of a section, line by line.
type painter struct {
	m     *Model
	width int
	room  int // lines that are visible at once
	label int // cells of the labels' column; 0: labels stand above
	pane
}

// widest is the most cells that a field of one line takes.
const widest = 80

const indent = 2 // cells before a line, for the mark of the focus

// fields draws the section so that what has the focus is in view.
func (m *Model) fields(width, height int) pane {
	p := &painter{m: m, width: width, room: height}
	section := &m.form.Schema.Sections[m.focus.Section]
	for i := range section.Fields {
		if f := &section.Fields[i]; f.Shown(m.draft) && f.Kind != forms.Table && f.Kind != forms.Multiline {
			p.label = max(p.label, cell.Width(m.env.T(f.Label)))
		}
	}
	p.label = min(p.label, 26)
	if width-indent-p.label-2 < 18 {
		p.label = 0
	}
	for i := range section.Fields {
		if f := &section.Fields[i]; f.Shown(m.draft) {
			p.field(f)
		}
	}
	if len(section.Fields) == 0 {
		p.review()
	}
	return p.window(m, height)
}

// window cuts the visible lines out.
func (p *painter) window(m *Model, height int) pane {
	top := m.scroll[m.focus.Section]
	if p.to > top+height {
		top = p.to - height
	}
	if p.from < top {
		top = p.from
	}
	if p.cursor && (p.y < top || p.y >= top+height) {
		top = p.y - height + 1
	}
	top = max(min(top, len(p.lines)-height), 0)
	m.scroll[m.focus.Section] = top
	out := pane{lines: p.lines[top:min(top+height, len(p.lines))], cursor: p.cursor, x: p.x, y: p.y - top}
	for _, h := range p.hits {
		if h.y >= top && h.y < top+height {
			h.y -= top
			out.hits = append(out.hits, h)
		}
	}
	if more := len(p.lines) - top - height; more > 0 && height > 3 && p.y-top != height-1 && p.to <= top+height-1 {
		out.lines = append(append([]string(nil), out.lines[:height-1]...),
			m.env.Styles.Dim.Render(cell.Truncate(strings.Repeat(" ", indent)+m.env.T("form.more", "count", more+1), p.width)))
	}
	return out
}

func (p *painter) add(line string) { p.lines = append(p.lines, cell.Truncate(line, p.width)) }

// mark is what stands before a line.
func (p *painter) mark(focused bool) string {
	if focused {
		return p.m.env.Styles.Accent.Render("› ")
	}
	return "  "
}

func (p *painter) focused(c forms.Cell) bool { return p.m.focus.Cell == c }

// spot records that from this line on c is drawn; a click on the line goes there.
func (p *painter) spot(c forms.Cell, x0, x1 int) {
	p.hits = append(p.hits, hit{len(p.lines), x0, x1, forms.Stop{Section: p.m.focus.Section, Cell: c}})
}

// caret says where the cursor stands, on the line that is added next.
func (p *painter) caret(x int) { p.cursor, p.x, p.y = true, min(x, max(p.width-1, 0)), len(p.lines) }

func (p *painter) field(f *forms.Field) {
	here := forms.Cell{Field: f.ID, Row: -1}
	if p.focused(here) || p.m.focus.Field == f.ID {
		p.from = len(p.lines)
	}
	switch f.Kind {
	case forms.Table:
		p.table(f)
	case forms.Multiline:
		p.multiline(f)
	default:
		p.oneLine(f, here)
	}
	if f.Notes != nil {
		for _, n := range f.Notes(p.m.draft) {
			p.wrapped(p.m.say(n.Said), p.m.level(n.Level), indent+2)
		}
	}
	p.complaints(here.Path(), "")
	if p.focused(here) || f.Kind != forms.Table && p.m.focus.Field == f.ID {
		p.to = len(p.lines)
	}
}

func (p *painter) oneLine(f *forms.Field, here forms.Cell) {
	m, styles := p.m, p.m.env.Styles
	focused := p.focused(here)
	label := m.env.T(f.Label)
	if focused {
		label = styles.Accent.Render(label)
	}
	x := indent
	prefix := p.mark(focused)
	if p.label > 0 {
		prefix += cell.Pad(label, p.label) + "  "
		x += p.label + 2
	} else {
		p.spot(here, 0, p.width)
		p.add(prefix + label)
		prefix, x = strings.Repeat(" ", indent+2), indent+2
	}
	width := min(max(p.width-x, 1), widest)
	if f.Kind == forms.Number {
		width = min(width, 16)
	}
	p.spot(here, 0, p.width)
	var value string
	fallback := ""
	if f.Default != nil {
		fallback = f.Default(m.draft)
	}
	switch {
	case focused && oneLine(f.Kind):
		value = p.input(x, width, fallback)
	case f.Kind == forms.Toggle:
		value = p.toggle(m.draft.Get(f.ID) == forms.On, focused)
	case f.Kind == forms.Select:
		value = p.choice(f.Options(m.draft), m.draft.Get(f.ID), focused, width)
	default:
		value = p.text(m.draft.Get(f.ID), fallback, width)
	}
	p.add(prefix + value)
}

// input draws the text that is edited.
func (p *painter) input(x, width int, fallback string) string {
	styles := p.m.env.Styles
	p.m.input.Placeholder = fallback
	view, at := p.m.input.View(width, true, input.Styles{Text: styles.FieldFocus, Placeholder: styles.Placeholder.Over(styles.FieldFocus),
		Odd: styles.Warning.Over(styles.FieldFocus), Selected: styles.Selected})
	p.caret(x + at)
	return view
}

// inputRight is input aligned to the right: the text ends where the column ends, and the cursor may stand in the
// cell behind it.
func (p *painter) inputRight(x, width int, fallback string) string {
	text := p.m.input.Value()
	if text == "" {
		text = fallback
	}
	lead := max(width-textline.New(text).Width(), 0)
	return p.m.env.Styles.FieldFocus.Render(cell.Spaces(lead)) + p.input(x+lead, min(width-lead+1, max(p.width-x-lead, 1)), fallback)
}

// text draws a text that is not edited, or what stands in its place.
func (p *painter) text(text, fallback string, width int) string {
	styles := p.m.env.Styles
	switch {
	case text != "":
		return p.cut(text, width, styles.Field)
	case fallback != "":
		return p.cut(fallback, width, styles.Placeholder)
	}
	return styles.Placeholder.Render("–")
}

// shown is as much of a long text, in bytes, as can matter for a few lines.
const shown = 4096

func (p *painter) cut(text string, width int, style themes.Style) string {
	return style.Render(cell.Truncate(textline.Safe(start(text)), width))
}

// start is as much of a text as can be seen of it.
func start(text string) string {
	if len(text) <= shown {
		return text
	}
	end := shown
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func (p *painter) toggle(on, focused bool) string {
	box, word := "[ ]", "form.off"
	if on {
		box, word = "[x]", "form.on"
	}
	if focused {
		return p.m.env.Styles.FieldFocus.Render(box + " " + p.m.env.T(word))
	}
	return p.m.env.Styles.Field.Render(box + " " + p.m.env.T(word))
}

// choice draws the chosen option with what there is to say of it.
func (p *painter) choice(options []forms.Option, value string, focused bool, width int) string {
	styles := p.m.env.Styles
	label, detail := textline.Safe(value), ""
	for _, o := range options {
		if o.Value == value {
			label, detail = p.m.optionLabel(o), p.m.say(o.Detail)
		}
	}
	if focused {
		out := styles.FieldFocus.Render(cell.Truncate("‹ "+label+" ›", width))
		if room := width - cell.Width(out) - 2; detail != "" && room > 10 {
			out += "  " + styles.Dim.Render(cell.Truncate(detail, room))
		}
		return out
	}
	return styles.Field.Render(cell.Truncate(label, width))
}

func (p *painter) multiline(f *forms.Field) {
	m, styles := p.m, p.m.env.Styles
	here := forms.Cell{Field: f.ID, Row: -1}
	focused := p.focused(here)
	label := m.env.T(f.Label)
	if focused {
		label = styles.Accent.Render(label)
	}
	e := m.editorOf(f.ID)
	e.Numbers = true
	count := ""
	if n := e.Lines(); n > 1 {
		count = styles.Dim.Render("  " + m.env.T("form.lines", "count", n))
	}
	p.spot(here, 0, p.width)
	p.add(p.mark(focused) + label + count)
	if !focused && e.Value() == "" {
		p.spot(here, 0, p.width)
		p.add(strings.Repeat(" ", indent) + styles.Placeholder.Render("–"))
		return
	}
	rows := min(e.Lines(), 4)
	if focused {
		// the whole text where there is room, but the label and what is wrong stay in view
		rows = max(min(max(e.Lines()+1, 4), p.room-3), 1)
	}
	style := styles.Field
	if focused {
		style = styles.FieldFocus
	}
	lines, x, y := e.View(max(p.width-indent, 1), rows, focused, editor.Styles{Text: style, Placeholder: styles.Placeholder, Odd: styles.Warning.Over(style), Number: styles.Dim})
	if focused {
		p.cursor, p.x, p.y = true, min(x+indent, max(p.width-1, 0)), len(p.lines)+y
	}
	for _, line := range lines {
		p.spot(here, 0, p.width)
		p.add(strings.Repeat(" ", indent) + line)
	}
}

// wrapped adds a text in as many lines as it needs.
func (p *painter) wrapped(text string, style themes.Style, left int) {
	if text == "" {
		return
	}
	left = min(left, p.width/4)
	for _, line := range cell.Wrap(text, max(p.width-left, 1)) {
		p.add(strings.Repeat(" ", left) + style.Render(line))
	}
}

// complaints adds what is wrong at a path; prefix names the column.
func (p *painter) complaints(path, prefix string) {
	for _, problem := range p.m.problems.At[path] {
		p.wrapped(p.m.bullet(problem)+prefix+p.m.problemText(problem), p.severity(problem), indent)
	}
}

// The marks before what is wrong, and before what is only doubtful.
const (
	errorMark   = "! "
	warningMark = "~ "
)

func (m *Model) bullet(problem job.Problem) string {
	if m.isError(problem) {
		return errorMark
	}
	return warningMark
}

func (p *painter) severity(problem job.Problem) themes.Style {
	if p.m.isError(problem) {
		return p.m.env.Styles.Error
	}
	return p.m.env.Styles.Warning
}
