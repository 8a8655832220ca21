package wizard

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/submit"
)

// TestAnySizeAndAnyKeys presses keys at random and draws at random sizes: every frame must be whole.
func TestAnySizeAndAnyKeys(t *testing.T) {
	strokes := []string{"tab", "shift+tab", "up", "down", "left", "right", "enter", "space", "esc", "pgup", "pgdown", "ctrl+s", "ctrl+p", "ctrl+n",
		"ctrl+x", "ctrl+o", "ctrl+u", "ctrl+k", "alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8", "a", "8", "训", "backspace",
		"home", "end", "alt+z", "ctrl+t", "😀", "\u0301"}
	pastes := []string{"x\ny", strings.Repeat("训练", 300), "\x1b[2J\u202e", "KEY=VALUE\nB=2", "👨\u200d👩\u200d👧", "9999999999999"}
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 5))
		o := quick(options(languages[seed%2]))
		if seed%3 == 0 {
			o.Submitter = &server{answers: []error{errors.New("down"), &submit.Refused{Problems: []job.Problem{{Path: "roles[0].gpus", Code: "Cluster"}}}}}
		}
		s := open(t, o)
		if seed%2 == 0 {
			s.fill()
		}
		for range 120 {
			if r.IntN(12) == 0 {
				s.message(tea.PasteMsg{Content: pastes[r.IntN(len(pastes))]})
			} else {
				s.press(strokes[r.IntN(len(strokes))])
			}
			whole(t, s.m, 20+r.IntN(381)/(1+r.IntN(4)), 5+r.IntN(96)/(1+r.IntN(4)))
		}
	}
}

func TestSizesBelowTheLeastDoNotBreak(t *testing.T) {
	s := open(t, options("en"))
	for w := range 24 {
		for h := range 8 {
			s.m.dirty = true
			s.m.View(w, h)
		}
	}
}

func BenchmarkKeyToFrame(b *testing.B) {
	for name, args := range map[string]string{"small": "python train.py", "100 kB": strings.Repeat("echo 训练 x\n", 7000)} {
		b.Run(name, func(b *testing.B) {
			s := open(b, options("en"))
			s.fill()
			s.m.setAt("args", args)
			s.focus("args")
			s.m.View(80, 24)
			slowest := time.Duration(0)
			for b.Loop() {
				start := time.Now()
				s.m.Update(key("x"))
				s.m.View(80, 24)
				slowest = max(slowest, time.Since(start))
				s.m.Update(key("backspace"))
			}
			b.ReportMetric(float64(slowest.Microseconds()), "max-µs")
		})
	}
}

func TestTheLastWordOnTheSmallestScreenSaysHowItIsGiven(t *testing.T) {
	s := open(t, options("en"))
	s.fill()
	s.m.draft.Set("name", "bert")
	s.press("ctrl+s")
	frame := ansi.Strip(s.frame(20, 5))
	for _, want := range []string{"bert", "enter create"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q:\n%s", want, frame)
		}
	}
}
