package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest piece, in bytes, in which a line is handed on. A longer line comes in several pieces that
// share its stamp: nothing of it is lost, and memory stays bounded whatever a container writes.
const MaxLine = 4 << 20

// LineReader reads newline-ended lines of any length.
type LineReader struct {
	r    *bufio.Reader
	long []byte
	part bool // the piece before this one did not end its line
}

// NewLineReader reads from r.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// Ready tells whether a whole line is at hand without waiting for r.
func (l *LineReader) Ready() bool {
	waiting, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(waiting, '\n') >= 0
}

// Next returns the next line, newline included, or a piece of [MaxLine] bytes. continued tells that the piece goes
// on the line of the piece before. The slice is valid until the next call. At the end of input err is what ended it
// and line whatever came after the last newline, possibly nothing: a line that was cut, unless the input is whole.
func (l *LineReader) Next() (line []byte, continued bool, err error) {
	l.long = l.long[:0]
	for {
		piece, err := l.r.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if !full && len(l.long) == 0 {
			continued, l.part = l.part, false
			return piece, continued, err
		}
		l.long = append(l.long, piece...)
		if full && len(l.long) < MaxLine {
			continue
		}
		continued, l.part = l.part, full
		if full {
			err = nil
		}
		return l.long, continued, err
	}
}
