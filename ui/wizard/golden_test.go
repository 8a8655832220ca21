package wizard

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/forms"
)

var languages = []string{"en", "zh"}

var sizes = [][2]int{{80, 24}, {200, 50}}

func each(t *testing.T, name string, prepare func(*screen)) {
	for _, lang := range languages {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s %s %d", name, lang, size[0]), func(t *testing.T) {
				s := open(t, options(lang))
				prepare(s)
				golden(t, fmt.Sprintf("%s.%s.%dx%d", name, lang, size[0], size[1]), s.frame(size[0], size[1]))
			})
		}
	}
}

func TestEverySectionEmpty(t *testing.T) {
	for i, id := range []string{"basics", "image", "storage", "cluster", "submission", "fault", "advanced", "review"} {
		each(t, "empty-"+id, func(s *screen) { s.m.section(i) })
	}
}

func TestEverySectionFilled(t *testing.T) {
	for i, id := range []string{"basics", "image", "storage", "cluster", "submission", "fault", "advanced", "review"} {
		each(t, "filled-"+id, func(s *screen) {
			s.fill()
			d := s.m.draft
			if id == "basics" {
				d.Set("resource", "Spot")
			}
			d.AddRow("storage", 1, forms.Row{"volume": "nas-data", "path": "imagenet", "mountPath": "/data", "readOnly": forms.On})
			d.AddRow("secretEnv", 0, forms.Row{"name": "WANDB_API_KEY"})
			d.SetSecret("secretEnv[0].value", "s3cret")
			s.m.setAt("form.nodes", "5")
			s.m.setAt("roles[0].gpus", "8")
			d.Set("submission.mode", "Queue")
			d.Set("submission.queue", "research")
			d.Set("submission.concurrency", "two")
			d.Set("faultTolerance.maxRestarts", "3")
			d.AddRow("faultTolerance.rules", 0, forms.Row{"exitCodes": "199,200-204", "action": "RestartPod", "placement": "Avoid"})
			s.m.check()
			s.m.section(i)
		})
	}
}

func TestFocusInTables(t *testing.T) {
	each(t, "focus-roles", func(s *screen) {
		s.fill()
		s.focus("roles[1].replicas")
		s.press("ctrl+u")
		s.typed("12")
	})
	each(t, "focus-args", func(s *screen) {
		s.fill()
		s.focus("args")
	})
}

func TestDialogs(t *testing.T) {
	each(t, "dialog-framework", func(s *screen) {
		s.focus("framework")
		s.press("enter", "down")
	})
	each(t, "dialog-volume-filter", func(s *screen) {
		s.focus("storage[0].volume")
		s.press("enter", "d", "a")
	})
	each(t, "dialog-examples", func(s *screen) {
		s.focus("args")
		s.press("ctrl+o", "right")
	})
	each(t, "dialog-manifest", func(s *screen) {
		s.fill()
		s.press("ctrl+p")
	})
	each(t, "dialog-manifest-errors", func(s *screen) { s.press("ctrl+p") })
	each(t, "dialog-confirm", func(s *screen) {
		s.fill()
		s.press("ctrl+s")
	})
	each(t, "dialog-unanswered", func(s *screen) {
		s.fill()
		s.server.answers = []error{nil, errors.New("connection reset by peer")}
		s.press("ctrl+s", "enter")
	})
}

func TestDraftsDialog(t *testing.T) {
	for _, lang := range languages {
		o := options(lang)
		o.Store = store(t)
		leave := func(change func(*Options), fields map[string]string) {
			other := o
			change(&other)
			first := open(t, other)
			first.m.dialog = nil
			for path, text := range fields {
				first.focus(path)
				first.message(tea.PasteMsg{Content: text})
			}
			first.m.Close()
		}
		leave(func(o *Options) {
			o.Snapshot.Facts.Context, o.Snapshot.Facts.User = "a100-dev", "bob"
			o.Env.Now = func() time.Time { return morning.Add(-50 * time.Hour) }
		}, map[string]string{"displayName": strings.Repeat("大模型", 9000), "image": "registry.local/team/llama-pretrain:25.06-py3-cuda12.9"})
		leave(func(o *Options) { o.Env.Now = func() time.Time { return morning.Add(-3 * time.Minute) } },
			map[string]string{"displayName": "BERT-预训练", "image": "registry.local/ai/pytorch:25.06-py3", "workspace": "vision"})
		s := open(t, o)
		golden(t, "dialog-drafts."+lang+".80x24", s.frame(80, 24))
		s.press("down")
		golden(t, "dialog-drafts-elsewhere."+lang+".80x24", s.frame(80, 24))
		golden(t, "dialog-drafts-elsewhere."+lang+".200x50", s.frame(200, 50))
		for width := 20; width < 130; width += 7 {
			whole(t, s.m, width, 24)
			whole(t, s.m, width, 6)
		}
	}
}

func TestSmallTerminals(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {44, 14}, {59, 20}} {
		s := open(t, options("en"))
		s.focus("roles[0].gpus")
		golden(t, fmt.Sprintf("small-roles.%dx%d", size[0], size[1]), s.frame(size[0], size[1]))
	}
}

func TestWithoutTheCluster(t *testing.T) {
	o := options("en")
	o.Snapshot = snapshot.Snapshot{Conn: snapshot.Connection{State: snapshot.Connecting, Since: morning}}
	s := open(t, o)
	s.m.section(7)
	golden(t, "connecting-review.en.80x24", s.frame(80, 24))
	view := cluster()
	view.Stock[0].Known, view.Stock[0].Missing = false, "list nodes"
	o.Snapshot = view
	s = open(t, o)
	s.m.section(3)
	golden(t, "no-right-cluster.en.80x24", s.frame(80, 24))
}

func TestRawBytesInEveryFieldAreHarmless(t *testing.T) {
	s := open(t, options("en"))
	s.focus("args")
	s.message(tea.PasteMsg{Content: "a\x1b[2J\x1b]0;t\x07\u202eb\r\n\tc\x00"})
	golden(t, "hostile-args.en.80x24", s.frame(80, 24))
	whole(t, s.m, 80, 24)
}

// Who may create nothing is told before everything is typed.
func TestWithoutTheRightToCreate(t *testing.T) {
	for _, lang := range languages {
		o := options(lang)
		o.Snapshot.Facts.Engines = nil
		o.Snapshot.Facts.Denied = []string{"create jobsets.jobset.x-k8s.io in namespace research", "create jobs.batch in namespace research", "list nodes"}
		s := open(t, o)
		golden(t, "no-right-basics."+lang+".80x24", s.frame(80, 24))
		s.fill()
		s.m.section(7)
		golden(t, "no-right-review."+lang+".80x24", s.frame(80, 24))
	}
}
