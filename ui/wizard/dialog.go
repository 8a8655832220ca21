package wizard

import (
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/forms"
	"muster.dev/muster/forms/train"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/widget/input"
	"muster.dev/muster/ui/widget/textline"
)

// dialog stands over the form and has the keyboard.
type dialog interface {
	key(*Model, tea.KeyPressMsg) tea.Cmd
	paste(*Model, string)
	// view gives title and lines for at most width × height cells.
	view(m *Model, width, height int) (title string, lines []string)
	bindings(*Model) []keys.Binding
}

// typing is a dialog in which text is typed: where its cursor stands, in its lines.
type typing interface {
	cursor() (x, y int)
}

// picker chooses one of the options of a field.
type picker struct {
	label   string
	options []forms.Option
	labels  []string // what is searched and shown
	free    bool     // what is typed may be taken too
	filter  input.Model
	shown   []int // of options, best first; -1: what is typed
	at      int
	column  int // of the cursor
}

// pick opens the options of what has the focus.
func (m *Model) pick(typed string) {
	f, c := m.field()
	p := &picker{label: f.Label, options: m.choices(), free: m.kind() == forms.Suggest}
	if c != nil {
		p.label = c.Label
	}
	for _, o := range p.options {
		p.labels = append(p.labels, m.optionLabel(o))
	}
	p.filter.SetValue(typed)
	p.search()
	now := m.draft.Get(m.focus.Path())
	for i, n := range p.shown {
		if n >= 0 && p.options[n].Value == now {
			p.at = i
		}
	}
	m.dialog = p
}

// optionLabel is what is shown of an option.
func (m *Model) optionLabel(o forms.Option) string {
	if o.Label.Key == "" {
		return textline.Safe(o.Value)
	}
	return m.say(o.Label)
}

func (m *Model) say(s forms.Said) string {
	if s.Key == "" {
		return ""
	}
	args := make(map[string]any, len(s.Args))
	for name, value := range s.Args {
		args[name] = brief(value)
	}
	if n, err := strconv.Atoi(s.Args["count"]); err == nil {
		args["count"] = n // it decides the plural, and must be a number for that
	}
	return m.env.T(s.Key, args)
}

// problemText is a problem in words.
func (m *Model) problemText(p job.Problem) string { return m.env.Texts.Problem(p) }

// mention is how much of a value is repeated in a sentence about it. It stands in full where it was typed.
const mention = 120

// brief cuts a value that is too long for a sentence.
func brief(value string) string {
	if len(value) <= mention {
		return value
	}
	end := mention
	for end > 0 && !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end] + cell.Ellipsis
}

func (p *picker) search() {
	p.shown, p.at = p.shown[:0], 0
	text := p.filter.Value()
	if text == "" {
		for i := range p.options {
			p.shown = append(p.shown, i)
		}
		return
	}
	exact := false
	for _, match := range fuzzy.Find(text, p.labels) {
		p.shown = append(p.shown, match.Index)
		exact = exact || p.options[match.Index].Value == text
	}
	if p.free && !exact {
		p.shown = append(p.shown, -1)
	}
}

func (p *picker) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keys.Matches(k, m.keys.Cancel):
		m.dialog = nil
	case keys.Matches(k, m.keys.Open, m.keys.Next):
		m.dialog = nil
		if p.at >= len(p.shown) {
			return nil
		}
		text := p.filter.Value()
		if n := p.shown[p.at]; n >= 0 {
			text = p.options[n].Value
		}
		m.set(text)
		m.load()
	case keys.Matches(k, m.keys.Up):
		p.at = max(p.at-1, 0)
	case keys.Matches(k, m.keys.Down):
		p.at = min(p.at+1, max(len(p.shown)-1, 0))
	case keys.Matches(k, m.keys.PageUp):
		p.at = max(p.at-10, 0)
	case keys.Matches(k, m.keys.PageDown):
		p.at = min(p.at+10, max(len(p.shown)-1, 0))
	default:
		before := p.filter.Value()
		if p.filter.Key(k) && p.filter.Value() != before {
			p.search()
		}
	}
	return nil
}

func (p *picker) paste(_ *Model, text string) {
	p.filter.Paste(text)
	p.search()
}

func (p *picker) view(m *Model, width, height int) (string, []string) {
	styles := m.env.Styles
	prompt := "/ "
	needed := 44
	for i := range p.options {
		needed = max(needed, cell.Width(p.labels[i])+cell.Width(m.say(p.options[i].Detail))+4)
	}
	width = min(width, needed)
	field, x := p.filter.View(max(width-cell.Width(prompt), 1), true, input.Styles{Text: styles.FieldFocus, Odd: styles.Dim})
	p.column = x + cell.Width(prompt)
	lines := []string{styles.Key.Render(prompt) + field}
	rows := max(height-1, 1)
	from := min(max(p.at-rows/2, 0), max(len(p.shown)-rows, 0))
	wide := 0
	for _, n := range p.shown {
		if n >= 0 {
			wide = max(wide, cell.Width(p.labels[n]))
		}
	}
	wide = min(wide, max(width*2/3, width-30))
	for i := from; i < min(from+rows, len(p.shown)); i++ {
		n := p.shown[i]
		text := m.env.T("form.pick.typed", "text", p.filter.Value())
		detail := ""
		if n >= 0 {
			text, detail = cell.Pad(p.labels[n], wide), m.say(p.options[n].Detail)
		}
		line := cell.Pad(" "+text+"  "+detail, width)
		if i == p.at {
			lines = append(lines, styles.Selected.Render(line))
			continue
		}
		if detail != "" {
			line = " " + text + "  " + styles.Dim.Render(cell.Truncate(detail, max(width-wide-3, 0)))
		}
		lines = append(lines, cell.Truncate(line, width))
	}
	if len(p.shown) == 0 {
		lines = append(lines, styles.Dim.Render(cell.Truncate(m.env.T("form.pick.none"), width)))
	}
	return m.env.T(p.label), lines
}

func (p *picker) cursor() (int, int) { return p.column, 0 }

func (p *picker) bindings(m *Model) []keys.Binding {
	return []keys.Binding{m.keys.Choose, m.keys.Up, m.keys.Down, m.keys.Cancel}
}

// reader shows text to read: the manifest.
type reader struct {
	title string
	lines []string
	wrap  []string // sentences that are broken into lines where they are shown; nil: lines are shown as they are
	top   int
	page  int
	under dialog // what it stands over, to come back to
}

func (m *Model) showManifest() {
	r := &reader{title: "form.manifest.title", under: m.dialog}
	manifest, problems := m.form.Manifest()
	if manifest == "" {
		r.wrap = append(r.wrap, m.env.T("form.manifest.none", "count", len(problems)))
		for _, p := range problems {
			r.wrap = append(r.wrap, errorMark+m.problemLine(p))
		}
	} else {
		for line := range strings.SplitSeq(strings.TrimRight(manifest, "\n"), "\n") {
			r.lines = append(r.lines, textline.Safe(strings.ReplaceAll(line, "\t", "    ")))
		}
	}
	m.dialog = r
}

func (r *reader) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	last := max(len(r.lines)-r.page, 0)
	switch {
	case keys.Matches(k, m.keys.Cancel, m.keys.Manifest, m.keys.Open):
		m.dialog = r.under
	case keys.Matches(k, m.keys.Up), k.Keystroke() == "k":
		r.top = max(r.top-1, 0)
	case keys.Matches(k, m.keys.Down), k.Keystroke() == "j":
		r.top = min(r.top+1, last)
	case keys.Matches(k, m.keys.PageUp):
		r.top = max(r.top-r.page, 0)
	case keys.Matches(k, m.keys.PageDown):
		r.top = min(r.top+r.page, last)
	case keys.Matches(k, m.keys.HalfUp):
		r.top = max(r.top-max(r.page/2, 1), 0)
	case keys.Matches(k, m.keys.HalfDown):
		r.top = min(r.top+max(r.page/2, 1), last)
	case keys.Matches(k, m.keys.Top):
		r.top = 0
	case keys.Matches(k, m.keys.Bottom):
		r.top = last
	}
	return nil
}

func (r *reader) paste(*Model, string) {}

func (r *reader) view(m *Model, width, height int) (string, []string) {
	if r.wrap != nil {
		r.lines = nil
		for _, sentence := range r.wrap {
			r.lines = append(r.lines, cell.Wrap(sentence, width)...)
		}
	}
	r.page = height
	r.top = min(r.top, max(len(r.lines)-height, 0))
	var out []string
	for _, line := range r.lines[r.top:min(r.top+height, len(r.lines))] {
		out = append(out, cell.Pad(line, width))
	}
	return m.env.T(r.title) + " " + m.env.T("form.manifest.lines", "from", min(r.top+1, len(r.lines)), "to", r.top+len(out), "count", len(r.lines)), out
}

func (r *reader) bindings(m *Model) []keys.Binding {
	return []keys.Binding{m.keys.Up, m.keys.Down, m.keys.PageDown, m.keys.Top, m.keys.Bottom, relabel(m.keys.Cancel, "key.form.close")}
}

// examples shows the command lines of the frameworks; one is filled in only on asking.
type examples struct {
	all []train.Example
	at  int
}

func (m *Model) showExamples() {
	e := &examples{all: train.Examples()}
	for i, example := range e.all {
		if string(example.Framework) == m.draft.Get("framework") {
			e.at = i
		}
	}
	m.dialog = e
}

func (e *examples) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keys.Matches(k, m.keys.Cancel):
		m.dialog = nil
	case keys.Matches(k, m.keys.Left, m.keys.Previous, m.keys.Up):
		e.at = max(e.at-1, 0)
	case keys.Matches(k, m.keys.Right, m.keys.Next, m.keys.Down):
		e.at = min(e.at+1, len(e.all)-1)
	case keys.Matches(k, m.keys.Open):
		m.dialog = nil
		train.FillIn(m.draft, e.all[e.at])
		if stop, ok := m.form.Schema.Find(m.draft, "args"); ok {
			m.enter(stop)
		}
	}
	return nil
}

func (e *examples) paste(*Model, string) {}

func (e *examples) view(m *Model, width, _ int) (string, []string) {
	styles := m.env.Styles
	tabs := ""
	for i, example := range e.all {
		style := styles.Tab
		if i == e.at {
			style = styles.TabOpen
		}
		tabs += style.Render(string(example.Framework)) + "   "
	}
	lines := []string{tabs, ""}
	for line := range strings.SplitSeq(strings.TrimRight(e.all[e.at].Args, "\n"), "\n") {
		lines = append(lines, cell.Pad(line, min(width, 72)))
	}
	lines = append(lines, "")
	for _, line := range cell.Wrap(m.env.T("form.example.note"), min(width, 72)) {
		lines = append(lines, styles.Hint.Render(line))
	}
	return m.env.T("form.example.title"), lines
}

func (e *examples) bindings(m *Model) []keys.Binding {
	return []keys.Binding{relabel(m.keys.Open, "key.form.fillIn"), m.keys.Left, m.keys.Right, m.keys.Cancel}
}
