package logs

import (
	"container/heap"
	"time"
)

// Merger puts the lines of many sources into one sequence in time order. It has no goroutine and no clock: the
// caller says what time it is. Not safe for concurrent use; [Mux] is.
//
// What is guaranteed: lines of one source keep their order, and none is lost or repeated. Across sources the
// sequence is in order of stamps as long as a source's line comes within the hold-back of the lines of others that
// are younger: a line waits until every source that is not idle has shown its next one, or until it has been held
// for the hold-back. A source is idle when nothing came from it for the hold-back. A line that comes later than
// that is handed on at once, out of order rather than lost.
type Merger struct {
	holdBack time.Duration
	floor    time.Time // see HoldUntil
	sources  []*source
	heads    headHeap
	// waiting are the open sources that have no line and may still be waited for.
	waiting int
	free    []int
}

type source struct {
	id     int
	lines  []Line
	next   int       // of lines, the first not yet popped
	runs   []arrival // when lines came, in order
	key    time.Time // of the head: its stamp, but never before the one popped last
	last   time.Time // key popped last
	heard  time.Time // when something came last, or it was opened
	bytes  int       // of lines not yet popped
	open   bool
	awaits bool // counted in waiting
	index  int  // in heads; -1 when it has no line
}

type arrival struct {
	upTo int // lines before this index came not later than at
	at   time.Time
}

// NewMerger makes a merger that holds lines of live sources back for the given time.
func NewMerger(holdBack time.Duration) *Merger {
	return &Merger{holdBack: holdBack}
}

// HoldUntil sets a time before which no source counts as idle: at the start of many streams, whose backlogs come in any
// order, nothing is handed on before each has shown its first line.
func (m *Merger) HoldUntil(t time.Time) { m.floor = t }

// Open adds a source and returns its number, valid until [Merger.Close] and all its lines were popped.
func (m *Merger) Open(now time.Time) int {
	var id int
	if n := len(m.free); n > 0 {
		id, m.free = m.free[n-1], m.free[:n-1]
	} else {
		id = len(m.sources)
		m.sources = append(m.sources, nil)
	}
	m.sources[id] = &source{id: id, heard: now, open: true, awaits: true, index: -1}
	m.waiting++
	return id
}

// Push gives lines of a source, which the merger then owns.
func (m *Merger) Push(id int, lines []Line, now time.Time) {
	if len(lines) == 0 {
		return
	}
	s := m.sources[id]
	if s.next == len(s.lines) {
		s.lines, s.next, s.runs = s.lines[:0], 0, s.runs[:0]
	}
	if s.next >= 1024 && s.next*2 >= len(s.lines) {
		s.compact()
	}
	s.lines = append(s.lines, lines...)
	for i := range lines {
		s.bytes += len(lines[i].Text)
	}
	s.runs = append(s.runs, arrival{upTo: len(s.lines), at: now})
	s.heard = now
	if s.awaits {
		s.awaits = false
		m.waiting--
	}
	if s.index < 0 {
		s.setKey()
		heap.Push(&m.heads, s)
	}
}

// Close says that no more lines come from the source. What it has is still popped.
func (m *Merger) Close(id int) {
	s := m.sources[id]
	s.open = false
	if s.awaits {
		s.awaits = false
		m.waiting--
	}
	if s.index < 0 {
		m.drop(s)
	}
}

// Buffered is how many lines and bytes of text of a source wait to be popped.
func (m *Merger) Buffered(id int) (lines, bytes int) {
	s := m.sources[id]
	if s == nil {
		return 0, 0
	}
	return len(s.lines) - s.next, s.bytes
}

// Empty tells whether nothing waits to be popped.
func (m *Merger) Empty() bool { return len(m.heads) == 0 }

// Pop appends to dst what may be handed on now, at most limit lines.
func (m *Merger) Pop(dst []Line, limit int, now time.Time) []Line {
	if m.waiting > 0 {
		m.expire(now)
	}
	for n := 0; n < limit && len(m.heads) > 0; n++ {
		s := m.heads[0]
		if m.waiting > 0 && (now.Sub(s.arrived()) < m.holdBack || now.Before(m.floor)) {
			break
		}
		dst = append(dst, s.lines[s.next])
		s.bytes -= len(s.lines[s.next].Text)
		s.lines[s.next] = Line{}
		s.next++
		s.last = s.key
		if s.next < len(s.lines) {
			s.setKey()
			heap.Fix(&m.heads, 0)
			continue
		}
		heap.Pop(&m.heads)
		switch {
		case !s.open:
			m.drop(s)
		case now.Sub(s.heard) < m.holdBack:
			s.awaits = true
			m.waiting++
		}
	}
	return dst
}

// Next is when [Merger.Pop] has something if nothing more comes; ok is false when nothing waits.
func (m *Merger) Next() (at time.Time, ok bool) {
	if len(m.heads) == 0 {
		return time.Time{}, false
	}
	head := m.heads[0]
	at = head.arrived()
	if m.waiting == 0 {
		return at, true
	}
	at = at.Add(m.holdBack)
	// All that are waited for may be idle before.
	var idle time.Time
	for _, s := range m.sources {
		if s != nil && s.awaits && s.heard.After(idle) {
			idle = s.heard
		}
	}
	if idle = idle.Add(m.holdBack); idle.Before(at) {
		at = idle
	}
	if at.Before(m.floor) {
		at = m.floor
	}
	return at, true
}

// expire stops waiting for sources that are idle.
func (m *Merger) expire(now time.Time) {
	if now.Before(m.floor) {
		return
	}
	for _, s := range m.sources {
		if s != nil && s.awaits && now.Sub(s.heard) >= m.holdBack {
			s.awaits = false
			m.waiting--
		}
	}
}

func (m *Merger) drop(s *source) {
	m.sources[s.id] = nil
	m.free = append(m.free, s.id)
}

// compact gives back the room of the lines already popped: a source that never runs dry must not grow.
func (s *source) compact() {
	left := copy(s.lines, s.lines[s.next:])
	clear(s.lines[left:])
	s.lines = s.lines[:left]
	for i := range s.runs {
		s.runs[i].upTo -= s.next
	}
	s.next = 0
}

// setKey gives the head its place: its stamp, yet never before what the same source already handed on.
func (s *source) setKey() {
	s.key = s.lines[s.next].Time
	if s.key.Before(s.last) {
		s.key = s.last
	}
}

// arrived is when the head came.
func (s *source) arrived() time.Time {
	for len(s.runs) > 1 && s.next >= s.runs[0].upTo {
		s.runs = s.runs[1:]
	}
	return s.runs[0].at
}

// headHeap orders sources that have lines by the key of their head; equal keys by number, so that the order is
// always the same.
type headHeap []*source

func (h headHeap) Len() int { return len(h) }
func (h headHeap) Less(i, j int) bool {
	if c := h[i].key.Compare(h[j].key); c != 0 {
		return c < 0
	}
	return h[i].id < h[j].id
}
func (h headHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *headHeap) Push(x any) {
	s := x.(*source)
	s.index = len(*h)
	*h = append(*h, s)
}
func (h *headHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	s.index = -1
	return s
}
