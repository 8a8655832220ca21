// Package cell counts and cuts text in terminal cells. Every width in muster comes from here, so that columns line
// up; it counts as the renderer does where a terminal does not say otherwise (wcwidth). Escape sequences of our own
// styles count nothing and are never cut.
package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis ends a text that was cut. It is one cell wide.
const Ellipsis = "…"

// Width is the number of cells that s takes.
func Width(s string) int {
	if ascii(s) {
		return len(s)
	}
	return ansi.StringWidthWc(s)
}

// Truncate cuts s to at most width cells, ending in an ellipsis when something was cut.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	return ansi.TruncateWc(s, width, Ellipsis)
}

// Cut returns the cells from left to right (exclusive) of s. Of a wide character that lies across the left edge a
// space is left, so that what follows keeps its column; one across the right edge is left out.
func Cut(s string, left, right int) string {
	if right <= left {
		return ""
	}
	s = ansi.TruncateWc(s, right, "")
	if left <= 0 {
		return s
	}
	// not ansi.CutWc: it truncates on the wrong side (x/ansi v0.11.9)
	want := max(Width(s)-left, 0)
	cut := ansi.TruncateLeftWc(s, left, "")
	if Width(cut) > want {
		cut = ansi.TruncateLeftWc(s, left+1, " ")
	}
	return cut
}

// Pad fills s with spaces at its end to width cells; a longer one is cut.
func Pad(s string, width int) string {
	w := Width(s)
	if w > width {
		s = Truncate(s, width)
		w = Width(s)
	}
	return s + Spaces(width-w)
}

// PadLeft fills s with spaces at its start to width cells; a longer one is cut.
func PadLeft(s string, width int) string {
	w := Width(s)
	if w > width {
		s = Truncate(s, width)
		w = Width(s)
	}
	return Spaces(width-w) + s
}

// Spread puts left and right at the two ends of a line of width cells. When there is no room for both, left is cut,
// but at least a third of the line stays its own.
func Spread(left, right string, width int) string {
	lw, rw := Width(left), Width(right)
	if lw+1+rw <= width {
		return left + Spaces(width-lw-rw) + right
	}
	third := min(lw, width/3)
	if rw > width-third-1 {
		right = Truncate(right, max(width-third-1, 0))
		rw = Width(right)
	}
	return Pad(left, max(width-rw-1, 0)) + Spaces(min(1, width)) + right
}

// Wrap breaks s into lines of at most width cells, at spaces where it can.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	lines := strings.Split(ansi.WrapWc(s, width, ""), "\n")
	for i, line := range lines {
		// the wrapper lets trailing spaces stand over the edge
		if Width(line) > width {
			lines[i] = ansi.TruncateWc(line, width, "")
		}
	}
	return lines
}

// HardWrap breaks s into lines of at most width cells at whatever character stands there.
func HardWrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	if Width(s) <= width {
		return []string{s}
	}
	return strings.Split(ansi.HardwrapWc(s, width, true), "\n")
}

// Spaces returns n spaces, none for n ≤ 0.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blank) {
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

const blank = "                                                                                                                                "

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
