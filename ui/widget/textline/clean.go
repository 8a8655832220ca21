package textline

import (
	"strings"
	"unicode/utf8"
)

// Note says what was done to a pasted text before it was taken in. The zero value: nothing.
type Note struct {
	Breaks  int // line breaks that became spaces
	Dropped int // control, bidi and other invisible characters that were left out
	Invalid int // bytes that were no UTF-8, replaced by U+FFFD
	Kept    int // control and bidi characters that are kept, shown by placeholders
	Cut     int // characters left out because the field is full
}

// Zero tells whether the text was taken as it was.
func (n Note) Zero() bool { return n == Note{} }

// OneLine prepares a pasted text for a field of one line: line breaks at the end go, those inside become a space
// each, and so do tabs; control and bidi characters are left out.
func OneLine(s string) (string, Note) {
	var n Note
	s = breaks(s)
	s = strings.TrimRight(s, "\n")
	if plain(s) {
		return s, n
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] != 0xef:
			n.Invalid++
			b.WriteRune(r)
		case r == '\n':
			n.Breaks++
			b.WriteByte(' ')
		case r == '\t':
			b.WriteByte(' ')
		case Hostile(r) && r != '\u200d':
			n.Dropped++
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), n
}

// Text prepares a pasted text for an editor: a terminal sends a return for every line break, so CR LF and CR are
// line breaks here; NUL, which no program's argument can hold, is left out; everything else stays, byte for byte,
// tabs, trailing spaces and control characters too.
func Text(s string) (string, Note) {
	var n Note
	s = breaks(s)
	if nul := strings.Count(s, "\x00"); nul > 0 {
		n.Dropped = nul
		s = strings.ReplaceAll(s, "\x00", "")
	}
	if !utf8.ValidString(s) {
		var b strings.Builder
		b.Grow(len(s))
		for i, r := range s {
			if r == utf8.RuneError && s[i] != 0xef {
				n.Invalid++
			}
			b.WriteRune(r)
		}
		s = b.String()
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && r != '\u200d' && Hostile(r) {
			n.Kept++
		}
	}
	return s, n
}

func breaks(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
