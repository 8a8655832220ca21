package editor

import (
	"strings"

	"muster.dev/muster/ui/widget/textline"
)

// position is a place in the text: a line and a byte offset in it.
type position struct{ row, offset int }

// edit is one change: inserted stands where removed stood. It can be turned round.
type edit struct {
	from              position
	removed, inserted string
	before, after     position // the cursor
}

// buffer is the text as lines. A line break is "\n" and nothing else: a CR of a file stays in its line.
type buffer struct {
	lines  []textline.Line // never empty
	bytes  int             // size of the text
	joined *string         // the whole text, while it is known
}

func newBuffer(text string) buffer {
	parts := strings.Split(text, "\n")
	b := buffer{lines: make([]textline.Line, len(parts)), bytes: len(text), joined: &text}
	for i, p := range parts {
		b.lines[i] = textline.New(p)
	}
	return b
}

func (b *buffer) text() string {
	if b.joined == nil {
		var s strings.Builder
		s.Grow(b.bytes)
		for i, l := range b.lines {
			if i > 0 {
				s.WriteByte('\n')
			}
			s.WriteString(l.Text())
		}
		t := s.String()
		b.joined = &t
	}
	return *b.joined
}

// between is the text from one position to another.
func (b *buffer) between(from, to position) string {
	if from.row == to.row {
		return b.lines[from.row].Text()[from.offset:to.offset]
	}
	var s strings.Builder
	s.WriteString(b.lines[from.row].Text()[from.offset:])
	for r := from.row + 1; r < to.row; r++ {
		s.WriteByte('\n')
		s.WriteString(b.lines[r].Text())
	}
	s.WriteByte('\n')
	s.WriteString(b.lines[to.row].Text()[:to.offset])
	return s.String()
}

// replace puts text where from … to was and returns the position behind it.
func (b *buffer) replace(from, to position, text string) position {
	b.joined = nil
	b.bytes += len(text) - b.length(from, to)
	head := b.lines[from.row].Text()[:from.offset]
	tail := b.lines[to.row].Text()[to.offset:]
	if !strings.Contains(text, "\n") && from.row == to.row {
		b.lines[from.row] = textline.New(head + text + tail)
		return position{from.row, from.offset + len(text)}
	}
	parts := strings.Split(text, "\n")
	last := len(parts) - 1
	end := position{from.row + last, len(parts[last])}
	if last == 0 {
		end.offset += len(head)
	}
	parts[0] = head + parts[0]
	parts[last] += tail
	fresh := make([]textline.Line, len(parts))
	for i, p := range parts {
		fresh[i] = textline.New(p)
	}
	lines := make([]textline.Line, 0, len(b.lines)-(to.row-from.row)+last)
	lines = append(lines, b.lines[:from.row]...)
	lines = append(lines, fresh...)
	b.lines = append(lines, b.lines[to.row+1:]...)
	return end
}

func (b *buffer) length(from, to position) int {
	if from.row == to.row {
		return to.offset - from.offset
	}
	n := len(b.lines[from.row].Text()) - from.offset + to.offset + to.row - from.row
	for r := from.row + 1; r < to.row; r++ {
		n += len(b.lines[r].Text())
	}
	return n
}

// behind is where a text that begins at from ends.
func behind(from position, text string) position {
	n := strings.Count(text, "\n")
	if n == 0 {
		return position{from.row, from.offset + len(text)}
	}
	return position{from.row + n, len(text) - strings.LastIndexByte(text, '\n') - 1}
}
