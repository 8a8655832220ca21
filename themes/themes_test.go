package themes

import (
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		flag string
		env  map[string]string
		want Name
		err  string
	}{
		{"", map[string]string{"TERM": "xterm-256color"}, Auto, ""},
		{"", map[string]string{"TERM": "linux"}, Sixteen, ""},
		{"", map[string]string{"TERM": "screen", "COLORTERM": "truecolor"}, Auto, ""},
		{"", map[string]string{"TERM": "dumb"}, None, ""},
		{"", map[string]string{"TERM": "xterm-256color", "NO_COLOR": "0"}, None, ""},
		{"", map[string]string{"TERM": "xterm-256color", "NO_COLOR": ""}, Auto, ""},
		{"light", map[string]string{"NO_COLOR": "1"}, Light, ""},
		{"", map[string]string{"MUSTER_THEME": "dark", "NO_COLOR": "1"}, Dark, ""},
		{"Light", map[string]string{"MUSTER_THEME": "dark"}, Light, ""},
		{"purple", nil, Auto, "--theme: there is no theme \"purple\""},
		{"", map[string]string{"MUSTER_THEME": "x"}, Auto, "MUSTER_THEME: there is no theme \"x\""},
	} {
		got, err := Choose(c.flag, func(k string) string { return c.env[k] })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("Choose(%q, %v) = %q, %v; want %q, %q", c.flag, c.env, got, err, c.want, c.err)
		}
	}
}

func TestStyle(t *testing.T) {
	dark := New(Dark)
	if got := dark.Error.Render("x"); !strings.HasPrefix(got, "\x1b[") || !strings.HasSuffix(got, "x\x1b[m") {
		t.Errorf("Render = %q", got)
	}
	if got := (Style{}).Render("x"); got != "x" {
		t.Errorf("the zero style renders %q", got)
	}
	over := dark.Phase(job.Failed).Over(dark.Selected)
	if !strings.Contains(over.Open(), "38;2;") || !strings.Contains(over.Open(), "48;2;") {
		t.Errorf("a phase on the selected row lost a colour: %q", over.Open())
	}
}

func TestEveryThemeTellsPhasesAndSelectionApart(t *testing.T) {
	for _, name := range Names() {
		s := New(name)
		if s.Selected.Open() == "" || s.TabOpen.Open() == s.Tab.Open() || len(s.Series) == 0 {
			t.Errorf("%s: a selection or an open tab can't be seen", name)
		}
		if s.Phase(job.Failed).Open() == s.Phase(job.Running).Open() {
			t.Errorf("%s: failed looks like running", name)
		}
	}
}

func TestNoneHasNoColours(t *testing.T) {
	s := New(None)
	for _, style := range []Style{s.Dim, s.Title, s.Error, s.Selected, s.Marked, s.Key, s.TabOpen, s.FieldFocus, s.Series[0], s.Phase(job.Failed)} {
		for _, p := range strings.Split(strings.Trim(style.Open(), "\x1b[m"), ";") {
			if p != "" && p != "1" && p != "2" && p != "4" && p != "7" {
				t.Errorf("attribute %q in %q", p, style.Open())
			}
		}
	}
	if s.Coloured() {
		t.Error("it says it is coloured")
	}
}
