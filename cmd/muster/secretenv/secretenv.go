// Package secretenv reads files of KEY=VALUE lines. No value ever stands in one of its errors.
package secretenv

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Error is a line that is not KEY=VALUE, a comment or blank.
type Error struct {
	Line int    // from 1
	Code string // NoEquals, BadName, Twice
	Name string // the variable's name, where Code is Twice
}

// Error names the line, never what stands in it.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Code) }

var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Parse reads KEY=VALUE lines. Everything after the first "=" is the value, as it is: quotes and spaces belong to it,
// as with docker's and kubectl's env files. Blank lines and lines that start with # are skipped; a byte order mark and
// the carriage returns of Windows are dropped.
func Parse(data []byte) (map[string]string, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	values := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if t := strings.TrimSpace(line); t == "" || strings.HasPrefix(t, "#") {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		key = strings.TrimLeft(key, " \t")
		if !found {
			return nil, &Error{Line: n, Code: "NoEquals"}
		}
		if !name.MatchString(key) {
			return nil, &Error{Line: n, Code: "BadName"}
		}
		if _, twice := values[key]; twice {
			return nil, &Error{Line: n, Code: "Twice", Name: key}
		}
		values[key] = value
	}
	return values, lines.Err()
}
