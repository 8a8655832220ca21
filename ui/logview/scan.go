package logview

import (
	"regexp"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/ui/safetext"
)

// How much text is looked through at once. What is held can take a second: no key may wait for that, so only the first
// step of a search and small additions to a filtered log are done where keys are handled; the rest runs beside it.
const (
	stepLines = 1000
	stepBytes = 128 << 10
	// A step that runs beside: short enough to stop soon, long enough that showing how far it is costs little.
	asideLines = 16_000
	asideBytes = 2 << 20
)

// budget is how much one step may still look at.
type budget struct{ lines, bytes int }

func step() budget  { return budget{stepLines, stepBytes} }
func aside() budget { return budget{asideLines, asideBytes} }

// spend takes a line into account. It is false when there is no room for it; whole: a step that runs beside does at
// least one line, of any length.
func (b *budget) spend(line *logs.Line) bool {
	whole := b.lines == asideLines
	if !whole && (b.lines <= 0 || b.bytes < len(line.Text)) {
		return false
	}
	b.lines--
	b.bytes -= len(line.Text)
	return true
}

// visible is the text as it is shown, without colours.
func visible(line *logs.Line) string { return safetext.Clean(safetext.LastState(line.Text)) }

// finder looks for the next line that matches, on the lines as they were when it began: the array of a store is never
// changed, only added to or replaced.
type finder struct {
	pattern   *regexp.Regexp
	lines     []logs.Line
	first     int   // number of lines[0]
	numbers   []int // of the lines that are seen; nil: all
	start     int   // where it begins, among those seen
	direction int
	done      int // how many it has looked at
}

func (f *finder) total() int {
	if f.numbers != nil {
		return len(f.numbers)
	}
	return len(f.lines)
}

// run looks at as many lines as the budget allows. found tells that number is the one; over that there is none.
func (f *finder) run(b budget) (number int, found, over bool) {
	total := f.total()
	for ; f.done < total; f.done++ {
		i := ((f.start+f.done*f.direction)%total + total) % total
		number = f.first + i
		if f.numbers != nil {
			number = f.numbers[i]
		}
		line := &f.lines[number-f.first]
		if line.Mark != logs.NoMark {
			continue
		}
		if !b.spend(line) {
			return 0, false, false
		}
		if f.pattern.MatchString(visible(line)) {
			return number, true, true
		}
	}
	return 0, false, true
}

// foundMsg is what one step of a search came to.
type foundMsg struct {
	of     *finder
	number int
	found  bool
	over   bool
	done   int // how many lines were looked at
}

// step looks at as many lines as the budget allows.
func (f *finder) step(b budget) foundMsg {
	number, found, over := f.run(b)
	return foundMsg{of: f, number: number, found: found, over: over, done: f.done}
}

// next is the command that does the next step.
func (f *finder) next() tea.Cmd {
	return func() tea.Msg { return f.step(aside()) }
}

// sieve is one step of filtering, on the lines as they are now.
type sieve struct {
	pattern *regexp.Regexp
	lines   []logs.Line
	from    int // number of lines[0]
}

// run returns the numbers of the lines that pass and the number of the first line that was not looked at.
func (s *sieve) run(b budget) (pass []int, next int) {
	for i := range s.lines {
		line := &s.lines[i]
		if !b.spend(line) {
			return pass, s.from + i
		}
		if line.Mark != logs.NoMark || s.pattern.MatchString(visible(line)) {
			pass = append(pass, s.from+i)
		}
	}
	return pass, s.from + len(s.lines)
}

// siftedMsg is what one step of filtering came to.
type siftedMsg struct {
	of   *sieve
	pass []int
	next int
}

func (s *sieve) command() tea.Cmd {
	return func() tea.Msg {
		pass, next := s.run(aside())
		return siftedMsg{of: s, pass: pass, next: next}
	}
}
