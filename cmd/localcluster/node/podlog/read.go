package podlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// Options are those of the kubelet API.
type Options struct {
	// Follow goes on with what is written later, until the container ends.
	Follow bool
	// Since leaves out lines before a time; a line at exactly that time is in.
	Since time.Time
	// Tail is how many of the last lines to begin with; nil: all.
	Tail *int64
	// Limit ends the output after so many bytes; nil: no limit.
	Limit *int64
	// Timestamps stand before each line.
	Timestamps bool
}

// errLimit ends a copy whose limit is reached.
var errLimit = errors.New("limit reached")

// Copy writes the log's lines to w and calls flush, if any, whenever it has written all that there is for now.
func (l *File) Copy(ctx context.Context, w io.Writer, o Options, flush func()) error {
	if err := l.hold(); err != nil {
		return err
	}
	defer l.release()
	out := &output{w: bufio.NewWriterSize(w, 64<<10), Options: o}
	if o.Limit != nil {
		out.left = *o.Limit
	}
	at, size, err := l.begin(o)
	if err != nil {
		return err
	}
	for {
		err := out.records(io.NewSectionReader(l.f, at, size-at))
		if ferr := out.w.Flush(); err == nil {
			err = ferr
		}
		if errors.Is(err, errLimit) {
			return nil
		}
		if err != nil {
			return err
		}
		if flush != nil {
			flush()
		}
		at = size
		next, err := l.more(ctx, at, o.Follow)
		if err != nil {
			return err
		}
		if next == at {
			return nil
		}
		size = next
	}
}

// hold keeps the file open.
func (l *File) hold() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended && l.readers == 0 {
		f, err := os.Open(l.f.Name())
		if err != nil {
			return err
		}
		l.f.Close() // it is closed already, but for one that Open opened
		l.f = f
	}
	l.readers++
	return nil
}

func (l *File) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers--; l.readers == 0 && l.ended {
		l.f.Close()
	}
}

// begin finds the first record to show, and the end of what there is.
func (l *File) begin(o Options) (at, size int64, err error) {
	l.mu.Lock()
	size = l.size
	l.mu.Unlock()
	if o.Tail != nil {
		if at, err = tailStart(l.f, size, *o.Tail); err != nil {
			return 0, 0, err
		}
	}
	if !o.Since.IsZero() {
		since, err := sinceStart(l.f, size, o.Since)
		if err != nil {
			return 0, 0, err
		}
		at = max(at, since)
	}
	return at, size, nil
}

// more waits until the log is longer than at, and returns its length; at itself when it has ended.
func (l *File) more(ctx context.Context, at int64, follow bool) (int64, error) {
	for {
		l.mu.Lock()
		size, ended, changed := l.size, l.ended, l.changed
		l.mu.Unlock()
		if size > at && follow {
			return size, nil
		}
		if ended || !follow {
			return at, nil
		}
		select {
		case <-ctx.Done():
			return at, ctx.Err()
		case <-changed:
		}
	}
}

// output turns records into what the client asked for.
type output struct {
	Options
	w       *bufio.Writer
	left    int64
	midLine map[string]bool // per stream: its last record was a P
}

func (o *output) records(r io.Reader) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for {
		record, err := br.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, record...)
			continue
		case errors.Is(err, io.EOF):
			return nil // the section holds whole records only
		case err != nil:
			return err
		}
		if len(long) > 0 {
			record, long = append(long, record...), nil
		}
		if err := o.record(record); err != nil {
			return err
		}
	}
}

func (o *output) record(b []byte) error {
	rec, ok := parse(b)
	if !ok {
		return nil // not written by us
	}
	if !o.Since.IsZero() && rec.time().Before(o.Since) {
		return nil
	}
	if o.Timestamps && !o.midLine[string(rec.stream)] {
		if err := o.put(rec.stamp); err != nil {
			return err
		}
		if err := o.put([]byte{' '}); err != nil {
			return err
		}
	}
	if o.midLine == nil {
		o.midLine = map[string]bool{}
	}
	o.midLine[string(rec.stream)] = rec.partial
	if rec.partial {
		return o.put(rec.text)
	}
	return o.put(rec.text, []byte{'\n'})
}

func (o *output) put(parts ...[]byte) error {
	for _, p := range parts {
		if o.Limit != nil {
			if o.left <= 0 {
				return errLimit
			}
			p = p[:min(int64(len(p)), o.left)]
			o.left -= int64(len(p))
		}
		if _, err := o.w.Write(p); err != nil {
			return err
		}
	}
	if o.Limit != nil && o.left == 0 {
		return errLimit
	}
	return nil
}

type parsed struct {
	stamp, stream, text []byte
	partial             bool
}

// parse takes a record, with its newline, apart.
func parse(b []byte) (p parsed, ok bool) {
	var tag []byte
	if p.stamp, b, ok = bytes.Cut(b, []byte{' '}); !ok {
		return p, false
	}
	if p.stream, b, ok = bytes.Cut(b, []byte{' '}); !ok {
		return p, false
	}
	if tag, b, ok = bytes.Cut(b, []byte{' '}); !ok {
		return p, false
	}
	p.partial = string(tag) == "P"
	p.text = bytes.TrimSuffix(b, []byte{'\n'})
	return p, true
}

// time of the record; one that cannot be read is at the beginning of time.
func (p parsed) time() time.Time {
	t, _ := time.Parse(timeFormat, string(p.stamp))
	return t
}

// Last returns the end of the log: at most so many lines, and at most so many bytes of those. A container's
// termination message is made from it.
func (l *File) Last(lines, size int64) (string, error) {
	var b bytes.Buffer
	if err := l.Copy(context.Background(), &b, Options{Tail: &lines}, nil); err != nil {
		return "", err
	}
	out := b.Bytes()
	return string(out[max(0, int64(len(out))-size):]), nil
}
