package wizard

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/forms"
	"muster.dev/muster/forms/train"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/widget/textline"
	"muster.dev/muster/ui/words"
)

// frame is the last View, kept until something changes.
type frame struct {
	width, height int
	text          string
	cursor        *tea.Cursor
	hits          []hit
	list          hitList
}

// hit is a place that a click goes to.
type hit struct {
	y, x0, x1 int
	stop      forms.Stop
}

// hitList is where the list of sections stands.
type hitList struct{ y, width, sections int }

// Widths and heights at which the layout changes.
const (
	narrow      = 60  // below: no list of sections, a header line instead
	withSummary = 120 // from here on: the summary on the right
	lowHints    = 12  // from this height on two lines of hints below the fields
)

// Cursor is where the terminal's cursor stood in the last View: input methods draw there.
func (m *Model) Cursor() *tea.Cursor { return m.frame.cursor }

// View draws the form in exactly height lines of at most width cells.
func (m *Model) View(width, height int) string {
	if !m.dirty && m.frame.width == width && m.frame.height == height {
		return m.frame.text
	}
	m.dirty = false
	m.frame = frame{width: width, height: height}
	if width <= 0 || height <= 0 {
		return ""
	}
	m.frame.text = m.draw(width, height)
	return m.frame.text
}

func (m *Model) draw(width, height int) string {
	hints := 0
	switch {
	case height >= lowHints:
		hints = 2
	case height >= 5:
		hints = 1
	}
	body := height - hints
	var lines []string
	if height >= 3 {
		lines = append(lines, m.header(width))
		body--
	}
	footer := height >= 4
	if footer {
		body--
	}
	rule := height >= 20
	if rule {
		lines = append(lines, widget.Rule(m.env.Styles, width))
		body--
	}
	lines = append(lines, m.body(width, body, len(lines))...)
	lines = append(lines, m.hints(width, hints)...)
	if footer {
		lines = append(lines, m.footer(width))
	}
	screen := widget.Lines(strings.Join(lines, "\n"), width, height)
	if m.dialog != nil {
		screen = m.overlay(screen, width, height)
	}
	return screen
}

func (m *Model) header(width int) string {
	styles := m.env.Styles
	section := m.form.Schema.Sections[m.focus.Section]
	left := styles.Title.Render(m.env.T("form.title")) + styles.Dim.Render(" ▸ ") + m.env.T(section.Label)
	if width < narrow {
		n := m.errors[m.focus.Section]
		left = styles.Dim.Render(strconv.Itoa(m.focus.Section+1)+"/"+strconv.Itoa(len(m.form.Schema.Sections))+" ") + styles.Title.Render(m.env.T(section.Label))
		if n > 0 {
			left += styles.Error.Render(" !" + strconv.Itoa(n))
		}
	}
	state := m.saver.state(m)
	right := m.level(state.level).Render(state.text)
	if state.level == forms.Info {
		right = styles.Dim.Render(state.text)
	}
	if c := m.context.Snapshot.Conn; c.State != snapshot.Live {
		text, style := words.Connection(m.env, c)
		if right != "" {
			right += styles.Dim.Render(" · ")
		}
		right += style.Render(text)
	}
	return widget.Header(left, right+" ", width)
}

func (m *Model) level(l forms.Level) themes.Style {
	switch l {
	case forms.Good:
		return m.env.Styles.Success
	case forms.Doubtful:
		return m.env.Styles.Warning
	case forms.Bad:
		return m.env.Styles.Error
	}
	return m.env.Styles.Dim
}

// body is the list of sections, the fields and the summary, side by side. top is the screen's line it begins at.
func (m *Model) body(width, height, top int) []string {
	if height <= 0 {
		return nil
	}
	styles := m.env.Styles
	bar := styles.Border.Render("│")
	list, listWidth := m.list(width)
	summary, summaryWidth := []string(nil), 0
	if width >= withSummary && m.sectionID() != train.SectionReview { // the review says the same
		summaryWidth = min(width/3, 48)
		summary = m.summary(summaryWidth)
	}
	x := 0
	if listWidth > 0 {
		x = listWidth + 2
		m.frame.list = hitList{top, listWidth, len(list)}
	}
	middle := width - x
	if summaryWidth > 0 {
		middle -= summaryWidth + 3
	}
	fields := m.fields(middle, height)
	m.place(fields, x, top)
	out := make([]string, height)
	for i := range out {
		var b strings.Builder
		if listWidth > 0 {
			line := ""
			if i < len(list) {
				line = list[i]
			}
			b.WriteString(cell.Pad(line, listWidth) + bar + " ")
		}
		line := ""
		if i < len(fields.lines) {
			line = fields.lines[i]
		}
		if summaryWidth > 0 {
			b.WriteString(cell.Pad(line, middle) + " " + bar + " ")
			line = ""
			if i < len(summary) {
				line = summary[i]
			}
		}
		b.WriteString(line)
		out[i] = b.String()
	}
	return out
}

// place takes over where things stand on the screen.
func (m *Model) place(p pane, x, y int) {
	if p.cursor && m.dialog == nil {
		m.frame.cursor = tea.NewCursor(x+p.x, y+p.y)
	}
	for _, h := range p.hits {
		h.y += y
		h.x0 += x
		h.x1 += x
		m.frame.hits = append(m.frame.hits, h)
	}
}

// list is the sections with what is wrong in them.
func (m *Model) list(width int) ([]string, int) {
	if width < narrow {
		return nil, 0
	}
	styles := m.env.Styles
	wide := 0
	for _, s := range m.form.Schema.Sections {
		wide = max(wide, cell.Width(m.env.T(s.Label)))
	}
	wide += 2 + 4 // the mark before, the count behind
	var out []string
	for i, s := range m.form.Schema.Sections {
		label, mark := m.env.T(s.Label), "  "
		count := ""
		if n := m.errors[i]; n > 0 {
			count = "!" + strconv.Itoa(min(n, 99))
		}
		label = cell.Pad(label, wide-6)
		if i == m.focus.Section {
			mark, label = styles.Accent.Render("> "), styles.Accent.Render(label)
		}
		out = append(out, mark+label+styles.Error.Render(cell.PadLeft(count, 4)))
	}
	return out, wide + 1
}

// summary says what would be created.
func (m *Model) summary(width int) []string {
	styles := m.env.Styles
	out := []string{styles.Heading.Render(cell.Truncate(m.env.T("form.summary.title"), width))}
	out = append(out, m.summaryLines(width)...)
	out = append(out, "")
	v := m.form.Verdict
	switch {
	case !v.OK():
		out = append(out, styles.Error.Render(cell.Truncate(m.env.T("form.summary.errors", "count", len(v.Errors)), width)))
		if n := len(v.Warnings); n > 0 {
			out = append(out, styles.Warning.Render(cell.Truncate(m.env.T("form.summary.warnings", "count", n), width)))
		}
	case len(v.Warnings) > 0:
		out = append(out, styles.Warning.Render(cell.Truncate(m.env.T("form.summary.warnings", "count", len(v.Warnings)), width)))
	default:
		out = append(out, styles.Success.Render(cell.Truncate(m.env.T("form.summary.fine"), width)))
	}
	if !v.Reached {
		for _, line := range cell.Wrap(m.env.T("form.summary.unreached"), width) {
			out = append(out, styles.Warning.Render(line))
		}
	}
	return out
}

// summaryLines are label and value in two columns.
func (m *Model) summaryLines(width int) []string {
	styles := m.env.Styles
	lines := m.form.Summary(m.draft)
	wide := 0
	for _, l := range lines {
		wide = max(wide, cell.Width(m.label(l.Label)))
	}
	wide = min(wide, width*2/5)
	var out []string
	for _, l := range lines {
		value := textline.Safe(start(l.Plain))
		if l.Value.Key != "" {
			value = m.say(l.Value)
		}
		label := styles.Dim.Render(cell.Pad(m.label(l.Label), wide))
		for i, part := range cell.Wrap(value, max(width-wide-2, 1)) {
			if i > 0 {
				label = cell.Spaces(wide)
			}
			if i == 3 {
				out = append(out, label+"  …")
				break
			}
			out = append(out, label+"  "+part)
		}
	}
	return out
}

// label is the text of a key, none for none.
func (m *Model) label(key string) string {
	if key == "" {
		return ""
	}
	return m.env.T(key)
}

// hints are the lines below the fields: what the last key came to, else what the field is for.
func (m *Model) hints(width, height int) []string {
	if height <= 0 {
		return nil
	}
	text, style := m.flash.text, m.level(m.flash.level)
	if text == "" {
		text, style = m.hint(), m.env.Styles.Hint
	}
	out := make([]string, 0, height)
	if text != "" {
		for _, line := range cell.Wrap(text, max(width-2, 1)) {
			if len(out) == height {
				out[height-1] = cell.Truncate(out[height-1]+"…", width)
				break
			}
			out = append(out, " "+style.Render(cell.Truncate(line, width-1)))
		}
	}
	for len(out) < height {
		out = append(out, "")
	}
	return out
}

func (m *Model) hint() string {
	f, c := m.field()
	switch {
	case f == nil:
		return m.env.T("form.review.hint")
	case c != nil && c.Hint != "":
		return m.env.T(c.Hint)
	case f.Hint != "":
		return m.env.T(f.Hint)
	}
	return ""
}

// footer shows the keys that matter now.
func (m *Model) footer(width int) string {
	bindings := m.bindings()
	if m.dialog != nil {
		bindings = m.dialog.bindings(m)
	}
	return widget.Footer(m.env.Styles, m.env.Texts, bindings, f1(m.env.Keys.Help), width)
}

// f1 is the help key without "?", which is text here.
func f1(b keys.Binding) keys.Binding {
	b.SetHelp("f1", b.Help().Desc)
	return b
}

func (m *Model) bindings() []keys.Binding {
	k := m.keys
	f, _ := m.field()
	var own []keys.Binding
	kind := m.kind()
	switch {
	case f == nil:
		own = append(own, k.Jump)
	case m.focus.Column == forms.Add:
		own = append(own, relabel(k.Open, "key.form.add"))
	case kind == forms.Toggle:
		own = append(own, k.Toggle)
	case kind == forms.Select, kind == forms.Suggest && len(m.choices()) > 0:
		own = append(own, k.Choose)
	case kind == forms.Multiline:
		own = append(own, k.Editor)
	}
	out := append([]keys.Binding{k.Next}, own...)
	if f != nil && f.ID == "args" {
		out = append(out, k.Example)
	}
	if f != nil && f.Kind == forms.Table && m.focus.Row >= 0 {
		if f.Adds(m.draft) {
			out = append(out, k.AddRow)
		}
		if f.Fixed == nil || f.Fixed(m.draft, m.focus.Row) == "" {
			out = append(out, k.RemoveRow)
		}
	}
	leave := k.Leave
	if !m.saver.keeps() {
		leave = relabel(leave, "key.form.leaveOnly")
	}
	return append(out, k.Submit, leave, k.NextSection, k.Manifest)
}

// Help tells all keys.
func (m *Model) Help() keys.Help {
	return keys.Help{Title: "form.title", Groups: m.keys.Groups(), Footer: m.bindings()}
}

// overlay draws the dialog over the form.
func (m *Model) overlay(screen string, width, height int) string {
	room := height
	if height >= withFooter {
		room -= 2 // header and footer stay
	}
	inner := max(min(width-4, 100), 1)
	free := max(room-2, 1)
	answers := ""
	if height < withFooter && free > 1 { // there is no footer to say them
		answers = m.answers(inner)
		free--
	}
	title, lines := m.dialog.view(m, inner, free)
	if answers != "" {
		lines = append(lines[:min(len(lines), free)], answers)
	}
	block := widget.Box(m.env.Styles, title, lines, min(width, 104), room)
	rows := strings.Split(block, "\n")
	wide := 0
	for _, r := range rows {
		wide = max(wide, cell.Width(r))
	}
	x, y := max((width-wide)/2, 0), max((height-len(rows))/2, 0)
	if t, ok := m.dialog.(typing); ok {
		cx, cy := t.cursor()
		if len(rows) > 2 {
			cx, cy = cx+2, cy+1
		}
		if x+cx < width && y+cy < height {
			m.frame.cursor = tea.NewCursor(x+cx, y+cy)
		}
	}
	return widget.Place(screen, block, x, y, width, height)
}

// withFooter is the height from which on the footer stays in view below a dialog.
const withFooter = 6

// answers are the first keys of the dialog, in one line.
func (m *Model) answers(width int) string {
	text := ""
	for _, b := range m.dialog.bindings(m) {
		text += m.env.Styles.Key.Render(b.Help().Key) + " " + m.env.T(b.Help().Desc) + "  "
	}
	return cell.Truncate(text, width)
}
