package i18n

import (
	"fmt"
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

// parser replaces go-i18n's text/template: texts need nothing but {{.name}}, and they are made for every frame.
type parser struct{}

func (parser) Cacheable() bool { return true }

// Parse splits a text at its {{.name}}.
func (parser) Parse(source, _, _ string) (template.ParsedTemplate, error) {
	var p parsed
	for {
		before, rest, found := strings.Cut(source, "{{")
		p.text = append(p.text, before)
		if !found {
			return p, nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		name = strings.TrimSpace(name)
		if !closed || len(name) < 2 || name[0] != '.' {
			return nil, fmt.Errorf("not {{.name}}: {{%s", rest)
		}
		p.names = append(p.names, name[1:])
		source = after
	}
}

// parsed is a text with gaps: names[i] goes between text[i] and text[i+1].
type parsed struct {
	text  []string
	names []string
}

// Execute fills the gaps.
func (p parsed) Execute(data any) (string, error) {
	values, _ := data.(map[string]any)
	var b strings.Builder
	for i, text := range p.text {
		b.WriteString(text)
		if i < len(p.names) {
			b.WriteString(value(values, p.names[i]))
		}
	}
	return b.String(), nil
}

func value(values map[string]any, name string) string {
	switch v := values[name].(type) {
	case nil:
		return "{{." + name + "}}"
	case string:
		return safetext.Clean(v)
	case int:
		return strconv.Itoa(v)
	default:
		return safetext.Clean(fmt.Sprint(v))
	}
}
