package logview

import (
	"slices"
	"sort"

	"muster.dev/muster/backend/logs"
)

// The most that is held in memory; the oldest lines go first, in steps of a tenth.
const (
	maxLines = 200_000
	maxBytes = 64 << 20
)

// store holds the newest lines. A line keeps its number for good, also when older ones are dropped.
type store struct {
	lines   []logs.Line
	first   int   // number of lines[0] = how many were dropped
	marks   []int // numbers of the lines that are marks, ascending
	size    int   // bytes of text
	limit   int   // lines
	maxSize int
}

func newStore() store { return store{limit: maxLines, maxSize: maxBytes} }

// add appends lines and drops old ones that are too many.
func (s *store) add(lines []logs.Line) {
	for i := range lines {
		s.size += len(lines[i].Text)
		if lines[i].Mark != logs.NoMark {
			s.marks = append(s.marks, s.next()+i)
		}
	}
	s.lines = append(s.lines, lines...)
	if len(s.lines) <= s.limit && s.size <= s.maxSize {
		return
	}
	keepLines, keepSize := s.limit-s.limit/10, s.maxSize-s.maxSize/10
	drop := 0
	for drop < len(s.lines)-1 && (len(s.lines)-drop > keepLines || s.size > keepSize) {
		s.size -= len(s.lines[drop].Text)
		drop++
	}
	s.lines = append([]logs.Line(nil), s.lines[drop:]...) // a new array: the old texts are freed
	s.first += drop
	if i := sort.SearchInts(s.marks, s.first); i > 0 {
		s.marks = slices.Clone(s.marks[i:])
	}
}

// next is the number that the next line will have.
func (s *store) next() int { return s.first + len(s.lines) }

// at returns line number n, which must be held.
func (s *store) at(n int) *logs.Line { return &s.lines[n-s.first] }
