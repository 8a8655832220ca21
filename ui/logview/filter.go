package logview

import (
	"regexp"
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"
)

// filter lets only some lines be seen. Marks are always seen: they tell what is missing.
type filter struct {
	text    string
	pattern *regexp.Regexp
	numbers []int  // of the lines that are seen, ascending; only while there is a pattern
	next    int    // number of the first line that was not looked at yet
	running *sieve // the step that runs beside; nil: none
	anchor  int    // number of the line near which to stay as lines are found; -1: stay where it is
}

func (f *filter) clear() { f.numbers, f.next, f.running, f.anchor = nil, 0, nil, -1 }

// behind tells whether lines are held that were not looked at yet.
func (f *filter) behind(s *store) bool { return f.pattern != nil && f.next < s.next() }

// drop forgets lines that are no longer held.
func (f *filter) drop(s *store) {
	if i := sort.SearchInts(f.numbers, s.first); i > 0 {
		f.numbers = slices.Clone(f.numbers[i:])
	}
	f.next = max(f.next, s.first)
}

// sieve is the next step.
func (f *filter) sieve(s *store) *sieve {
	return &sieve{pattern: f.pattern, lines: s.lines[f.next-s.first:], from: f.next}
}

// take adds what a step found.
func (f *filter) take(s *store, pass []int, next int) {
	f.numbers, f.next = append(f.numbers, pass...), next
	f.drop(s)
}

// count is how many lines are seen.
func (f *filter) count(s *store) int {
	if f.pattern == nil {
		return len(s.lines)
	}
	return len(f.numbers)
}

// written is how many of the lines that are seen a program wrote: all but the marks.
func (f *filter) written(s *store) int {
	if f.pattern == nil {
		return len(s.lines) - len(s.marks)
	}
	return len(f.numbers) - sort.SearchInts(s.marks, f.next)
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

// setFilter lets only lines be seen that match; nil: all.
func (m *Model) setFilter(text string, pattern *regexp.Regexp) tea.Cmd {
	m.filter = filter{text: text, anchor: -1}
	m.redraw()
	if pattern == nil {
		return nil
	}
	m.filter.pattern = pattern
	m.filter.next = m.store.first
	if !m.follow {
		m.filter.anchor = m.top.line
	}
	return m.sift()
}

// sift looks at lines that the filter has not seen: some at once, the others beside.
func (m *Model) sift() tea.Cmd {
	f := &m.filter
	if f.pattern == nil || f.running != nil {
		return nil
	}
	f.drop(&m.store)
	if f.behind(&m.store) {
		pass, next := f.sieve(&m.store).run(step())
		f.take(&m.store, pass, next)
	}
	m.settle()
	if !f.behind(&m.store) {
		return nil
	}
	f.running = f.sieve(&m.store)
	return f.running.command()
}

// sifted takes what a step found and begins the next one.
func (m *Model) sifted(msg siftedMsg) tea.Cmd {
	f := &m.filter
	if msg.of != f.running || msg.of == nil {
		return nil // of a filter that is gone
	}
	f.running = nil
	f.take(&m.store, msg.pass, msg.next)
	m.settle()
	if !f.behind(&m.store) {
		return nil
	}
	f.running = f.sieve(&m.store)
	return f.running.command()
}

// settle stays at the line at which the filter was set, or at the next line that is seen; as long as none is known, at
// the last one before.
func (m *Model) settle() {
	f := &m.filter
	if f.anchor < 0 || m.follow {
		return
	}
	n, _ := f.after(&m.store, f.anchor-1)
	if n >= m.store.next() && f.behind(&m.store) {
		before, ok := f.before(&m.store, f.anchor)
		if !ok {
			return
		}
		n = before
	}
	m.top = place{line: n}
	if f.next > f.anchor && n < m.store.next() || !f.behind(&m.store) {
		f.anchor = -1
	}
}
