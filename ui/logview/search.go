package logview

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"sort"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget"
)

// prompt is the line where a search or a filter is typed.
type prompt struct {
	line    widget.Prompt
	filters bool
}

// search is what is looked for.
type search struct {
	text    string
	pattern *regexp.Regexp
	at      int // number of the line found last
	found   bool
	running *finder // nil: nothing is looked for now
	done    int     // how many lines it has looked at
}

// compile reads a regular expression; of no text there is none. Small letters match capital ones too.
func compile(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	if _, err := regexp.Compile(text); err != nil {
		return nil, err // without the flag in its words
	}
	if strings.IndexFunc(text, unicode.IsUpper) < 0 {
		text = "(?i)" + text
	}
	return regexp.Compile(text)
}

func (m *Model) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		return m.look(m.prompt.filters, "", nil)
	case "enter":
		text := m.prompt.line.Text()
		pattern, err := compile(text)
		if err != nil {
			return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("search.invalid", "error", fault(err))})
		}
		return m.look(m.prompt.filters, text, pattern)
	default:
		m.prompt.line.Update(msg)
	}
	return nil
}

// look closes the prompt and filters by what was typed there, or searches for it; nil ends the filter or search.
func (m *Model) look(filters bool, text string, pattern *regexp.Regexp) tea.Cmd {
	m.prompt = nil
	if filters {
		return m.setFilter(text, pattern)
	}
	m.search = search{text: text, pattern: pattern}
	m.redraw()
	if pattern == nil {
		return nil
	}
	return m.find(1)
}

// fault is what is wrong with an expression, and where: "missing closing ): (a|".
func fault(err error) string {
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return wrong.Code.String() + ": " + wrong.Expr
	}
	return err.Error()
}

// findNext goes to the next match below (1) or above (-1) the last one.
func (m *Model) findNext(direction int) tea.Cmd {
	if m.search.pattern == nil {
		return m.Send(nav.Notify{Level: nav.Info, Text: m.env.T("search.none")})
	}
	return m.find(direction)
}

// find looks from the line found last, or from the first one on the screen, and from the other end when there is
// nothing more. The line comes to the upper third of the screen.
func (m *Model) find(direction int) tea.Cmd {
	m.setFollow(false)
	f := &finder{
		pattern: m.search.pattern, lines: m.store.lines, first: m.store.first, numbers: m.filter.numbers, direction: direction,
	}
	if m.filter.pattern != nil && f.numbers == nil {
		f.numbers = []int{}
	}
	from, skip := m.top.line, 0
	if m.search.found && m.search.at >= m.store.first {
		from, skip = m.search.at, 1
	}
	total := f.total()
	f.start = skip*direction + sort.Search(total, func(i int) bool {
		n, _ := m.filter.at(&m.store, i)
		return n >= from
	})
	m.search.running = f
	return m.found(f.step(step()))
}

// found goes to what a step of the search found, or begins the next step.
func (m *Model) found(msg foundMsg) tea.Cmd {
	if msg.of == nil || msg.of != m.search.running {
		return nil // given up
	}
	m.search.done = msg.done
	if !msg.over {
		return msg.of.next()
	}
	m.search.running = nil
	if !msg.found {
		return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("search.nothing", "text", m.search.text)})
	}
	m.setFollow(false)
	number := max(msg.number, m.store.first)
	m.search.at, m.search.found = number, true
	m.top = place{line: number}
	m.filter.anchor = -1
	m.redraw()
	m.Move(-m.height / 3)
	return nil
}

// percent is how far something is, for the state line.
func percent(done, total int) string { return " " + strconv.Itoa(100*done/max(total, 1)) + " %" }
