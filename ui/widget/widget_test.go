package widget

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/keys"
)

func press(s string) tea.KeyPressMsg {
	switch s {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEsc}
	case "backspace":
		return tea.KeyPressMsg{Code: tea.KeyBackspace}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "ctrl+w":
		return tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(s)[0], Text: s}
}

func TestPrompt(t *testing.T) {
	var p Prompt
	for _, k := range []string{"a", "数", "é"} {
		p.Update(press(k))
	}
	p.Update(tea.PasteMsg{Content: "x\x1b[31my\n👍🏽z\u202e"})
	if got, want := p.Text(), "a数éxy 👍z"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	p.Update(press("backspace"))
	p.Update(press("backspace"))
	if got, want := p.Text(), "a数éxy "; got != want {
		t.Errorf("after backspace %q, want %q", got, want)
	}
	p.Set("two words")
	p.Update(press("ctrl+w"))
	if got, want := p.Text(), "two "; got != want {
		t.Errorf("after ctrl+w %q, want %q", got, want)
	}
	p.Set("")
	if p.Update(press("backspace")) {
		t.Error("backspace on nothing changed something")
	}
	p.Update(tea.PasteMsg{Content: strings.Repeat("数", 100_000)})
	if len(p.Text()) > promptLimit {
		t.Errorf("%d bytes taken", len(p.Text()))
	}
	if view, cursor := p.View(10); cell.Width(view) > 9 || cursor > 9 {
		t.Errorf("view %q cursor %d", view, cursor)
	}
}

func TestPicker(t *testing.T) {
	choices := []Choice{{ID: "", Label: "all"}, {ID: "research", Label: "research"}, {ID: "vision", Label: "vision"}}
	p := NewPicker(themes.New(themes.None), "Pick", "hint", choices, "vision", true)
	if c, picked, done := p.Update(press("enter")); c.ID != "vision" || !picked || !done {
		t.Errorf("the selected one is not picked: %v", c)
	}
	for _, k := range []string{"r", "s", "h"} {
		p.Update(press(k))
	}
	if c, _, _ := p.Update(press("enter")); c.ID != "research" {
		t.Errorf("rsh finds %q", c.ID)
	}
	p.Update(press("down"))
	if c, _, _ := p.Update(press("enter")); c.ID != "rsh" {
		t.Errorf("what was typed can't be picked: %q", c.ID)
	}
	if _, picked, done := p.Update(press("esc")); picked || !done {
		t.Error("esc does not close")
	}
	strict := NewPicker(themes.New(themes.None), "Pick", "", choices, "", false)
	strict.Update(press("z"))
	if _, picked, done := strict.Update(press("enter")); picked || done {
		t.Error("nothing matches, and yet something was picked")
	}
}

func TestPlaceKeepsColumns(t *testing.T) {
	screen := strings.Join([]string{"0123456789", "数据数据数据", "abc", ""}, "\n")
	got := strings.Split(plain(Place(screen, "XX\nYY\nZZ", 3, 0, 12, 4)), "\n")
	for i, want := range []string{"012XX56789", "数 YY 数据数", "abcZZ", ""} {
		if i == 1 {
			want = "数 YY 据数据"
		}
		if strings.TrimRight(got[i], " ") != want {
			t.Errorf("line %d: %q, want %q", i, got[i], want)
		}
	}
}

func TestBoxIsRectangular(t *testing.T) {
	styles := themes.New(themes.Dark)
	for _, size := range [][2]int{{80, 24}, {20, 5}, {12, 4}, {6, 3}, {3, 2}} {
		box := Box(styles, "标题 title", []string{"one", "二二二二二二二二二二二二二", ""}, size[0], size[1])
		lines := strings.Split(box, "\n")
		if len(lines) > size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, line := range lines {
			if cell.Width(line) > size[0] {
				t.Errorf("%v: %q is %d wide", size, line, cell.Width(line))
			}
			if size[1] >= 3 && size[0] >= 6 && cell.Width(line) != cell.Width(lines[0]) {
				t.Errorf("%v: not rectangular:\n%s", size, plain(box))
			}
		}
	}
}

func TestFooterKeepsTheHelpKey(t *testing.T) {
	k := keys.Default()
	for width := 1; width < 120; width++ {
		footer := Footer(themes.New(themes.Dark), i18n.New(i18n.Chinese), []keys.Binding{k.Open, k.Logs, k.New, k.Clone}, k.Help, width)
		if cell.Width(footer) > width {
			t.Errorf("%d cells in %d", cell.Width(footer), width)
		}
		if width > 10 && !strings.Contains(plain(footer), "? 按键") {
			t.Errorf("width %d: no help key in %q", width, plain(footer))
		}
	}
}

func TestTabAt(t *testing.T) {
	tabs := []Tab{{Title: "任务", Count: "12"}, {Title: "Queues"}}
	line := plain(Tabs(themes.New(themes.None), tabs, 0))
	for i, title := range []string{"任务", "Queues"} {
		x := cell.Width(line[:strings.Index(line, title)])
		if got := TabAt(tabs, x); got != i {
			t.Errorf("cell %d is tab %d, want %d", x, got, i)
		}
	}
	if TabAt(tabs, 60) != -1 {
		t.Error("a tab where there is none")
	}
}

func TestPane(t *testing.T) {
	var p Pane
	p.SetLines(strings.Split("1 2 3 4 5 6 7 8 9", " "))
	p.View(10, 3)
	p.Move(100)
	if got := plain(p.View(10, 3)); got != "7\n8\n9" {
		t.Errorf("end: %q", got)
	}
	p.Move(-1)
	if got := plain(p.View(10, 3)); got != "6\n7\n8" {
		t.Errorf("one up: %q", got)
	}
	p.Top()
	p.SetWrap(true, 2)
	p.SetLines([]string{"aaa bbb ccc"})
	if got := plain(p.View(8, 3)); got != "aaa\n  bbb\n  ccc" && got != "aaa bbb\n  ccc\n" {
		t.Errorf("wrapped: %q", got)
	}
}

func TestPaneBreaksALineOnce(t *testing.T) {
	var p Pane
	p.SetWrap(true, 2)
	long := strings.Repeat("word ", 100)
	p.SetLines([]string{"5 s ago", long})
	p.View(40, 10)
	rows := p.broken[long]
	version := p.version
	p.SetLines([]string{"5 s ago", long})
	if p.version != version {
		t.Error("the same text again counts as a change")
	}
	p.SetLines([]string{"6 s ago", long})
	if view := p.View(40, 10); !strings.Contains(view, "6 s ago") {
		t.Errorf("a change is not seen:\n%s", view)
	}
	if again := p.broken[long]; len(rows) < 2 || &again[0] != &rows[0] {
		t.Error("a line that stayed was broken anew")
	}
	p.View(30, 10)
	for _, row := range p.broken[long] {
		if cell.Width(row) > 30 {
			t.Errorf("after a change of the width a row is %d wide", cell.Width(row))
		}
	}
}

func TestParagraph(t *testing.T) {
	for _, c := range []struct {
		text          string
		width, height int
		want          []string
	}{
		{"one two three", 20, 2, []string{"one two three"}},
		{"one two three", 8, 2, []string{"one two", "three"}},
		{"one two three four", 8, 2, []string{"one two", "three…"}},
		{"one twothree four", 8, 2, []string{"one", "twothre…"}},
		{"one", 8, 0, nil},
	} {
		if got := Paragraph(c.text, c.width, c.height); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d×%d: %q, want %q", c.text, c.width, c.height, got, c.want)
		}
	}
	for _, long := range []string{strings.Repeat("x", 1<<20), strings.Repeat("数据\xff", 1<<18)} {
		got := Paragraph(long, 78, 3)
		if len(got) != 3 || !strings.HasSuffix(got[2], cell.Ellipsis) || cell.Width(got[2]) > 78 {
			t.Errorf("of a long text: %q", got)
		}
	}
}

func TestPaneKnowsItsPosition(t *testing.T) {
	var p Pane
	if from, to, total := p.Position(); from != 0 || to != 0 || total != 0 {
		t.Errorf("of nothing: %d–%d of %d", from, to, total)
	}
	p.SetWrap(true, 2)
	lines := make([]string, 50)
	for i := range lines {
		lines[i] = "a line that wraps once"
	}
	p.SetLines(lines)
	p.View(14, 10)
	if from, to, total := p.Position(); from != 1 || to != 10 || total != 100 {
		t.Errorf("at the top: %d–%d of %d", from, to, total)
	}
	p.Move(95)
	p.View(14, 10)
	if from, to, total := p.Position(); from != 91 || to != 100 || total != 100 {
		t.Errorf("at the end: %d–%d of %d", from, to, total)
	}
}

func TestPickerShowsSomethingToPickOnTheSmallestScreen(t *testing.T) {
	styles := themes.New(themes.None)
	p := NewPicker(styles, "Workspace", "a hint", []Choice{{"", "all"}, {"research", "research"}, {"vision", "vision"}}, "vision", true)
	for height := 3; height <= 8; height++ {
		view := p.View(20, height)
		if lines := strings.Split(view, "\n"); len(lines) > height || !strings.Contains(view, "vision") {
			t.Errorf("height %d:\n%s", height, view)
		}
	}
}
