package safetext

import (
	"strconv"
	"strings"
)

const (
	esc = 0x1b
	bel = 0x07
)

// sequence returns how many bytes of s, which begins with r, make an escape sequence; 0 when s begins with text.
// Of a string sequence (OSC, DCS, …) that never ends only the introducer counts, so that it hides nothing.
func sequence(s string, r rune, size int) int {
	switch {
	case r == esc:
		if len(s) == 1 {
			return 1
		}
		switch s[1] {
		case '[':
			return 2 + csi(s[2:])
		case ']', 'P', 'X', '^', '_':
			return 2 + stringBody(s[2:])
		}
		return 1 + escBody(s[1:])
	case r == 0x9b && size == 2:
		return size + csi(s[size:])
	case (r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f) && size == 2:
		return size + stringBody(s[size:])
	}
	return 0
}

// csi is the length of parameters, intermediates and final byte; of a broken one, up to the byte that broke it.
func csi(s string) int {
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 0x20 && b <= 0x3f:
		case b >= 0x40 && b <= 0x7e:
			return i + 1
		default:
			return i
		}
	}
	return len(s)
}

// escBody is the length of what follows ESC: intermediates and one final byte.
func escBody(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		return i + 1
	}
	return i
}

// stringBody is the length up to and with BEL, ESC \ or C1 ST; 0 when there is none of them.
func stringBody(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == bel:
			return i + 1
		case s[i] == esc && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		}
	}
	return 0
}

// safeSGR returns the sequence with only the parameters that colour or emphasise, or "" when it is not SGR or
// nothing is left of it. Blinking, concealing and fonts are dropped.
func safeSGR(seq string) string {
	body, ok := strings.CutPrefix(seq, "\x1b[")
	if !ok {
		if body, ok = strings.CutPrefix(seq, "\u009b"); !ok {
			return ""
		}
	}
	body, ok = strings.CutSuffix(body, "m")
	if !ok || len(body) > 64 || strings.Trim(body, "0123456789;:") != "" {
		return ""
	}
	if body == "" {
		return "\x1b[m"
	}
	parameters := strings.Split(body, ";")
	kept := make([]string, 0, len(parameters))
	for i := 0; i < len(parameters); i++ {
		p := parameters[i]
		if p == "38" || p == "48" || p == "58" {
			n := extended(parameters[i:])
			if n == 0 {
				break
			}
			kept = append(kept, parameters[i:i+n]...)
			i += n - 1
			continue
		}
		if allowed(p) {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(kept, ";") + "m"
}

// extended is how many parameters an indexed (;5;n) or direct (;2;r;g;b) colour takes; 0 for a broken one.
func extended(p []string) int {
	n := 0
	switch {
	case len(p) >= 3 && p[1] == "5":
		n = 3
	case len(p) >= 5 && p[1] == "2":
		n = 5
	default:
		return 0
	}
	for _, v := range p[2:n] {
		if x, err := strconv.Atoi(v); v != "" && (err != nil || x > 255) {
			return 0
		}
	}
	return n
}

func allowed(p string) bool {
	if head, _, colon := strings.Cut(p, ":"); colon {
		return head == "4" || head == "38" || head == "48" || head == "58"
	}
	if p == "" {
		return true // the same as 0
	}
	n, err := strconv.Atoi(p)
	if err != nil {
		return false
	}
	switch {
	case n <= 4, n == 7, n == 9, n >= 21 && n <= 24, n == 27, n == 29:
		return true
	case n >= 30 && n <= 37, n == 39, n >= 40 && n <= 47, n == 49, n == 59, n >= 90 && n <= 97, n >= 100 && n <= 107:
		return true
	}
	return false
}
