package logview

import (
	"regexp"
	"sort"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
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
}

// filter lets only some lines be seen. Marks are always seen: they tell what is missing.
type filter struct {
	text    string
	pattern *regexp.Regexp
	numbers []int // of the lines that are seen, ascending; only while there is a pattern
}

// compile reads a regular expression, or the text itself when it is none. Small letters match capital ones too.
func compile(text string) *regexp.Regexp {
	fold := "(?i)"
	if strings.IndexFunc(text, unicode.IsUpper) >= 0 {
		fold = ""
	}
	if pattern, err := regexp.Compile(fold + text); err == nil {
		return pattern
	}
	return regexp.MustCompile(fold + regexp.QuoteMeta(text))
}

// visible is the text as it is shown, without colours.
func visible(line *logs.Line) string { return safetext.Clean(safetext.LastState(line.Text)) }

func (f *filter) clear() { f.numbers = nil }

// extend looks at the lines from number on, and forgets those that were dropped.
func (f *filter) extend(s *store, from int) {
	if f.pattern == nil {
		return
	}
	if i := sort.SearchInts(f.numbers, s.first); i > 0 {
		f.numbers = append([]int(nil), f.numbers[i:]...)
	}
	for n := max(from, s.first); n < s.next(); n++ {
		if line := s.at(n); line.Mark != logs.NoMark || f.pattern.MatchString(visible(line)) {
			f.numbers = append(f.numbers, n)
		}
	}
}

// count is how many lines are seen.
func (f *filter) count(s *store) int {
	if f.pattern == nil {
		return len(s.lines)
	}
	return len(f.numbers)
}

// at is the number of the i-th line that is seen.
func (f *filter) at(s *store, i int) (int, bool) {
	if i < 0 || i >= f.count(s) {
		return 0, false
	}
	if f.pattern == nil {
		return s.first + i, true
	}
	return f.numbers[i], true
}

// after is the first line seen after number n; the number of the next line to come when there is none yet.
func (f *filter) after(s *store, n int) (int, bool) {
	if f.pattern == nil {
		return max(n+1, s.first), true
	}
	if i := sort.SearchInts(f.numbers, n+1); i < len(f.numbers) {
		return f.numbers[i], true
	}
	return s.next(), true
}

// before is the last line seen before number n.
func (f *filter) before(s *store, n int) (int, bool) {
	if f.pattern == nil {
		return n - 1, n-1 >= s.first
	}
	if i := sort.SearchInts(f.numbers, n) - 1; i >= 0 {
		return f.numbers[i], true
	}
	return 0, false
}

func (m *Model) setFilter(text string) {
	m.filter = filter{text: text}
	if text != "" {
		m.filter.pattern = compile(text)
		m.filter.extend(&m.store, m.store.first)
		// stay at the same place, or at the next line that is seen
		if m.top.line < m.store.next() {
			n, _ := m.filter.after(&m.store, m.top.line-1)
			m.top = place{line: n}
		}
	}
	m.redraw()
}

func (m *Model) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		m.prompt = nil
	case "enter":
		text, filters := m.prompt.line.Text(), m.prompt.filters
		m.prompt = nil
		if filters {
			m.setFilter(text)
			return nil
		}
		m.search = search{}
		m.redraw()
		if text != "" {
			m.search = search{text: text, pattern: compile(text)}
			return m.find(1)
		}
	default:
		m.prompt.line.Update(msg)
	}
	return nil
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
	total := m.filter.count(&m.store)
	from, skip := m.top.line, 0
	if m.search.found && m.search.at >= m.store.first {
		from, skip = m.search.at, 1
	}
	start := sort.Search(total, func(i int) bool {
		n, _ := m.filter.at(&m.store, i)
		return n >= from
	})
	for step := range total {
		i := ((start+(skip+step)*direction)%total + total) % total
		n, _ := m.filter.at(&m.store, i)
		if line := m.store.at(n); line.Mark == logs.NoMark && m.search.pattern.MatchString(visible(line)) {
			m.search.at, m.search.found = n, true
			m.top = place{line: n}
			m.redraw()
			m.Move(-m.height / 3)
			return nil
		}
	}
	return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("search.nothing", "text", m.search.text)})
}
