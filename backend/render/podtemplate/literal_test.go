package podtemplate

import (
	"strings"
	"testing"
)

// expand is a model of the expansion that Kubernetes documents for env, command and args: "$(NAME)" is replaced by
// the value of NAME when NAME is defined and stays as it is when not; "$$" is one "$", so that "$$(NAME)" is
// the literal "$(NAME)"; everything else is copied. It is written from the documentation, not from the source.
func expand(s string, vars map[string]string) string {
	var out strings.Builder
	for s != "" {
		switch {
		case strings.HasPrefix(s, "$$"):
			out.WriteByte('$')
			s = s[2:]
		case strings.HasPrefix(s, "$("):
			end := strings.IndexByte(s, ')')
			if end < 0 {
				out.WriteString("$(")
				s = s[2:]
				continue
			}
			name := s[2:end]
			if v, ok := vars[name]; ok {
				out.WriteString(v)
			} else {
				out.WriteString("$(" + name + ")")
			}
			s = s[end+1:]
		default:
			out.WriteByte(s[0])
			s = s[1:]
		}
	}
	return out.String()
}

func TestLiteral(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"plain":             "plain",
		"$":                 "$",
		"$HOME ${RANK} a$":  "$HOME ${RANK} a$",
		"$$":                "$$$",
		"$(date)":           "$$(date)",
		"$(RANK)":           "$$(RANK)",
		"$$(RANK)":          "$$$$(RANK)",
		"echo $$ $(date) $": "echo $$$ $$(date) $",
		"$((1+2))":          "$$((1+2))",
		"训练$(名)":            "训练$$(名)",
	} {
		got := Literal(in)
		if got != want {
			t.Errorf("Literal(%q) = %q, want %q", in, got, want)
		}
		if back := expand(got, map[string]string{"RANK": "0", "date": "x", "名": "y", "(1+2": "z"}); back != in {
			t.Errorf("%q reaches the container as %q", in, back)
		}
	}
}

// FuzzLiteral proves that what is typed is what the process sees, whatever variables exist.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"$$", "$(A)", "$$(A)", "$$$(A)", "$", "$(", "$()", "a$b$(c)$$d$", "$(A$(A))", "\x00$(\xff"} {
		f.Add(s, "A", "value")
	}
	f.Fuzz(func(t *testing.T, s, name, value string) {
		if got := expand(Literal(s), map[string]string{name: value, "": "empty"}); got != s {
			t.Errorf("%q reaches the container as %q (with %q=%q)", s, got, name, value)
		}
	})
}

// The model itself must be able to tell: without Literal, these are altered.
func TestModelExpands(t *testing.T) {
	vars := map[string]string{"A": "1"}
	for in, want := range map[string]string{"$(A)": "1", "$$": "$", "$$(A)": "$(A)", "$$$(A)": "$1", "$(B)": "$(B)", "$x": "$x"} {
		if got := expand(in, vars); got != want {
			t.Errorf("expand(%q) = %q, want %q", in, got, want)
		}
	}
}
