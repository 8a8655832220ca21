package ui

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/nav"
)

func fields(s string) []string { return strings.Fields(s) }

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// fits fails when a frame is larger than the terminal or has a sequence that is not SGR.
func fits(t *testing.T, frame string, width, height int, what string) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) > height {
		t.Fatalf("%s at %d×%d: %d lines", what, width, height, len(lines))
	}
	for _, line := range lines {
		if w := cell.Width(line); w > width {
			t.Fatalf("%s at %d×%d: a line of %d cells: %q", what, width, height, w, line)
		}
		if rest := sgr.ReplaceAllString(line, ""); strings.ContainsAny(rest, "\x1b\x07\r\u009b\u009d\u202e\u200b") {
			t.Fatalf("%s at %d×%d: something hostile in %q", what, width, height, line)
		}
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;:]*m")

func TestEverySceneFitsEverySize(t *testing.T) {
	sizes := [][2]int{{20, 5}, {21, 6}, {24, 7}, {30, 8}, {40, 10}, {40, 60}, {60, 16}, {80, 24}, {100, 9}, {132, 43}, {250, 20}, {400, 100}}
	for _, s := range scenes() {
		for _, lang := range []string{"en", "zh"} {
			h := s.open(t, lang, 80, 24)
			for _, size := range append(sizes, [2]int{19, 5}, [2]int{20, 4}, [2]int{1, 1}, [2]int{0, 0}, [2]int{3, 50}) {
				h.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				fits(t, h.m.View().Content, size[0], max(size[1], 1), s.name+"."+lang)
			}
		}
	}
}

// A person at random keys, on a terminal that changes, with a cluster that changes: nothing breaks, nothing overflows.
func TestRandomUse(t *testing.T) {
	all := fields("j k g G ctrl+d ctrl+u pgup pgdown up down left right tab shift+tab enter esc q / & n N a b 数 s r d y c l L o O m w p t f space " +
		"R 0 1 2 3 4 ? f1 f2 f3 ctrl+l backspace ctrl+z x delete home end")
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		width, height := 20+r.IntN(100), 5+r.IntN(40)
		h := newHarness(t, "en", width, height, fixture.Snapshot())
		h.m.config.Wizard = nil
		for step := range 300 {
			switch r.IntN(12) {
			case 0:
				width, height = 1+r.IntN(200), 1+r.IntN(60)
				if r.IntN(3) > 0 {
					width, height = max(width, minWidth), max(height, minHeight)
				}
				h.send(tea.WindowSizeMsg{Width: width, Height: height})
			case 1:
				h.snapshot(randomSnapshot(r))
			case 2:
				h.send(tea.PasteMsg{Content: fixture.Hostile + strings.Repeat("粘贴", r.IntN(5000))})
			case 3:
				h.send(nav.TickMsg{Now: fixture.Now()})
			case 4:
				h.send(tea.MouseClickMsg{X: r.IntN(width), Y: r.IntN(height), Button: tea.MouseLeft})
				h.send(tea.MouseWheelMsg{X: 1, Y: 1, Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[r.IntN(2)]})
			default:
				h.press(all[r.IntN(len(all))])
			}
			h.quit = false
			fits(t, h.m.View().Content, width, height, fmt.Sprintf("seed %d step %d", seed, step))
		}
	}
}

func randomSnapshot(r *rand.Rand) snapshot.Snapshot {
	s := fixture.Snapshot()
	r.Shuffle(len(s.Jobs), func(i, j int) { s.Jobs[i], s.Jobs[j] = s.Jobs[j], s.Jobs[i] })
	s.Jobs = append(s.Jobs[:r.IntN(len(s.Jobs)+1)], fixture.Many(r.IntN(50))...)
	states := []snapshot.ConnState{snapshot.Connecting, snapshot.Live, snapshot.Stale, snapshot.Unauthorized, snapshot.NoConfig, "Odd"}
	s.Conn.State, s.Conn.Error = states[r.IntN(len(states))], fixture.Hostile
	s.Queues, s.Stock = s.Queues[:r.IntN(3)], s.Stock[:r.IntN(4)]
	for i := range s.Jobs {
		if r.IntN(4) == 0 {
			s.Jobs[i].Name, s.Jobs[i].Message, s.Jobs[i].Queue = fixture.Hostile, strings.Repeat("原因 why ", 400), fixture.Hostile
			s.Jobs[i].Roles = nil
		}
	}
	s.Facts.Workspace = []string{"", "research", fixture.Hostile}[r.IntN(3)]
	s.Facts.Context, s.Facts.User = fixture.Hostile, fixture.Hostile
	return s
}

func TestFramesHaveNoColourInTheNoneTheme(t *testing.T) {
	for _, s := range scenes() {
		h := s.open(t, "en", 80, 24)
		h.m.theme = themes.None
		h.m.env.Styles = h.m.styles()
		h.settle(h.m.broadcast(nav.EnvMsg{Env: h.m.env}))
		for _, seq := range sgr.FindAllString(h.m.View().Content, -1) {
			for _, p := range strings.Split(strings.Trim(seq, "\x1b[m"), ";") {
				if p != "" && p != "0" && p != "1" && p != "2" && p != "4" && p != "7" {
					t.Errorf("%s: %q has a colour", s.name, seq)
				}
			}
		}
	}
}
