package i18n

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n/template"

	"muster.dev/muster/ui/safetext"
)

// arguments makes one map of what T was given.
func arguments(args []any) map[string]any {
	data := make(map[string]any, len(args)/2+1)
	if len(args) == 1 {
		switch m := args[0].(type) {
		case map[string]string:
			for k, v := range m {
				data[k] = v
			}
		case map[string]any:
			for k, v := range m {
				data[k] = v
			}
		}
		return data
	}
	for i := 0; i+1 < len(args); i += 2 {
		if name, ok := args[i].(string); ok {
			data[name] = args[i+1]
		}
	}
	return data
}

// parser replaces go-i18n's text/template: texts need nothing but {{.name}} and [[ ]], and they are made for every frame.
type parser struct{}

func (parser) Cacheable() bool { return true }

// Parse splits a text at its {{.name}}. A part in [[ ]] is left out when an argument within it is empty or missing.
func (parser) Parse(source, _, _ string) (template.ParsedTemplate, error) {
	var p parsed
	for {
		before, rest, found := strings.Cut(source, "[[")
		plain, err := split(before, false)
		if err != nil {
			return nil, err
		}
		p = append(p, plain)
		if !found {
			return p, nil
		}
		inner, after, closed := strings.Cut(rest, "]]")
		part, err := split(inner, true)
		switch {
		case err != nil:
			return nil, err
		case !closed || len(part.names) == 0:
			return nil, fmt.Errorf("not [[… {{.name}} …]]: [[%s", rest)
		}
		p = append(p, part)
		source = after
	}
}

func split(source string, optional bool) (segment, error) {
	s := segment{optional: optional}
	for {
		before, rest, found := strings.Cut(source, "{{")
		s.text = append(s.text, before)
		if !found {
			return s, nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		name = strings.TrimSpace(name)
		if !closed || len(name) < 2 || name[0] != '.' {
			return s, fmt.Errorf("not {{.name}}: {{%s", rest)
		}
		s.names = append(s.names, name[1:])
		source = after
	}
}

// parsed is a text taken apart.
type parsed []segment

// segment is a part of a text with gaps: names[i] goes between text[i] and text[i+1].
type segment struct {
	optional bool
	text     []string
	names    []string
}

// Execute fills the gaps.
func (p parsed) Execute(data any) (string, error) {
	f, _ := data.(*filling)
	if f == nil {
		f = &filling{}
	}
	var b strings.Builder
	for _, s := range p {
		if s.optional && slices.ContainsFunc(s.names, f.empty) {
			continue
		}
		for i, text := range s.text {
			b.WriteString(text)
			if i < len(s.names) {
				b.WriteString(f.value(s.names[i]))
			}
		}
	}
	return b.String(), nil
}

// filling is what goes into a text's gaps, and which of them it has nothing for.
type filling struct {
	values map[string]any
	lacks  []string
}

func (f *filling) empty(name string) bool {
	v := f.values[name]
	return v == nil || v == ""
}

// unknown stands where an argument lacks: people are not shown the catalogue's own signs.
const unknown = "?"

func (f *filling) value(name string) string {
	switch v := f.values[name].(type) {
	case nil:
		f.lacks = append(f.lacks, name)
		return unknown
	case string:
		return safetext.Clean(v)
	case int:
		return strconv.Itoa(v)
	default:
		return safetext.Clean(fmt.Sprint(v))
	}
}
