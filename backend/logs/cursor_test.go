package logs_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"muster.dev/muster/backend/logs"
)

func TestSplit(t *testing.T) {
	nine := time.Date(2026, 12, 1, 5, 34, 0, 123456789, time.UTC)
	for _, c := range []struct {
		raw, text string
		stamp     time.Time
		ok        bool
	}{
		{"2026-12-01T05:34:00.123456789Z hello\n", "hello", nine, true},
		{"2026-12-01T05:34:00.123456789Z", "", nine, true},
		{"2026-12-01T05:34:00.123456789Z \n", "", nine, true},
		{"2026-12-01T13:34:00.123456789+08:00 10%\r20%\r\n", "10%\r20%\r", nine, true},
		{"2026-12-01T05:34:00.5Z  two spaces", " two spaces", nine.Truncate(time.Second).Add(time.Second / 2), true},
		{"2026-12-01T05:34:00-01:30 x", "x", time.Date(2026, 12, 1, 7, 4, 0, 0, time.UTC), true},
		{"failed to open log file", "failed to open log file", time.Time{}, false},
		{"2026-12-01T05:34:00.Z x", "2026-12-01T05:34:00.Z x", time.Time{}, false},
		{"2026-13-01T05:34:00Z x", "2026-13-01T05:34:00Z x", time.Time{}, false},
		{"2026-12-01T05:34:00.1234567891Z x", "2026-12-01T05:34:00.1234567891Z x", time.Time{}, false},
		{"", "", time.Time{}, false},
	} {
		stamp, text, ok := logs.Split([]byte(c.raw))
		if !stamp.Equal(c.stamp) || text != c.text || ok != c.ok {
			t.Errorf("%q: %v %q %v", c.raw, stamp, text, ok)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("2026-12-01T05:34:00.123456789Z hello")
	f.Add("2026-12-01T05:34:00+08:00 x")
	f.Fuzz(func(t *testing.T, raw string) {
		stamp, text, ok := logs.Split([]byte(raw))
		if !ok {
			return
		}
		head, rest, _ := strings.Cut(strings.TrimSuffix(raw, "\n"), " ")
		want, err := time.Parse(time.RFC3339Nano, head)
		if err == nil && !want.Equal(stamp) {
			t.Errorf("%q read as %v, time.Parse says %v", head, stamp, want)
		}
		if rest != text {
			t.Errorf("text %q of %q", text, raw)
		}
	})
}

func TestLineReader(t *testing.T) {
	huge := strings.Repeat("é", 500_000)
	endless := strings.Repeat("x", logs.MaxLine+logs.MaxLine/2)
	input := "a\n\n" + huge + "\n" + endless + "\nlast without newline"
	r := logs.NewLineReader(iotest.HalfReader(strings.NewReader(input)))
	var whole []string
	for {
		piece, continued, err := r.Next()
		switch {
		case continued:
			whole[len(whole)-1] += string(piece)
		case len(piece) > 0:
			whole = append(whole, string(piece))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(piece) > logs.MaxLine {
			t.Fatalf("a piece of %d bytes", len(piece))
		}
	}
	want := []string{"a\n", "\n", huge + "\n", endless + "\n", "last without newline"}
	if !slices.Equal(whole, want) {
		t.Errorf("%d lines of %d bytes, want %d lines", len(whole), len(strings.Join(whole, "")), len(want))
	}
}

// entry is a line of a container's log file.
type entry struct {
	stamp time.Time
	text  string
}

// file makes a log with equal stamps, equal texts and stamps that are a little out of order.
func file(random *rand.Rand, lines int) []entry {
	var out []entry
	now := epoch
	for range lines {
		switch random.IntN(5) {
		case 0:
			now = now.Add(time.Duration(random.IntN(1500)) * time.Millisecond)
		case 1, 2:
			now = now.Add(time.Duration(random.IntN(1000)))
		}
		stamp := now
		if random.IntN(6) == 0 {
			stamp = stamp.Add(-time.Duration(random.IntN(900)) * time.Millisecond)
		}
		out = append(out, entry{stamp, fmt.Sprint("line ", random.IntN(4))})
	}
	return out
}

// FuzzCursor cuts a stream at any places and asks again as the API lets one ask: what was handed on must be the
// file, line by line.
func FuzzCursor(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint16(40+seed*13), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, lines uint16, cuts uint8) {
		random := rand.New(rand.NewPCG(seed, 7))
		log := file(random, int(lines)%3000)
		var cursor logs.Cursor
		var got []entry
		for cut := 0; ; cut++ {
			if cut > 0 {
				cursor.Resume()
			}
			since := cursor.Since()
			limit := len(log)
			if cut < int(cuts)%50 {
				limit = random.IntN(len(log) + 1)
			}
			for _, e := range log[:limit] {
				if e.stamp.Before(since) {
					continue
				}
				if cursor.Accept(e.stamp, e.text) {
					got = append(got, e)
				}
			}
			if cursor.TakeGap() {
				t.Fatal("a gap in a log that was never rotated")
			}
			if limit == len(log) {
				break
			}
		}
		if !slices.Equal(got, log) {
			for i := range min(len(got), len(log)) {
				if got[i] != log[i] {
					t.Fatalf("line %d of %d (%d handed on) is %v, want %v", i, len(log), len(got), got[i], log[i])
				}
			}
			t.Fatalf("%d lines handed on, the log has %d", len(got), len(log))
		}
	})
}

func TestCursorRotatedLog(t *testing.T) {
	read := func(cursor *logs.Cursor, from, to int) (got []int) {
		for i := from; i < to; i++ {
			if cursor.Accept(at(i*100), fmt.Sprint(i)) {
				got = append(got, i)
			}
		}
		return got
	}
	var cursor logs.Cursor
	read(&cursor, 0, 100)
	cursor.Resume()
	if got := read(&cursor, 95, 103); !slices.Equal(got, []int{100, 101, 102}) || cursor.TakeGap() {
		t.Errorf("a log rotated behind the cursor: %v, or a gap", got)
	}
	cursor.Resume()
	if got := read(&cursor, 110, 112); !slices.Equal(got, []int{110, 111}) || !cursor.TakeGap() {
		t.Errorf("a log rotated past the cursor: %v, or no gap", got)
	}
	if cursor.TakeGap() {
		t.Error("the gap is told again")
	}
}

// TestCursorFastLog: a container that writes more within the overlap than the cursor remembers.
func TestCursorFastLog(t *testing.T) {
	const n = 60_000
	var cursor logs.Cursor
	next := 0
	for round := range 3 {
		if round > 0 {
			cursor.Resume()
		}
		since := cursor.Since()
		for i := range n * (round + 1) / 3 {
			stamp := epoch.Add(time.Duration(i) * 10 * time.Microsecond)
			if stamp.Before(since) || !cursor.Accept(stamp, "same") {
				continue
			}
			if i != next {
				t.Fatalf("round %d: line %d, want %d", round, i, next)
			}
			next++
		}
	}
	if next != n {
		t.Errorf("%d of %d lines", next, n)
	}
}

func TestCursorTailThenCut(t *testing.T) {
	var cursor logs.Cursor
	cursor.Accept(at(1500), "the tail") // asked for with tail 1
	cursor.Resume()
	if cursor.Accept(at(900), "before the tail") {
		t.Error("a replay showed a line from before the tail")
	}
	if !cursor.Has(at(1500), "the tail") || cursor.Has(at(1500), "another") || cursor.Has(at(1501), "the tail") {
		t.Error("Has")
	}
	if cursor.Accept(at(1500), "the tail") || !cursor.Accept(at(1501), "new") || cursor.TakeGap() {
		t.Error("the tail itself is not resumed")
	}
}

func BenchmarkSplit(b *testing.B) {
	raw := []byte("2026-12-01T05:34:00.123456789Z step 1200 loss 2.31 lr 3e-4 tokens/s 41234\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, ok := logs.Split(raw); !ok {
			b.Fatal("not split")
		}
	}
}

func BenchmarkLineReader(b *testing.B) {
	input := bytes.Repeat([]byte("2026-12-01T05:34:00.123456789Z step 1200 loss 2.31 lr 3e-4\n"), 10_000)
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		r := logs.NewLineReader(bytes.NewReader(input))
		for {
			if _, _, err := r.Next(); err != nil {
				break
			}
		}
	}
}
