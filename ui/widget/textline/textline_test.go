package textline

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestDrawIsSafeAndAgreed(t *testing.T) {
	cases := []struct {
		name, in, text string
		width          int
		plain          bool
	}{
		{"letter", "a", "a", 1, true},
		{"cjk", "训", "训", 2, true},
		{"combining", "e\u0301", "e\u0301", 1, true},
		{"emoji", "😀", "😀", 2, true},
		{"escape", "\x1b", "␛", 1, false},
		{"delete", "\x7f", "␡", 1, false},
		{"c1", "\u009b", Placeholder, 1, false},
		{"right-to-left override", "\u202e", Placeholder, 1, false},
		{"isolate", "\u2066", Placeholder, 1, false},
		{"zero width space", "\u200b", Placeholder, 1, false},
		{"line separator", "\u2028", Placeholder, 1, false},
		{"broken byte", "\xff", Placeholder, 1, false},
		{"lone mark", "\u0301", "\u25cc\u0301", 1, false},
		{"joined family shows its first", "👨\u200d👩\u200d👧", "👨", 2, false},
		{"heart with emoji selector", "❤\ufe0f", "❤", 1, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Draw(c.in)
			if got != (Cell{c.text, c.width, c.plain}) {
				t.Fatalf("Draw(%q) = %q %d %v", c.in, got.Text, got.Width, got.Plain)
			}
		})
	}
}

func TestEveryRuneHasTheSameWidthByBothCounts(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		c := Draw(string(r))
		if wc, g := ansi.StringWidthWc(c.Text), ansi.StringWidth(c.Text); wc != c.Width || g != c.Width || c.Width < 1 {
			t.Fatalf("U+%04X drawn as %q: said %d, by code points %d, by clusters %d", r, c.Text, c.Width, wc, g)
		}
	}
}

func TestPositions(t *testing.T) {
	l := New("a训\te\u0301\x1bb")
	// columns:  a=0 训=1-2 tab=3 é=4 esc=5 b=6
	wantOffsets := []int{0, 1, 4, 5, 8, 9, 10}
	wantColumns := []int{0, 1, 3, 4, 5, 6, 7}
	at := 0
	for i, w := range wantOffsets {
		if at != w || l.Column(at) != wantColumns[i] {
			t.Fatalf("boundary %d: offset %d column %d, want %d and %d", i, at, l.Column(at), w, wantColumns[i])
		}
		at = l.Next(at)
	}
	for i := len(wantOffsets) - 1; i > 0; i-- {
		if p := l.Prev(wantOffsets[i]); p != wantOffsets[i-1] {
			t.Errorf("Prev(%d) = %d, want %d", wantOffsets[i], p, wantOffsets[i-1])
		}
	}
	if l.Len() != 6 || l.Width() != 7 {
		t.Errorf("Len %d Width %d", l.Len(), l.Width())
	}
	if l.At(2) != 1 || l.At(3) != 4 || l.At(99) != 10 || l.At(-1) != 0 {
		t.Errorf("At: %d %d %d %d", l.At(2), l.At(3), l.At(99), l.At(-1))
	}
	if l.Round(2) != 1 || l.RoundUp(2) != 4 {
		t.Errorf("Round(2) = %d, RoundUp(2) = %d", l.Round(2), l.RoundUp(2))
	}
}

func TestWords(t *testing.T) {
	l := New("torchrun --nnodes=4  训练 x")
	var right []int
	for at := 0; at < len(l.Text()); {
		at = l.WordRight(at)
		right = append(right, at)
	}
	var left []int
	for at := len(l.Text()); at > 0; {
		at = l.WordLeft(at)
		left = append(left, at)
	}
	if want := []int{8, 11, 17, 18, 19, 27, 29}; !equal(right, want) {
		t.Errorf("WordRight: %v, want %v", right, want)
	}
	if want := []int{28, 21, 18, 17, 11, 9, 0}; !equal(left, want) {
		t.Errorf("WordLeft: %v, want %v", left, want)
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestWindow(t *testing.T) {
	cases := []struct {
		text        string
		left, width int
		want        string
	}{
		{"hello", 0, 3, "hel"},
		{"hello", 3, 4, "lo  "},
		{"hello", 9, 2, "  "},
		{"训练任务", 0, 4, "训练"},
		{"训练任务", 1, 4, " 练 "},
		{"a\tb", 0, 6, "a   b "},
		{"a\tb", 2, 3, "  b"},
		{"\x1b[31mred", 0, 8, "␛[31mred"},
		{"", 0, 2, "  "},
	}
	for _, c := range cases {
		var b strings.Builder
		for _, s := range New(c.text).Window(c.left, c.width) {
			b.WriteString(s.Text)
		}
		if b.String() != c.want {
			t.Errorf("Window(%q, %d, %d) = %q, want %q", c.text, c.left, c.width, b.String(), c.want)
		}
	}
}

func TestOneLineAndText(t *testing.T) {
	one, n := OneLine("a\r\nb\x1b[2J\u202ec\td\xff\r")
	if one != "a b[2Jc d\uFFFD" || n != (Note{Breaks: 1, Dropped: 2, Invalid: 1}) {
		t.Errorf("OneLine: %q %+v", one, n)
	}
	text, n := Text("a\r\nb\rc\t \x1b[2J\x00\u202e\xff\n")
	if text != "a\nb\nc\t \x1b[2J\u202e\uFFFD\n" || n != (Note{Dropped: 1, Kept: 2, Invalid: 1}) {
		t.Errorf("Text: %q %+v", text, n)
	}
	if s, n := Text("#!/bin/sh\n\techo $$ $(date)  \n"); s != "#!/bin/sh\n\techo $$ $(date)  \n" || !n.Zero() {
		t.Errorf("a script was changed: %q %+v", s, n)
	}
}

// check holds what every text and every window must satisfy.
func check(t *testing.T, text string, left, width int) {
	t.Helper()
	l := New(text)
	n := 0
	for at := 0; at < len(text); n++ {
		next := l.Next(at)
		if next <= at || l.Prev(next) != at || l.At(l.Column(at)) != at {
			t.Fatalf("%q: boundary %d, next %d, back %d, by column %d", text, at, next, l.Prev(next), l.At(l.Column(at)))
		}
		at = next
	}
	if n != l.Len() {
		t.Fatalf("%q: %d clusters walked, Len %d", text, n, l.Len())
	}
	var b strings.Builder
	for _, s := range l.Window(left, width) {
		b.WriteString(s.Text)
	}
	drawn := b.String()
	for _, r := range drawn {
		if Hostile(r) && r != '\u200d' {
			t.Fatalf("%q: window holds %U", text, r)
		}
	}
	if wc, g := ansi.StringWidthWc(drawn), ansi.StringWidth(drawn); wc != width || g != width {
		t.Fatalf("%q: window %q of %d cells is %d by code points, %d by clusters", text, drawn, width, wc, g)
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "abc", "训练\te\u0301", "\x1b[31m\xff\xc3", "👨\u200d👩\u200d👧 ❤\ufe0f 🇨🇳🇨", "\u202e\r\n", "नमस्ते", "각\u1100"} {
		f.Add(s, 0, 10)
		f.Add(s, 1, 3)
	}
	f.Fuzz(func(t *testing.T, s string, left, width int) {
		check(t, s, min(max(left, 0), 1000), min(max(width, 1), 400))
	})
}

func TestRandomBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b := make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		check(t, string(b), r.IntN(20), 1+r.IntN(40))
	}
}

func BenchmarkNew100kCJK(b *testing.B) {
	s := strings.Repeat("训练a", 100_000/7)
	for b.Loop() {
		New(s)
	}
}
