package podlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func at(second int) time.Time { return time.Date(2026, 12, 1, 9, 30, second, 5, time.UTC) }

// newFile makes a log whose clock is set by hand.
func newFile(t testing.TB, now *time.Time) *File {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "c", "0.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.End)
	if now != nil {
		l.now = func() time.Time { return *now }
	}
	return l
}

func read(t testing.TB, l *File, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := l.Copy(context.Background(), &b, o, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	var now time.Time
	l := newFile(t, &now)
	for i, line := range []string{"zero\n", "one\n", "", "three\nand three\n", "four, not ended"} {
		now = at(i)
		stream := "stdout"
		if i == 1 {
			stream = "stderr"
		}
		if err := l.Stream(stream, strings.NewReader(line)); err != nil {
			t.Fatal(err)
		}
	}
	now = at(1) // a clock set back
	if err := l.Stream("stdout", strings.NewReader(" yet\nlate\n")); err != nil {
		t.Fatal(err)
	}
	n := func(i int64) *int64 { return &i }
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"all", Options{}, "zero\none\nthree\nand three\nfour, not ended yet\nlate\n"},
		{"since is inclusive", Options{Since: at(3)}, "three\nand three\nfour, not ended yet\nlate\n"},
		{"since, one nanosecond later", Options{Since: at(3).Add(1)}, "four, not ended yet\nlate\n"},
		{"since in a gap", Options{Since: at(2)}, "three\nand three\nfour, not ended yet\nlate\n"},
		{"since before all", Options{Since: at(0).Add(-time.Hour)}, "zero\none\nthree\nand three\nfour, not ended yet\nlate\n"},
		{"since after all", Options{Since: at(5)}, ""},
		{"tail", Options{Tail: n(3)}, "and three\nfour, not ended yet\nlate\n"},
		{"tail 1", Options{Tail: n(1)}, "late\n"},
		{"tail 0", Options{Tail: n(0)}, ""},
		{"tail of more than there is", Options{Tail: n(100)}, "zero\none\nthree\nand three\nfour, not ended yet\nlate\n"},
		{"tail and since", Options{Tail: n(5), Since: at(4)}, "four, not ended yet\nlate\n"},
		{"limit", Options{Limit: n(7)}, "zero\non"},
		{"limit of a whole line", Options{Limit: n(5)}, "zero\n"},
		{"limit beyond", Options{Limit: n(10000), Tail: n(1)}, "late\n"},
		{"time stamps", Options{Timestamps: true, Tail: n(3)}, "2026-12-01T09:30:03.000000005Z and three\n2026-12-01T09:30:04.000000005Z four, not ended yet\n2026-12-01T09:30:04.000000005Z late\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := read(t, l, test.o); got != test.want {
				t.Errorf("%q\nwant %q", got, test.want)
			}
		})
	}
	l.End()
	again, err := Open(l.f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := read(t, again, Options{Tail: n(1), Follow: true}); got != "late\n" {
			t.Errorf("after reopening: %q", got)
		}
		if got := read(t, l, Options{Tail: n(1), Follow: true}); got != "late\n" {
			t.Errorf("after the end: %q", got)
		}
	}
}

func TestPartialLastLine(t *testing.T) {
	var now time.Time
	l := newFile(t, &now)
	now = at(0)
	if err := l.Stream("stdout", strings.NewReader("a\n50 %")); err != nil {
		t.Fatal(err)
	}
	l.End()
	one := int64(1)
	if got := read(t, l, Options{Tail: &one}); got != "50 %" {
		t.Errorf("%q", got)
	}
	if got := read(t, l, Options{}); got != "a\n50 %" {
		t.Errorf("%q", got)
	}
}

func TestLongLines(t *testing.T) {
	l := newFile(t, nil)
	var want strings.Builder
	for _, size := range []int{1 << 20, 1<<20 + 1, 1<<20 - 1, 3<<20 + 7, 0, 1} {
		want.WriteString(strings.Repeat(fmt.Sprint(size%10), size) + "\n")
	}
	if err := l.Stream("stdout", strings.NewReader(want.String())); err != nil {
		t.Fatal(err)
	}
	if got := read(t, l, Options{}); got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
	three := int64(3)
	if got := read(t, l, Options{Tail: &three}); got != strings.Repeat("5", 3<<20+7)+"\n\n1\n" {
		t.Errorf("tail: %d bytes", len(got))
	}
	if got := strings.Count(read(t, l, Options{Timestamps: true}), "Z "); got != 6 {
		t.Errorf("%d time stamps, want one a line", got)
	}
}

func TestSinceAmongMany(t *testing.T) {
	var now time.Time
	l := newFile(t, &now)
	for i := range 2000 {
		now = at(0).Add(time.Duration(i/3) * time.Second) // three lines a second
		if err := l.Stream("stdout", strings.NewReader(fmt.Sprintf("%d %s\n", i, strings.Repeat("x", i%300)))); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range []int{0, 1, 17, 333, 600, 665, 666} {
		got := read(t, l, Options{Since: at(0).Add(time.Duration(i) * time.Second)})
		if first, _, _ := strings.Cut(got, " "); first != fmt.Sprint(i*3) {
			t.Errorf("since %d s begins with %q, want %d", i, first, i*3)
		}
		if n := strings.Count(got, "\n"); n != 2000-i*3 {
			t.Errorf("since %d s: %d lines, want %d", i, n, 2000-i*3)
		}
	}
}

func TestFollow(t *testing.T) {
	l := newFile(t, nil)
	pr, pw := io.Pipe()
	written := make(chan error, 1)
	go func() { written <- l.Stream("stdout", pr) }()
	var wg sync.WaitGroup
	out := make([]bytes.Buffer, 20)
	errs := make([]error, len(out))
	for i := range out {
		wg.Go(func() { errs[i] = l.Copy(context.Background(), &out[i], Options{Follow: true}, func() {}) })
	}
	var want strings.Builder
	for i := range 3000 {
		line := fmt.Sprintf("line %d\n", i)
		want.WriteString(line)
		if _, err := io.WriteString(pw, line); err != nil {
			t.Fatal(err)
		}
	}
	pw.Close()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	l.End()
	wg.Wait()
	for i := range out {
		if errs[i] != nil || out[i].String() != want.String() {
			t.Errorf("reader %d: %v, %d bytes of %d", i, errs[i], out[i].Len(), want.Len())
		}
	}
}

func TestFollowerGoesAway(t *testing.T) {
	l := newFile(t, nil)
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := l.Copy(ctx, io.Discard, Options{Follow: true}, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
	broken := errors.New("client is gone")
	wg.Go(func() {
		if err := l.Copy(context.Background(), failing{broken}, Options{Follow: true}, nil); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	})
	if err := l.Stream("stdout", strings.NewReader("x\n")); err != nil {
		t.Fatal(err)
	}
	cancel()
	wg.Wait()
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestLast(t *testing.T) {
	l := newFile(t, nil)
	for i := range 200 {
		if err := l.Stream("stderr", strings.NewReader(fmt.Sprintf("%03d %s\n", i, strings.Repeat("e", 20+i%40)))); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.Last(80, 2048)
	if err != nil || len(got) != 2048 || !strings.HasSuffix(got, "eee\n") || strings.Contains(got, "\n119 ") {
		t.Errorf("%v %q", err, got)
	}
	if got, err := l.Last(1, 2048); err != nil || !strings.HasPrefix(got, "199 ") {
		t.Errorf("%v %q", err, got)
	}
}

func BenchmarkStream(b *testing.B) {
	l := newFile(b, nil)
	line := strings.Repeat("x", 99) + "\n"
	b.SetBytes(int64(len(line)))
	pr, pw := io.Pipe()
	go func() {
		for range b.N {
			_, _ = io.WriteString(pw, line)
		}
		pw.Close()
	}()
	if err := l.Stream("stdout", pr); err != nil {
		b.Fatal(err)
	}
}
