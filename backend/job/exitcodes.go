package job

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
)

// ExitCodes is a set of exit codes of a container, each 1–255. The zero value is empty.
type ExitCodes struct {
	ranges []codeRange // ascending, none overlapping
}

type codeRange struct{ from, to int }

// ExitCodesError says which part of a text is not a list of exit codes, and how: Code is one of the problem codes
// ExitCodesEmpty, ExitCodesSyntax, ExitCodesRange (outside 1–255) and ExitCodesReversed.
type ExitCodesError struct {
	Code string
	Part string
}

// Error is for logs; people are shown the catalogue's text.
func (e *ExitCodesError) Error() string { return fmt.Sprintf("exit codes: %s at %q", e.Code, e.Part) }

// ParseExitCodes reads codes and ranges such as "199,200-204,230". They are separated by commas, Chinese commas or
// spaces; spaces around a comma or a dash do not matter. The error is an [*ExitCodesError].
func ParseExitCodes(text string) (ExitCodes, error) {
	text = strings.ReplaceAll(text, "，", ",")
	var ranges []codeRange
	fields := strings.Split(text, ",")
	for _, field := range fields {
		words := strings.FieldsFunc(field, unicode.IsSpace)
		if len(words) == 0 {
			if len(fields) == 1 {
				return ExitCodes{}, &ExitCodesError{CodeExitCodesEmpty, ""}
			}
			return ExitCodes{}, &ExitCodesError{CodeExitCodesSyntax, text}
		}
		// "200 - 204" is one range: a dash at the end of a word, or at the start of the next, joins them.
		joined := words[:1]
		for _, w := range words[1:] {
			if last := len(joined) - 1; strings.HasSuffix(joined[last], "-") || strings.HasPrefix(w, "-") {
				joined[last] += w
			} else {
				joined = append(joined, w)
			}
		}
		for _, part := range joined {
			r, err := parseCodeRange(part)
			if err != nil {
				return ExitCodes{}, err
			}
			ranges = append(ranges, r)
		}
	}
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].from < ranges[j].from })
	merged := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &merged[len(merged)-1]; r.from <= last.to {
			last.to = max(last.to, r.to)
		} else {
			merged = append(merged, r)
		}
	}
	return ExitCodes{merged}, nil
}

func parseCodeRange(part string) (codeRange, error) {
	low, high, isRange := strings.Cut(part, "-")
	if !isRange {
		high = low
	}
	for _, digits := range []string{low, high} {
		if digits == "" || strings.Trim(digits, "0123456789") != "" {
			return codeRange{}, &ExitCodesError{CodeExitCodesSyntax, part}
		}
	}
	from, errFrom := strconv.Atoi(low)
	to, errTo := strconv.Atoi(high)
	switch {
	case errFrom != nil || errTo != nil || from < 1 || from > 255 || to < 1 || to > 255:
		return codeRange{}, &ExitCodesError{CodeExitCodesRange, part}
	case from > to:
		return codeRange{}, &ExitCodesError{CodeExitCodesReversed, part}
	}
	return codeRange{from, to}, nil
}

// String is the canonical form: ascending, separated by commas without spaces, overlapping parts merged; parts that
// only touch stay as they were written, so "199,200-204" stays "199,200-204".
func (c ExitCodes) String() string {
	parts := make([]string, len(c.ranges))
	for i, r := range c.ranges {
		parts[i] = strconv.Itoa(r.from)
		if r.to > r.from {
			parts[i] += "-" + strconv.Itoa(r.to)
		}
	}
	return strings.Join(parts, ",")
}

// Contains tells whether the set has the code.
func (c ExitCodes) Contains(code int) bool {
	for _, r := range c.ranges {
		if r.from <= code && code <= r.to {
			return true
		}
	}
	return false
}

// Codes lists the codes, ascending.
func (c ExitCodes) Codes() []int {
	var codes []int
	for _, r := range c.ranges {
		for code := r.from; code <= r.to; code++ {
			codes = append(codes, code)
		}
	}
	return codes
}
