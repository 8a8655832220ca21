package logs

import (
	"bytes"
	"time"
)

// Split takes a raw line as the kubelet sends it with timestamps=true, "2026-12-01T05:34:00.123456789Z text", apart.
// The text is copied; carriage returns within it stay (progress bars), the newline at its end does not. ok is false
// when the line has no stamp: then text is the whole line.
func Split(raw []byte) (stamp time.Time, text string, ok bool) {
	raw = bytes.TrimSuffix(raw, []byte{'\n'})
	// A line without text may come without the space, too.
	end := bytes.IndexByte(raw, ' ')
	head, rest := raw, []byte(nil)
	if end >= 0 {
		head, rest = raw[:end], raw[end+1:]
	}
	stamp, ok = parseStamp(head)
	if !ok {
		return time.Time{}, string(raw), false
	}
	return stamp, string(rest), true
}

// parseStamp reads RFC 3339 with up to nine fractional digits. time.Parse does the same at a quarter of the speed,
// and every line of every rank passes here.
func parseStamp(b []byte) (time.Time, bool) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(b) < shortest || len(b) > len("2006-01-02T15:04:05.999999999+00:00") {
		return time.Time{}, false
	}
	if b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return time.Time{}, false
	}
	year, ok1 := digits(b[0:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	hour, ok4 := digits(b[11:13])
	minute, ok5 := digits(b[14:16])
	second, ok6 := digits(b[17:19])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) {
		return time.Time{}, false
	}
	if month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	b = b[19:]
	nanos := 0
	if b[0] == '.' {
		n := 1
		for n < len(b) && b[n] >= '0' && b[n] <= '9' {
			n++
		}
		if n == 1 || n > 10 {
			return time.Time{}, false
		}
		nanos, _ = digits(b[1:n])
		for i := n; i < 10; i++ {
			nanos *= 10
		}
		b = b[n:]
	}
	offset := 0
	switch {
	case len(b) == 1 && b[0] == 'Z':
	case len(b) == 6 && (b[0] == '+' || b[0] == '-') && b[3] == ':':
		h, ok := digits(b[1:3])
		m, okM := digits(b[4:6])
		if !ok || !okM || h > 23 || m > 59 {
			return time.Time{}, false
		}
		offset = h*3600 + m*60
		if b[0] == '-' {
			offset = -offset
		}
	default:
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if offset != 0 {
		t = t.Add(-time.Duration(offset) * time.Second)
	}
	return t, true
}

func digits(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
