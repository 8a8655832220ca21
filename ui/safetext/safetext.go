// Package safetext makes text from outside (log lines, names, messages of the cluster) fit to be shown: no escape
// sequence, control character or bidi control of it reaches the terminal, and every character that is left has a
// width that all terminals agree on.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks one character may carry: more are a way to draw over other lines.
const maxMarks = 4

// tabWidth is the distance of tab stops in log lines, in cells.
const tabWidth = 8

// Clean returns s as one line of plain text: escape sequences and controls are gone, line breaks and tabs are
// spaces, bytes that are not UTF-8 and characters that cannot be shown are U+FFFD.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	c := cleaner{source: s}
	c.run()
	return c.out.String()
}

// CleanLines is [Clean] of every line of s, with the line breaks kept; tabs become spaces up to the next stop.
func CleanLines(s string) string {
	if plain(s) {
		return s
	}
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		c := cleaner{source: line, expandTabs: true}
		c.run()
		lines[i] = c.out.String()
	}
	return strings.Join(lines, "\n")
}

// CleanLog returns one log line with its SGR colours kept (blinking and concealing ones dropped) and closed at the
// end, tabs expanded. Of text that a progress bar overwrote with carriage returns the last state is left.
func CleanLog(s string) string {
	s = LastState(s)
	if plain(s) {
		return s
	}
	c := cleaner{source: s, expandTabs: true, keepColours: true}
	c.run()
	if c.coloured {
		c.out.WriteString("\x1b[m")
	}
	return c.out.String()
}

// LastState is what a terminal would show of a line in which carriage returns went back to its start: the text
// after the last one that has any.
func LastState(s string) string {
	s = strings.TrimRight(s, "\r\n")
	if i := strings.LastIndexByte(s, '\r'); i >= 0 {
		return s[i+1:]
	}
	return s
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

type cleaner struct {
	source      string
	expandTabs  bool
	keepColours bool

	out      strings.Builder
	column   int // for tab stops; wide characters count as 2
	marks    int // combining marks on the present character
	based    bool
	coloured bool
}

func (c *cleaner) run() {
	c.out.Grow(len(c.source))
	for i := 0; i < len(c.source); {
		r, size := utf8.DecodeRuneInString(c.source[i:])
		if n := sequence(c.source[i:], r, size); n > 0 {
			if c.keepColours {
				c.colour(c.source[i : i+n])
			}
			i += n
			continue
		}
		i += size
		c.put(r, size)
	}
}

func (c *cleaner) put(r rune, size int) {
	switch {
	case r == utf8.RuneError && size <= 1:
		c.write(utf8.RuneError, 1)
	case r == '\t' && c.expandTabs:
		for n := tabWidth - c.column%tabWidth; n > 0; n-- {
			c.write(' ', 1)
		}
	case r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
		c.write(' ', 1)
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		// dropped: C0 and C1
	case r < 0x7f:
		c.write(r, 1)
	case unicode.Is(unicode.Cf, r), r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x1f3fb && r <= 0x1f3ff,
		r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x034f:
		// dropped: bidi and zero-width controls, joiners, variation selectors, skin tones, fillers. Terminals
		// disagree about the width of what they make, and they hide or reorder text.
	case unicode.In(r, unicode.Mn, unicode.Me):
		if c.based && c.marks < maxMarks {
			c.marks++
			c.out.WriteRune(r)
		}
	case r == 0x3000:
		c.write(r, 2)
	case unicode.Is(unicode.Zs, r):
		c.write(' ', 1)
	case !unicode.IsPrint(r):
		c.write(utf8.RuneError, 1)
	default:
		c.write(r, roughWidth(r))
	}
}

func (c *cleaner) write(r rune, width int) {
	c.out.WriteRune(r)
	c.column += width
	c.marks = 0
	c.based = true
}

// roughWidth is good enough for tab stops.
func roughWidth(r rune) int {
	if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1f9ff || r >= 0x20000 && r <= 0x3fffd) {
		return 2
	}
	return 1
}

func (c *cleaner) colour(seq string) {
	if sgr := safeSGR(seq); sgr != "" {
		c.out.WriteString(sgr)
		c.coloured = true
	}
}
