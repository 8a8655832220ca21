package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/ui/internal/fixture"
	"muster.dev/muster/ui/nav"
)

// On the smallest screen every view has the one thing that it is for.
func TestTheSmallestScreenShowsWhatMatters(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*harness)
		want []string
	}{
		{"jobs", func(*harness) {}, []string{"research"}},
		{"workspaces", func(h *harness) { h.press("w") }, []string{"Workspace", "research"}},
		{"job", func(h *harness) { h.ask(nav.OpenJob{Workspace: "research", Name: "bert-ft-0412"}) }, []string{"bert-ft-0412", "Running"}},
		{"logs", func(h *harness) { h.ask(nav.OpenLogs{Workspace: "research", Job: "bert-ft-0412", Index: -1}) }, []string{"bert-ft-0412"}},
		{"whose log", func(h *harness) {
			h.ask(nav.OpenLogs{Workspace: "research", Job: "bert-ft-0412", Index: -1})
			h.press("r")
		}, []string{"Whose log", "all pods"}},
	} {
		h := newHarness(t, "en", 20, 5, fixture.Snapshot())
		c.do(h)
		frame := ansi.Strip(h.m.content())
		for _, want := range c.want {
			if !strings.Contains(frame, want) {
				t.Errorf("%s: no %q:\n%s", c.name, want, frame)
			}
		}
	}
}

type holder struct {
	nav.Screen
	holds []bool
}

func (h *holder) Hold() bool {
	held := h.holds[0]
	h.holds = h.holds[1:]
	return held
}

func TestWhatWouldBeLostHoldsMusterOnce(t *testing.T) {
	h := newHarness(t, "en", 80, 24, fixture.Snapshot())
	h.m.screens = append(h.m.screens, &holder{h.m.top(), []bool{true, false}})
	h.press("ctrl+c")
	if h.quit {
		t.Fatal("it ended without a word")
	}
	h.press("ctrl+c")
	if !h.quit {
		t.Fatal("it can't be ended")
	}
}
