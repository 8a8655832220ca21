package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// The values of -o.
const (
	asTable = ""
	asJSON  = "json"
	asYAML  = "yaml"
	asName  = "name"
	asWide  = "wide"
)

// outputFlag adds -o with the formats that the command can write.
func (a *app) outputFlag(c *cobra.Command, p *string, formats ...string) {
	a.addFlag(c, &choice{value: p, allowed: formats}, "output", "o")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// object writes a value as JSON or YAML, whichever format asks for.
func (a *app) object(format string, value any) error {
	text, err := encode(format, value)
	if err != nil {
		return err
	}
	_, err = a.out.Write(text)
	return err
}

// encode makes JSON or YAML. Characters that could drive a terminal or turn the direction of text are escaped, in
// JSON as in YAML's double quotes, so that what a cluster sends reaches nobody's terminal and the value stays the same.
func encode(format string, value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	if format == asJSON {
		return escapeControls(b.Bytes()), nil
	}
	text, err := yaml.JSONToYAML(b.Bytes())
	if err != nil || !hasControls(text) {
		return text, err
	}
	// YAML takes bidirectional controls as printable and leaves them bare. JSON is YAML too.
	return escapeControls(b.Bytes()), nil
}

func hasControls(text []byte) bool { return bytes.ContainsFunc(text, controls) }

// controls tells of characters that encoding/json leaves as they are though a terminal would obey them.
func controls(r rune) bool {
	switch {
	case r >= 0x7f && r < 0xa0: // DEL and C1
	case r == 0x061c, r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // direction
	default:
		return false
	}
	return true
}

func escapeControls(text []byte) []byte {
	if !hasControls(text) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if controls(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}

// list is the shape of every list in JSON.
type list[T any] struct {
	Items []T `json:"items"`
}

// items makes a list whose items are never null.
func items[T any](all []T) list[T] {
	if all == nil {
		all = []T{}
	}
	return list[T]{Items: all}
}

// names writes one name a line.
func names(w io.Writer, all []string) error {
	if len(all) == 0 {
		return nil
	}
	_, err := io.WriteString(w, strings.Join(all, "\n")+"\n")
	return err
}
