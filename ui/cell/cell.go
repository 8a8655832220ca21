// Package cell counts and cuts text in terminal cells. Every width in muster comes from here, so that columns line
// up; it counts as the renderer does where a terminal does not say otherwise (wcwidth). Escape sequences of our own
// styles count nothing and are never cut.
package cell

import (
	"strings"
	"unicode/utf8"

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
	return slice(s, 0, width-1, Ellipsis)
}

// Cut returns the cells from left to right (exclusive) of s. Of a wide character that lies across the left edge
// spaces are left, so that what follows keeps its column; one across the right edge is left out.
func Cut(s string, left, right int) string {
	if right <= left {
		return ""
	}
	return slice(s, max(left, 0), right, "")
}

// slice is Cut with a tail where the text was cut at its right. Sequences are kept wherever they stand. (The functions
// of x/ansi v0.11.9 are no help here: TruncateWc measures by graphemes first, CutWc cuts at the wrong side.)
func slice(s string, left, right int, tail string) string {
	var b strings.Builder
	column, full := 0, false
	for i := 0; i < len(s); {
		if s[i] == '\x1b' {
			n := sequence(s[i:])
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if full {
			next := strings.IndexByte(s[i:], '\x1b')
			if next < 0 {
				break
			}
			i += next
			continue
		}
		n, w := cluster(s[i:])
		end := column + w
		switch {
		case end > right || column >= right && w > 0:
			full = true
			b.WriteString(tail)
		case column >= left:
			b.WriteString(s[i : i+n])
		case end > left:
			b.WriteString(Spaces(end - left))
		}
		column = end
		i += n
	}
	return b.String()
}

// cluster is the length in bytes and the width in cells of the first character of s with its marks.
func cluster(s string) (bytes, width int) {
	if s[0] >= 0x20 && s[0] < 0x7f && (len(s) == 1 || s[1] < 0x80) {
		return 1, 1
	}
	c, w := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
	return max(len(c), 1), w
}

// sequence is the length of the escape sequence that s begins with. Only our own stand in texts: CSI … m.
func sequence(s string) int {
	for i := 2; i < len(s); i++ {
		if s[i] >= 0x40 && s[i] <= 0x7e {
			return i + 1
		}
	}
	return len(s)
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

// Wrap breaks s into lines of at most width cells: at spaces and between Chinese characters where it can, but before no
// closing and behind no opening punctuation.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	var lines []string
	line, used := "", 0
	flush := func() {
		lines = append(lines, line)
		line, used = "", 0
	}
	for i, word := range strings.Split(s, " ") {
		for j, part := range parts(word) {
			w, space := Width(part), ""
			if i > 0 && j == 0 {
				space = " "
			}
			if used+len(space)+w <= width {
				line, used = line+space+part, used+len(space)+w
				continue
			}
			switch {
			case w <= width && (used > 0 || space != ""), space != "" && used+3 > width:
				flush()
			case space != "": // a word that fits nowhere is begun on this line rather than on one of its own
				line, used = line+space, used+1
			}
			for used+w > width {
				n, cells := prefix(part, width-used)
				if n == 0 && used > 0 {
					flush()
					continue
				}
				if n == 0 {
					n, cells = cluster(part) // wider than a line
				}
				line, part = line+part[:n], part[n:]
				w -= cells // and not its width anew: a word may be all of a long message
				flush()
				if part == "" {
					w = 0
				}
			}
			line, used = line+part, used+w
		}
	}
	return append(lines, line)
}

// Punctuation that begins no line, and that ends none.
const (
	closing = "，。；：、！？）》」』】〉”’…,.;:!?)]}%"
	opening = "（《「『【〈“‘([{"
)

// parts splits a word where a line may be broken within it: beside wide characters.
func parts(word string) []string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r >= 0x1100 }) { // below nothing is wide
		return []string{word}
	}
	var out []string
	from, last, lastWide := 0, ' ', false
	for i := 0; i < len(word); {
		if word[i] == '\x1b' {
			i += sequence(word[i:])
			continue
		}
		n, w := cluster(word[i:])
		first, _ := utf8.DecodeRuneInString(word[i:])
		wide := w > 1
		if i > from && (wide || lastWide) && !strings.ContainsRune(closing, first) && !strings.ContainsRune(opening, last) {
			out = append(out, word[from:i])
			from = i
		}
		last, lastWide = first, wide
		i += n
	}
	return append(out, word[from:])
}

// HardWrap breaks s into lines of at most width cells at whatever character stands there. A character that is wider
// than a line has one of its own.
func HardWrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	if Width(s) <= width {
		return []string{s}
	}
	var lines []string
	for s != "" {
		n, _ := prefix(s, width)
		if n == 0 {
			n, _ = cluster(s)
		}
		lines = append(lines, s[:n])
		s = s[n:]
	}
	return lines
}

// prefix is how many bytes of s fit into width cells, and how many cells they take.
func prefix(s string, width int) (bytes, cells int) {
	column, i := 0, 0
	for i < len(s) {
		if s[i] == '\x1b' {
			i += sequence(s[i:])
			continue
		}
		n, w := cluster(s[i:])
		if column+w > width {
			break
		}
		column += w
		i += n
	}
	return i, column
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
