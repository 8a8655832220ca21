package cell

import (
	"math/rand/v2"
	"strings"
	"testing"

	"muster.dev/muster/ui/safetext"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "数据": 4, "é": 1, "e\u0301": 1, "한": 2, "👍": 2, "🇨🇳": 2, "…": 1, "\x1b[31m数\x1b[m": 2, "ｱ": 1,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestTruncateAndPad(t *testing.T) {
	for _, c := range []struct {
		s               string
		width           int
		truncated, pads string
	}{
		{"abcdef", 4, "abc…", "abc…"},
		{"abc", 4, "abc", "abc "},
		{"数据集", 4, "数…", "数… "},
		{"数据集", 5, "数据…", "数据…"},
		{"数据", 4, "数据", "数据"},
		{"数", 1, "…", "…"},
		{"abc", 0, "", ""},
		{"\x1b[31mabcdef\x1b[m", 4, "\x1b[31mabc…\x1b[m", "\x1b[31mabc…\x1b[m"},
	} {
		if got := Truncate(c.s, c.width); got != c.truncated {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.s, c.width, got, c.truncated)
		}
		if got := Pad(c.s, c.width); got != c.pads {
			t.Errorf("Pad(%q, %d) = %q, want %q", c.s, c.width, got, c.pads)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s           string
		left, right int
		want        string
	}{
		{"abcdefgh", 2, 5, "cde"},
		{"abcdefgh", 0, 3, "abc"},
		{"abc", 5, 9, ""},
		{"数据集", 2, 4, "据"},
		{"数据集", 1, 4, " 据"},
		{"数据集", 0, 3, "数"},
		{"a数b", 2, 4, " b"},
	} {
		if got := Cut(c.s, c.left, c.right); got != c.want {
			t.Errorf("Cut(%q, %d, %d) = %q, want %q", c.s, c.left, c.right, got, c.want)
		}
	}
	if got := Cut("\x1b[31mabcdef\x1b[m", 2, 4); !strings.Contains(got, "cd") || Width(got) != 2 || !strings.HasPrefix(got, "\x1b[31m") {
		t.Errorf("a colour is lost: %q", got)
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		left, right string
		width       int
		want        string
	}{
		{"ab", "cd", 8, "ab    cd"},
		{"abcdefghij", "xyz", 8, "abc… xyz"},
		{"abcdefghi", "uvwxyzuvwxyz", 9, "ab… uvwx…"},
	} {
		if got := Spread(c.left, c.right, c.width); got != c.want {
			t.Errorf("Spread(%q, %q, %d) = %q, want %q", c.left, c.right, c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"the quick brown fox", 10, "the quick|brown fox"},
		{"averylongwordindeed ok", 8, "averylon|gwordind|eed ok"},
		{"连不上 API server，屏幕上是旧的数据", 12, "连不上 API|server，屏幕|上是旧的数据"},
		{"运行参数：bash 没有运行参数会立即退出；请写", 20, "运行参数：bash 没有|运行参数会立即退出；|请写"},
		{"仅用“公共集群”（闲时），可", 9, "仅用“公共|集群”（闲|时），可"},
		{"用 -c 传给bash，不经过", 12, "用 -c 传给|bash，不经过"},
		{"", 5, ""},
	} {
		if got := strings.Join(Wrap(c.s, c.width), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
		}
	}
	if got := strings.Join(HardWrap("ab数据c", 3), "|"); got != "ab|数|据c" {
		t.Errorf("HardWrap = %q", got)
	}
}

// No piece of a cleaned text is ever wider than it may be, and padding is exact: else columns do not line up.
func TestWidthsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	runes := []rune("abc 数据集한국é\u0301👍🇨ﾊ…─\u0e33ा")
	for range 30_000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteRune(runes[r.IntN(len(runes))])
		}
		s, width := safetext.Clean(b.String()), r.IntN(24)
		if got := Width(Pad(s, width)); got != width {
			t.Fatalf("Pad(%q, %d) is %d wide", s, width, got)
		}
		if got := Width(PadLeft(s, width)); got != width {
			t.Fatalf("PadLeft(%q, %d) is %d wide", s, width, got)
		}
		if got := Width(Truncate(s, width)); got > width {
			t.Fatalf("Truncate(%q, %d) is %d wide", s, width, got)
		}
		left := r.IntN(12)
		if got := Width(Cut(s, left, width)); got > max(width-left, 0) {
			t.Fatalf("Cut(%q, %d, %d) is %d wide", s, left, width, got)
		}
		if width >= 6 { // on narrower lines one character may need more
			for _, line := range append(Wrap(s, width), HardWrap(s, width)...) {
				if Width(line) > width {
					t.Fatalf("a line of wrapping %q to %d is %d wide: %q", s, width, Width(line), line)
				}
			}
		}
	}
}

// One word of two megabytes, as a message of a cluster may be, takes no longer than its length: when what is left was
// measured anew at each line, it took minutes.
func TestWrapOfOneLongWord(t *testing.T) {
	word := strings.Repeat("0123456789数据", 1<<17)
	lines := Wrap("at "+word, 80)
	if joined := strings.Join(lines, ""); joined != "at "+word {
		t.Errorf("%d bytes became %d", len(word)+3, len(joined))
	}
	for i, line := range lines {
		if w := Width(line); w > 80 || w < 69 && i < len(lines)-1 {
			t.Fatalf("line %d is %d wide", i, w)
		}
	}
}

func BenchmarkWrapOneWordOf200kB(b *testing.B) {
	word := strings.Repeat("x", 200_000)
	b.SetBytes(int64(len(word)))
	for b.Loop() {
		Wrap(word, 80)
	}
}
