package safetext

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"", ""},
		{"数据 é́", "数据 é́"},
		{"a\x1b[31mb\x1b[0m", "ab"},
		{"a\x1b]0;title\x07b", "ab"},
		{"a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"},
		{"a\x1b]52;c;never ends", "a52;c;never ends"},
		{"a\x1bPq#0\x1b\\b", "ab"},
		{"a\u009b31mb", "ab"},
		{"a\u009dtitle\u009cb", "ab"},
		{"a\x9b31mb", "a\ufffd31mb"},
		{"a\x1b(Bb\x1bcc", "abc"},
		{"a\x1b", "a"},
		{"a\x1b[", "a"},
		{"a\x1b[12\x01b", "ab"},
		{"a\nb\r\nc\td", "a b  c d"},
		{"a\x00\x07\x08b\x7f", "ab"},
		{"user\u202egnp.exe\u2066\u200f", "usergnp.exe"},
		{"zero\u200b\u200d\ufeffwidth\u00ad", "zerowidth"},
		{"bad\xff\xfeutf", "bad\ufffd\ufffdutf"},
		{"wide\u3000space", "wide\u3000space"},
		{"no\u00a0break", "no break"},
		{"\ue000", "\ufffd"},
		{"👍🏽", "👍"},
		{"👨\u200d👩\u200d👧", "👨👩👧"},
		{"❤\ufe0f", "❤"},
		{"\u0301start", "start"},
		{"z" + strings.Repeat("\u0301", 50) + "algo", "z" + strings.Repeat("\u0301", maxMarks) + "algo"},
		{"\u115f\u3164x", "x"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCleanLines(t *testing.T) {
	got := CleanLines("a:\r\n\tb\x1b[2J\n\x1b]0;x\x07c")
	if want := "a:\n        b\nc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCleanLog(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"\x1b[31mred", "\x1b[31mred\x1b[m"},
		{"\x1b[1;38;5;200mx\x1b[0m", "\x1b[1;38;5;200mx\x1b[0m\x1b[m"},
		{"\x1b[38;2;1;2;3mx", "\x1b[38;2;1;2;3mx\x1b[m"},
		{"\x1b[4:3mx", "\x1b[4:3mx\x1b[m"},
		{"\x1b[5mblink\x1b[8mhidden", "blinkhidden"},
		{"\x1b[1;5;31mx", "\x1b[1;31mx\x1b[m"},
		{"\x1b[38;5;999mx", "x"},
		{"\x1b[38;9mx", "x"},
		{"\x1b[?25lx\x1b[2J\x1b[Hy", "xy"},
		{"\x1b[>4;2mx", "x"},
		{"\x1b[31 mx", "x"},
		{"\u009b32mx", "\x1b[32mx\x1b[m"},
		{"10%\r50%\r100%", "100%"},
		{"100%\r\n", "100%"},
		{"a\tb", "a       b"},
		{"数据\tb", "数据    b"},
		{"\x1b]0;t\x07\x1b[31mx", "\x1b[31mx\x1b[m"},
	} {
		if got := CleanLog(c.in); got != c.want {
			t.Errorf("CleanLog(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// hostile makes strings of the pieces that escape sequences and odd widths are made of.
func hostile(r *rand.Rand) string {
	pieces := []string{
		"\x1b", "[", "]", "0;", "m", "31", ";", ":", "\x07", "\\", "\u009b", "\u009d", "\u009c", "\x9b", "\xff", "P", "(", "?", ">", " ",
		"a", "数", "\u0301", "\u202e", "\u200d", "👍", "🏽", "🇨🇳", "\n", "\r", "\t", "\x00", "\x7f", "\u2028", "\ue000", "\U000e0041", "\u1160",
	}
	var b strings.Builder
	for range r.IntN(30) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestNothingHostileIsLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		in := hostile(r)
		for name, out := range map[string]string{"Clean": Clean(in), "CleanLog": withoutSGR(t, in, CleanLog(in))} {
			if !utf8.ValidString(out) {
				t.Fatalf("%s(%q) = %q is not UTF-8", name, in, out)
			}
			for _, c := range out {
				if unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c) || c == 0x2028 || c == 0x2029 {
					t.Fatalf("%s(%q) = %q has %U", name, in, out, c)
				}
			}
		}
		if again := Clean(Clean(in)); again != Clean(in) {
			t.Fatalf("Clean(%q) is not stable: %q, then %q", in, Clean(in), again)
		}
	}
}

// withoutSGR removes colours, and fails when a line with colours does not close them.
func withoutSGR(t *testing.T, in, s string) string {
	t.Helper()
	if strings.Contains(s, "\x1b") && !strings.HasSuffix(s, "\x1b[m") {
		t.Fatalf("CleanLog(%q) = %q leaves its colour open", in, s)
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		parameters, after, closed := strings.Cut(rest, "m")
		if !closed || strings.Trim(parameters, "0123456789;:") != "" {
			t.Fatalf("CleanLog(%q) has a sequence that is not SGR: %q", in, rest)
		}
		s = after
	}
}

func BenchmarkCleanLog(b *testing.B) {
	line := "2026-12-01 \x1b[32mINFO\x1b[0m step 1200 loss 1.234 数据 lr 3e-4"
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		CleanLog(line)
	}
}
