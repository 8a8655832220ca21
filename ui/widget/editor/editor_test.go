package editor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape,
		"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown}
	if c, ok := codes[rest]; ok {
		k.Code = c
	} else {
		k.Code = []rune(rest)[0]
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	return tea.KeyPressMsg(k)
}

func TestKeys(t *testing.T) {
	cases := []struct {
		name, start string
		keys        []string
		want        string
		x, y        int
	}{
		{"typing lines", "", []string{"a", "enter", "训", "b"}, "a\n训b", 3, 1},
		{"a tab is a tab", "", []string{"ctrl+t", "x"}, "\tx", 5, 0},
		{"backspace joins lines", "ab\ncd", []string{"down", "backspace", "X"}, "abXcd", 3, 0},
		{"delete joins lines", "ab\ncd", []string{"end", "delete"}, "abcd", 2, 0},
		{"left wraps to the line before", "ab\ncd", []string{"down", "left", "X"}, "abX\ncd", 3, 0},
		{"right wraps to the next line", "ab\ncd", []string{"end", "right", "X"}, "ab\nXcd", 1, 1},
		{"up and down keep the column over wide characters", "abcdef\n训练\nabcdef", []string{"right", "right", "right", "down", "down", "X"},
			"abcdef\n训练\nabcXdef", 4, 2},
		{"kill to the end and then the break", "ab\ncd", []string{"ctrl+k", "ctrl+k"}, "cd", 0, 0},
		{"kill to the start", "ab cd", []string{"end", "ctrl+u"}, "", 0, 0},
		{"kill a word over a break", "ab\ncd", []string{"down", "ctrl+w"}, "abcd", 2, 0},
		{"to both ends", "a\nb\nc", []string{"ctrl+end", "X", "ctrl+home", "Y"}, "Ya\nb\ncX", 1, 0},
		{"undo typing, a break and typing", "", []string{"a", "b", "enter", "c", "alt+z", "alt+z"}, "ab", 2, 0},
		{"redo", "", []string{"a", "b", "enter", "c", "alt+z", "alt+z", "ctrl+y", "ctrl+y"}, "ab\nc", 1, 1},
		{"undo a joined line", "ab\ncd", []string{"down", "backspace", "alt+z"}, "ab\ncd", 0, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := New(c.start)
			m.View(40, 10, true, Styles{})
			for _, k := range c.keys {
				if !m.Key(press(k)) {
					t.Fatalf("%s was refused", k)
				}
			}
			if _, x, y := m.View(40, 10, true, Styles{}); m.Value() != c.want || x != c.x || y != c.y {
				t.Fatalf("value %q cursor %d,%d, want %q and %d,%d", m.Value(), x, y, c.want, c.x, c.y)
			}
		})
	}
}

func TestKeysOfTheFormAreLeftToIt(t *testing.T) {
	m := New("a\nb")
	for _, k := range []string{"tab", "esc", "up", "pgup", "ctrl+s", "ctrl+p", "ctrl+e"} {
		if m.Key(press(k)) {
			t.Errorf("%s was taken", k)
		}
	}
	m.CursorEnd()
	if m.Key(press("down")) {
		t.Error("down on the last line was taken")
	}
}

func TestBytesStay(t *testing.T) {
	const file = "#!/bin/sh\r\n\techo $$ $(date)  \n\n# 训练\u202e\n"
	m := New(file)
	m.View(20, 5, true, Styles{})
	m.CursorEnd()
	m.Key(press("x"))
	m.Key(press("backspace"))
	if m.Value() != file {
		t.Fatalf("%q", m.Value())
	}
	m = New("")
	note := m.Paste("a\r\tb  \r\n\x1b[2Jc\r")
	if m.Value() != "a\n\tb  \n\x1b[2Jc\n" || note != (textline.Note{Kept: 1}) {
		t.Fatalf("%q %+v", m.Value(), note)
	}
}

func TestLimit(t *testing.T) {
	m := New(strings.Repeat("x", MaxBytes-4))
	if note := m.Paste("训练"); note.Cut != 1 || len(m.Value()) != MaxBytes-1 {
		t.Fatalf("%+v, %d bytes", note, len(m.Value()))
	}
}

func hold(t *testing.T, m *Model, width, height int) {
	t.Helper()
	for _, focused := range []bool{true, false} {
		rows, x, y := m.View(width, height, focused, Styles{})
		if len(rows) != height {
			t.Fatalf("%d rows of %d", len(rows), height)
		}
		for _, row := range rows {
			if wc, g := ansi.StringWidthWc(row), ansi.StringWidth(row); wc != width || g != width {
				t.Fatalf("row %q of %d cells is %d or %d wide", row, width, wc, g)
			}
			for _, r := range row {
				if textline.Hostile(r) && r != '\u200d' {
					t.Fatalf("row holds %U", r)
				}
			}
		}
		if x < 0 || x >= width || y < 0 || y >= height {
			t.Fatalf("cursor %d,%d in %d×%d", x, y, width, height)
		}
	}
	if strings.Count(m.Value(), "\n")+1 != m.Lines() || len(m.Value()) != m.buffer.bytes {
		t.Fatalf("%d lines and %d bytes counted in %q", m.Lines(), m.buffer.bytes, m.Value())
	}
}

var script = []string{"left", "right", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+left", "ctrl+right", "alt+z",
	"ctrl+y", "a", "训", "\u0301", "😀", "\u202e", "alt+d", "ctrl+k", "enter", "up", "down", "pgup", "pgdown", "ctrl+home",
	"ctrl+end", "ctrl+t"}

func FuzzEditor(f *testing.F) {
	f.Add("训练\n\x1b[31m\xff👨\u200d👩\t\r\n", []byte{0, 1, 12, 4, 13, 18, 19, 9, 10}, 7, 3)
	f.Add("e\u0301\u200d\u1100", []byte{0, 4, 4, 14, 9}, 1, 1)
	f.Fuzz(func(t *testing.T, paste string, keys []byte, width, height int) {
		m := New("")
		m.Numbers = width%2 == 0
		width, height = min(max(width, 1), 200), min(max(height, 1), 50)
		m.Paste(paste)
		hold(t, &m, width, height)
		for _, k := range keys[:min(len(keys), 64)] {
			m.Key(press(script[int(k)%len(script)]))
			hold(t, &m, width, height)
		}
		end := m.Value()
		for range len(m.redo) {
			m.redoLast()
			hold(t, &m, width, height)
		}
		for len(m.undo) > 0 {
			m.undoLast()
			hold(t, &m, width, height)
		}
		if m.Value() != "" {
			t.Fatalf("from %q undone to %q", end, m.Value())
		}
	})
}

func TestUndoAfterRandomEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		start := "ab\n训练\n\tx\n"
		m := New(start)
		for range 60 {
			m.Key(press(script[r.IntN(len(script))]))
		}
		end := m.Value()
		for range len(m.redo) {
			m.redoLast()
		}
		for len(m.undo) > 0 {
			m.undoLast()
		}
		if m.Value() != start {
			t.Fatalf("undone from %q to %q", end, m.Value())
		}
	}
}

func TestAHundredKilobytesAndTenThousandLines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 100_000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for name, paste := range map[string]string{"random bytes": string(b), "one line": strings.Repeat("训练", 16_667), "lines": strings.Repeat("echo 训练\n", 10_000)} {
		t.Run(name, func(t *testing.T) {
			m := New("")
			m.Numbers = true
			m.Paste(paste)
			hold(t, &m, 80, 20)
			for _, k := range script {
				m.Key(press(k))
				hold(t, &m, 80, 20)
			}
		})
	}
}

func TestProgram(t *testing.T) {
	look := func(have ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, h := range have {
				if h == name {
					return "/usr/bin/" + h, nil
				}
			}
			return "", errors.New("not found")
		}
	}
	cases := []struct {
		visual, editor string
		have           []string
		want           string
		fails          bool
	}{
		{"", "code --wait", []string{"code"}, "[code --wait]", false},
		{"emacs -nw", "vi", []string{"emacs", "vi"}, "[emacs -nw]", false},
		{"", "", []string{"vim"}, "[vim]", false},
		{"", "nothere", []string{"vi"}, "", true},
		{"", `vi "`, []string{"vi"}, "", true},
		{"", "", nil, "", true},
	}
	for _, c := range cases {
		env := map[string]string{"VISUAL": c.visual, "EDITOR": c.editor}
		got, err := Program(func(k string) string { return env[k] }, look(c.have...))
		if (err != nil) != c.fails || !c.fails && fmt.Sprint(got) != c.want {
			t.Errorf("%+v: %v %v", c, got, err)
		}
		if err != nil && !errors.Is(err, ErrNoEditor) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestReadBack(t *testing.T) {
	dir := t.TempDir()
	cases := []struct {
		before, file, want string
		err                error
	}{
		{"a", "b\n", "b", nil},
		{"a\n", "b\n", "b\n", nil},
		{"a", "b\n\n", "b\n", nil},
		{"a", "b\r\n\tc", "b\r\n\tc", nil},
		{"a", "\xff", "", ErrNotText},
		{"a", "x\x00", "", ErrNotText},
		{"a", strings.Repeat("x", MaxBytes+1), "", ErrTooLong},
	}
	for i, c := range cases {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadBack(path, c.before); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("case %d: %q %v", i, got, err)
		}
	}
	if _, err := ReadBack(filepath.Join(dir, "none"), ""); !errors.Is(err, ErrFile) {
		t.Errorf("a missing file: %v", err)
	}
}

func BenchmarkKeyIn100kOf10000Lines(b *testing.B) {
	for name, paste := range map[string]string{"10000 lines": strings.Repeat("echo 训练\n", 10_000), "one line": strings.Repeat("训练任", 11_111)} {
		b.Run(name, func(b *testing.B) {
			m := New("")
			m.Paste(paste)
			m.CursorStart()
			m.Key(press("down"))
			slowest := time.Duration(0)
			for b.Loop() {
				start := time.Now()
				m.Key(press("x"))
				m.View(80, 24, true, Styles{})
				_ = m.Value()
				slowest = max(slowest, time.Since(start))
				m.Key(press("backspace"))
			}
			b.ReportMetric(float64(slowest.Microseconds()), "max-µs")
		})
	}
}
