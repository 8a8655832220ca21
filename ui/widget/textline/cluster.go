package textline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// Placeholder stands on the screen for a character that must not reach a terminal and has no picture of its own.
const Placeholder = "\uFFFD"

// dotted carries a combining mark that has nothing to stand on.
const dotted = "\u25CC"

// Cell says how one cluster is drawn.
type Cell struct {
	Text  string // what may be written to a terminal; a tab is spaces
	Width int    // cells, the same by code points and by grapheme clusters
	Plain bool   // false: Text stands for something else (control, bidi, tab, cluster of disputed width)
}

// Draw says how a cluster is shown. The text it gives never holds a control, an escape or a bidi control, and has
// the same width whether a terminal counts code points (wcwidth) or grapheme clusters (mode 2027): terminals
// disagree about joined emoji and some marks, so of those only the part is drawn on which they agree. Tabs are
// the business of [Line], which knows the column.
func Draw(cluster string) Cell {
	if len(cluster) == 1 {
		return drawByte(cluster[0])
	}
	r, size := utf8.DecodeRuneInString(cluster)
	switch {
	case r == utf8.RuneError && size <= 1:
		return Cell{Text: Placeholder, Width: 1}
	case ideograph(r) && size == len(cluster):
		return Cell{Text: cluster, Width: 2, Plain: true}
	case Hostile(r):
		return Cell{Text: Placeholder, Width: 1}
	}
	if unicode.Is(unicode.M, r) { // a mark with nothing to stand on would join what is drawn before it
		if w, ok := agreed(dotted + string(r)); ok && w == 1 {
			return Cell{Text: dotted + string(r), Width: 1}
		}
		return Cell{Text: Placeholder, Width: 1}
	}
	if w, ok := agreed(cluster); ok && w > 0 && !holdsHostile(cluster) {
		return Cell{Text: cluster, Width: w, Plain: true}
	}
	return drawBase(cluster, r)
}

func drawByte(b byte) Cell {
	switch {
	case b < 0x20:
		return Cell{Text: string(rune(0x2400 + int(b))), Width: 1} // control pictures
	case b == 0x7f:
		return Cell{Text: "\u2421", Width: 1}
	case b >= utf8.RuneSelf:
		return Cell{Text: Placeholder, Width: 1}
	}
	return Cell{Text: string(rune(b)), Width: 1, Plain: true}
}

// drawBase draws the first code point and those marks after it that take no cell by any count.
func drawBase(cluster string, base rune) Cell {
	w, ok := agreed(string(base))
	if !ok || w <= 0 || unicode.Is(unicode.Regional_Indicator, base) { // half a flag would pair with the next
		return Cell{Text: Placeholder, Width: 1}
	}
	var b strings.Builder
	b.WriteRune(base)
	for _, r := range cluster[utf8.RuneLen(base):] {
		if !unicode.Is(unicode.Mn, r) || Hostile(r) {
			break
		}
		if ww, ok := agreed(b.String() + string(r)); !ok || ww != w {
			break
		}
		b.WriteRune(r)
	}
	return Cell{Text: b.String(), Width: w}
}

func agreed(s string) (int, bool) {
	w := displaywidth.String(s)
	return w, w == ansi.StringWidthWc(s)
}

func holdsHostile(s string) bool {
	for _, r := range s {
		if Hostile(r) && r != '\u200d' { // the joiner is what makes a joined emoji
			return true
		}
	}
	return false
}

// Hostile tells whether a character must not reach a terminal as it is: C0 and C1 controls, line and paragraph
// separators, bidi controls and everything else invisible that changes how its neighbours look, and code points
// that are not characters.
func Hostile(r rune) bool {
	if r < 0x20 || r == 0x7f {
		return true
	}
	if r < 0x7f {
		return false
	}
	switch {
	case r < 0xa0, r == 0xad: // C1, soft hyphen
		return true
	case r == '\ufffe' || r == '\uffff', r >= 0xfdd0 && r <= 0xfdef:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

// Safe is one line of foreign text as it may be written to a terminal: what [Draw] makes of each cluster, tabs
// and line ends as single spaces.
func Safe(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for rest := s; rest != ""; {
		c := first(rest)
		rest = rest[len(c):]
		switch c {
		case "\t", "\n", "\r", "\r\n":
			b.WriteByte(' ')
		default:
			b.WriteString(Draw(c).Text)
		}
	}
	return b.String()
}

// plain tells whether s is printable ASCII alone: then every byte is a cluster of one cell.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
