package podlog

import (
	"bytes"
	"errors"
	"io"
	"time"
)

const block = 64 << 10

// lastNewline is the offset of the last newline in [0, end), or -1.
func lastNewline(r io.ReaderAt, end int64) (int64, error) {
	buf := make([]byte, min(block, max(end, 1)))
	for end > 0 {
		n := min(end, int64(len(buf)))
		if _, err := r.ReadAt(buf[:n], end-n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i), nil
		}
		end -= n
	}
	return -1, nil
}

// nextNewline is the offset of the first newline in [from, end), or -1.
func nextNewline(r io.ReaderAt, from, end int64) (int64, error) {
	buf := make([]byte, 4<<10)
	for from < end {
		n := min(end-from, int64(len(buf)))
		if _, err := r.ReadAt(buf[:n], from); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i), nil
		}
		from += n
	}
	return -1, nil
}

// head parses the record that starts at an offset, but for its text.
func head(r io.ReaderAt, start int64) (parsed, bool, error) {
	buf := make([]byte, 64) // a time stamp, a stream and a tag are shorter
	n, err := r.ReadAt(buf, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return parsed{}, false, err
	}
	p, ok := parse(buf[:n])
	return p, ok, nil
}

// tailStart is the offset of the record that begins the last n lines of the first size bytes.
func tailStart(r io.ReaderAt, size, n int64) (int64, error) {
	end := size // of the record looked at
	for lines := int64(0); end > 0; {
		nl, err := lastNewline(r, end-1)
		if err != nil {
			return 0, err
		}
		start := nl + 1
		p, ok, err := head(r, start)
		if err != nil {
			return 0, err
		}
		// A record ends a line if it says so, or if nothing comes after it.
		if !ok || !p.partial || end == size {
			if lines == n {
				return end, nil
			}
			lines++
		}
		end = start
	}
	return 0, nil
}

// sinceStart is the offset of the first record that is not before a time. Times never go back in a file.
func sinceStart(r io.ReaderAt, size int64, since time.Time) (int64, error) {
	lo, hi := int64(0), size // the record sought starts in [lo, hi], both starts of records
	for lo < hi {
		start := lo
		if mid := lo + (hi-lo)/2; mid > lo {
			nl, err := nextNewline(r, mid-1, hi)
			if err != nil {
				return 0, err
			}
			if nl >= 0 && nl+1 < hi {
				start = nl + 1
			}
		}
		p, _, err := head(r, start)
		if err != nil {
			return 0, err
		}
		if !p.time().Before(since) {
			if hi == start {
				return start, nil
			}
			hi = start
			continue
		}
		nl, err := nextNewline(r, start, size)
		if err != nil {
			return 0, err
		}
		if nl < 0 {
			return size, nil
		}
		lo = nl + 1
	}
	return lo, nil
}
