package input

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/widget/textline"
)

// press makes the message of a keystroke written as bubbletea writes it.
func press(keystroke string) tea.KeyPressMsg {
	k := tea.Key{}
	rest := keystroke
	for {
		switch {
		case strings.HasPrefix(rest, "ctrl+"):
			k.Mod |= tea.ModCtrl
			rest = rest[5:]
			continue
		case strings.HasPrefix(rest, "alt+"):
			k.Mod |= tea.ModAlt
			rest = rest[4:]
			continue
		}
		break
	}
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "enter": tea.KeyEnter, "tab": tea.KeyTab, "up": tea.KeyUp}
	if c, ok := codes[rest]; ok {
		k.Code = c
	} else {
		r := []rune(rest)
		k.Code = r[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	return tea.KeyPressMsg(k)
}

func TestSelected(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"3", "3"}, {"3 2", "32"}, {"left 3", "130"}, {"end 3", "103"}, {"home 3", "310"}, {"backspace 3", "13"}, {"delete 3", "103"},
		{"tab 3", "3"}, {"3 alt+z", "10"}, {"ctrl+u 3", "3"}, {"ctrl+k 3", "103"},
	} {
		var m Model
		m.SetValue("10")
		m.Select()
		for _, k := range strings.Fields(c.keys) {
			m.Key(press(k))
		}
		if m.Value() != c.want {
			t.Errorf("%s: %q, want %q", c.keys, m.Value(), c.want)
		}
	}
	var m Model
	m.Limit = 3
	m.SetValue("训练练")
	m.Select()
	styles := Styles{Text: themes.New(themes.Dark).Field, Selected: themes.New(themes.Dark).Selected}
	marked, _ := m.View(10, true, styles)
	if note := m.Paste("abc"); m.Value() != "abc" || note.Cut != 0 {
		t.Errorf("pasted: %q, %+v", m.Value(), note)
	}
	m.SetValue("训练练")
	if plain, _ := m.View(10, true, styles); plain == marked {
		t.Error("what is marked looks as what is not")
	}
	m.SetValue("")
	m.Select()
	m.Key(press("a"))
	m.Key(press("b"))
	if m.Value() != "ab" {
		t.Errorf("an empty field: %q", m.Value())
	}
}

func TestKeys(t *testing.T) {
	cases := []struct {
		name, start string
		keys        []string
		want        string
		column      int
	}{
		{"typing", "", []string{"a", "训", "b"}, "a训b", 4},
		{"a combining mark joins what stands before it", "", []string{"e", "\u0301", "x"}, "e\u0301x", 2},
		{"a letter before a lone mark takes it along", "\u0301", []string{"home", "e"}, "e\u0301", 1},
		{"backspace takes a whole cluster", "ae\u0301", []string{"backspace"}, "a", 1},
		{"backspace takes a joined emoji", "a👨\u200d👩\u200d👧", []string{"backspace"}, "a", 1},
		{"left over a wide character", "训练", []string{"left"}, "训练", 2},
		{"insert between wide characters", "训练", []string{"left", "x"}, "训x练", 3},
		{"delete at the start", "训练", []string{"home", "delete"}, "练", 0},
		{"to the end and the start", "abc", []string{"ctrl+a", "x", "ctrl+e", "y"}, "xabcy", 5},
		{"kill to the end", "abc def", []string{"home", "right", "ctrl+k"}, "a", 1},
		{"kill to the start", "abc", []string{"left", "ctrl+u"}, "c", 0},
		{"kill a word", "abc def", []string{"ctrl+w"}, "abc ", 4},
		{"word moves", "abc 训练 x", []string{"ctrl+left", "ctrl+left", "ctrl+k"}, "abc ", 4},
		{"delete a word forward", "abc def", []string{"home", "alt+d"}, " def", 0},
		{"undo takes typing back together", "", []string{"a", "b", "alt+z"}, "", 0},
		{"undo and redo of a kill", "abc", []string{"ctrl+u", "alt+z", "ctrl+y", "alt+z"}, "abc", 3},
		{"backspace at the start does nothing", "a", []string{"home", "backspace"}, "a", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var m Model
			m.SetValue(c.start)
			for _, k := range c.keys {
				if !m.Key(press(k)) {
					t.Fatalf("%s was refused", k)
				}
			}
			if _, column := m.View(40, true, Styles{}); m.Value() != c.want || column != c.column {
				t.Fatalf("value %q cursor %d, want %q and %d", m.Value(), column, c.want, c.column)
			}
		})
	}
}

func TestTheCursorIsNeverInsideACluster(t *testing.T) {
	var m Model
	m.SetValue("\u0301x")
	m.Key(press("home"))
	m.Key(press("e"))
	m.Key(press("y"))
	if m.Value() != "e\u0301yx" {
		t.Errorf("%q", m.Value())
	}
}

func TestKeysOfTheFormAreLeftToIt(t *testing.T) {
	var m Model
	for _, k := range []string{"enter", "tab", "up", "ctrl+s", "ctrl+p", "alt+1"} {
		if m.Key(press(k)) {
			t.Errorf("%s was taken", k)
		}
	}
	if m.Value() != "" {
		t.Errorf("value %q", m.Value())
	}
}

func TestPaste(t *testing.T) {
	var m Model
	m.SetValue("ab")
	m.Key(press("left"))
	note := m.Paste("x\ny\x1b]0;title\x07\u202e\n")
	if m.Value() != "ax y]0;titleb" || note != (textline.Note{Breaks: 1, Dropped: 3}) {
		t.Fatalf("%q %+v", m.Value(), note)
	}
	m = Model{Limit: 3}
	m.SetValue("a")
	if note := m.Paste("训练任务"); m.Value() != "a训练" || note.Cut != 2 {
		t.Fatalf("%q %+v", m.Value(), note)
	}
	m.Key(press("z"))
	if m.Value() != "a训练" {
		t.Fatalf("typed over the limit: %q", m.Value())
	}
}

func TestMaskShowsNothing(t *testing.T) {
	m := Model{Mask: true}
	m.SetValue("s3cr训t")
	view, column := m.View(20, true, Styles{})
	if strings.TrimRight(view, " ") != "******" || column != 6 {
		t.Fatalf("%q %d", view, column)
	}
}

func TestPlaceholderAndOverflow(t *testing.T) {
	m := Model{Placeholder: "默认"}
	if v, c := m.View(6, true, Styles{}); v != "默认  " || c != 0 {
		t.Errorf("%q %d", v, c)
	}
	m.SetValue("0123456789")
	if v, _ := m.View(6, false, Styles{}); v != "01234…" {
		t.Errorf("unfocused: %q", v)
	}
	if v, c := m.View(6, true, Styles{}); v != "56789 " || c != 5 {
		t.Errorf("focused: %q %d", v, c)
	}
}

// hold checks what every frame must satisfy.
func hold(t *testing.T, m *Model, width int) {
	t.Helper()
	for _, focused := range []bool{true, false} {
		v, c := m.View(width, focused, Styles{})
		if wc, g := ansi.StringWidthWc(v), ansi.StringWidth(v); wc != width || g != width {
			t.Fatalf("%q: frame of %d cells is %d or %d wide", m.Value(), width, wc, g)
		}
		if c < 0 || c >= width {
			t.Fatalf("%q: cursor in cell %d of %d", m.Value(), c, width)
		}
		for _, r := range v {
			if textline.Hostile(r) && r != '\u200d' {
				t.Fatalf("%q: frame holds %U", m.Value(), r)
			}
		}
	}
}

var script = []string{"left", "right", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+left", "ctrl+right", "alt+z",
	"ctrl+y", "a", "训", "\u0301", "😀", "\u202e", "alt+d", "ctrl+k"}

func FuzzInput(f *testing.F) {
	f.Add("训练\x1b[31m\xff👨\u200d👩", []byte{0, 1, 12, 4, 13}, 7)
	f.Add("e\u0301\u200d\u1100", []byte{0, 4, 4, 14, 9}, 1)
	f.Fuzz(func(t *testing.T, paste string, keys []byte, width int) {
		var m Model
		width = min(max(width, 1), 200)
		m.Paste(paste)
		hold(t, &m, width)
		for _, k := range keys[:min(len(keys), 64)] {
			m.Key(press(script[int(k)%len(script)]))
			hold(t, &m, width)
		}
	})
}

func TestAHundredKilobytesStayUsable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 100_000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	pastes := map[string]string{"random bytes": string(b), "cjk": strings.Repeat("训练", 16_667), "one cluster": "e" + strings.Repeat("\u0301", 50_000)}
	for name, paste := range pastes {
		t.Run(name, func(t *testing.T) {
			var m Model
			m.Paste(paste)
			hold(t, &m, 80)
			for _, k := range script {
				m.Key(press(k))
				hold(t, &m, 80)
			}
		})
	}
}

func BenchmarkKeyAfter100kPaste(b *testing.B) {
	for name, unit := range map[string]string{"ascii": "abcdefghij", "cjk": "训练任"} {
		b.Run(name, func(b *testing.B) {
			var m Model
			m.Paste(strings.Repeat(unit, 100_000/len(unit)))
			k := press("x")
			slowest := time.Duration(0)
			for b.Loop() {
				start := time.Now()
				m.Key(k)
				m.View(80, true, Styles{})
				slowest = max(slowest, time.Since(start))
				m.Key(press("backspace"))
			}
			b.ReportMetric(float64(slowest.Microseconds()), "max-µs")
		})
	}
}
