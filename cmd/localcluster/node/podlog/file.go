// Package podlog keeps what containers write, in the format of the CRI log files, and reads it as the kubelet API does.
//
// A record is one line of the file:
//
//	2026-12-01T09:30:00.123456789Z stdout F text
//
// F ends a line of the container, P does not: a line longer than maxText continues in the next record of its stream, and what
// a container wrote last without a newline stays a P.
package podlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	maxText    = 1 << 20 // bytes of a line that one record holds
	timeFormat = time.RFC3339Nano
)

// File is the log of one run of one container. Any number may read while it is written.
type File struct {
	f   *os.File
	now func() time.Time

	mu      sync.Mutex
	size    int64         // bytes that are whole records
	last    time.Time     // of the latest record; times never go back, so that a time can be searched for
	ended   bool          // nothing more will be written
	readers int           // the file closes when nobody writes or reads it
	changed chan struct{} // closed, and replaced, at every change of the above
	buf     []byte
}

// Create starts an empty log.
func Create(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	return &File{f: f, now: time.Now, changed: make(chan struct{})}, nil
}

// Open reads the log of a container that has ended, perhaps under an earlier daemon.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{f: f, now: time.Now, size: info.Size(), ended: true, changed: make(chan struct{})}, nil
}

// End says that nothing more comes: those who follow the log end.
func (l *File) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.ended = true
	l.wake()
	if l.readers == 0 {
		l.f.Close()
	}
}

// wake tells the readers of a change; l.mu is held.
func (l *File) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Stream copies what a container writes to stdout or stderr until it ends.
func (l *File) Stream(name string, from io.Reader) error {
	buf := make([]byte, 32<<10)
	var line []byte // begun, not ended
	for {
		n, err := from.Read(buf)
		if n > 0 {
			var werr error
			if line, werr = l.append(name, line, buf[:n]); werr != nil {
				return werr
			}
		}
		if err != nil {
			if len(line) > 0 {
				if werr := l.write(func(b []byte) []byte { return l.record(b, name, 'P', line) }); werr != nil {
					return werr
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// append writes the lines that a piece of output ends and returns the one that it leaves open.
func (l *File) append(name string, line, piece []byte) ([]byte, error) {
	err := l.write(func(b []byte) []byte {
		for len(piece) > 0 {
			end := bytes.IndexByte(piece, '\n')
			newline := end >= 0
			if !newline {
				end = len(piece)
			}
			room := min(end, maxText-len(line))
			line = append(line, piece[:room]...)
			switch {
			case room < end: // too long for one record
				b = l.record(b, name, 'P', line)
				line, piece = line[:0], piece[room:]
			case newline:
				b = l.record(b, name, 'F', line)
				line, piece = line[:0], piece[end+1:]
			default:
				piece = nil
			}
		}
		return b
	})
	if cap(line) > 64<<10 && len(line) == 0 {
		line = nil // one long line need not cost memory for ever
	}
	return line, err
}

// record appends a record; l.mu is held.
func (l *File) record(b []byte, stream string, tag byte, text []byte) []byte {
	if now := l.now().UTC(); now.After(l.last) {
		l.last = now
	}
	b = l.last.AppendFormat(b, timeFormat)
	b = append(b, ' ')
	b = append(b, stream...)
	b = append(b, ' ', tag, ' ')
	b = append(b, text...)
	return append(b, '\n')
}

// write appends what f makes, and wakes the readers.
func (l *File) write(f func([]byte) []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return os.ErrClosed
	}
	l.buf = f(l.buf[:0])
	if len(l.buf) == 0 {
		return nil
	}
	n, err := l.f.WriteAt(l.buf, l.size)
	if cap(l.buf) > 256<<10 {
		l.buf = nil
	}
	if err != nil {
		return err // the part that was written is overwritten by the next record
	}
	l.size += int64(n)
	l.wake()
	return nil
}
