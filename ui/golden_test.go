package ui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/logs"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/internal/fixture"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// scene is a screen with the keys that lead to it.
type scene struct {
	name  string
	keys  string
	snap  func() snapshot.Snapshot
	lines []logs.Line
}

func with(change func(*snapshot.Snapshot)) func() snapshot.Snapshot {
	return func() snapshot.Snapshot {
		s := fixture.Snapshot()
		change(&s)
		return s
	}
}

func scenes() []scene {
	conn := func(state snapshot.ConnState, err string, fresh bool, jobs bool) func() snapshot.Snapshot {
		return with(func(s *snapshot.Snapshot) {
			s.Conn = snapshot.Connection{State: state, Error: err, Since: fixture.Now().Add(-42 * time.Second)}
			if fresh {
				s.Conn.Fresh = fixture.Now().Add(-42 * time.Second)
			}
			if !jobs {
				s.Jobs, s.Queues, s.Stock, s.Facts = nil, nil, nil, snapshot.Facts{Context: s.Facts.Context, Workspace: "research"}
			}
		})
	}
	return []scene{
		{name: "jobs"},
		{name: "jobs-selected", keys: "j j"},
		{name: "jobs-filter", keys: "/ f a i l"},
		{name: "jobs-filter-nothing", keys: "/ z q z q enter"},
		{name: "jobs-sorted", keys: "o o O"},
		{name: "jobs-mine", keys: "m"},
		{name: "jobs-many", keys: "G", snap: with(func(s *snapshot.Snapshot) { s.Jobs = fixture.Many(2000) })},
		{name: "jobs-all-workspaces", snap: with(func(s *snapshot.Snapshot) { s.Facts.Workspace = "" })},
		{name: "jobs-none", snap: with(func(s *snapshot.Snapshot) { s.Jobs = nil })},
		{name: "jobs-denied", snap: with(func(s *snapshot.Snapshot) {
			s.Jobs, s.Queues, s.Facts.Denied = nil, nil, []string{"list jobs.batch in namespace research", "list pods in namespace research"}
		})},
		{name: "jobs-none-restricted", snap: with(func(s *snapshot.Snapshot) {
			s.Jobs, s.Facts.Denied = nil, []string{"list jobs.batch", "list nodes", "list pods"}
		})},
		{name: "workspace-missing", snap: with(func(s *snapshot.Snapshot) {
			s.Jobs, s.Facts.Workspace = nil, "nowhere"
			s.Facts.Problems = []job.Problem{{Path: "workspace", Code: "NamespaceNotFound", Args: map[string]string{"workspace": "nowhere"}}}
		})},
		{name: "connecting", snap: conn(snapshot.Connecting, "", false, false)},
		{name: "unreached", snap: conn(snapshot.Stale, "Get \"https://10.0.0.1:6443\": dial tcp 10.0.0.1:6443: connect: connection refused", false, false)},
		{name: "stale", snap: conn(snapshot.Stale, "Get \"https://10.0.0.1:6443\": dial tcp 10.0.0.1:6443: connect: connection refused", true, true)},
		{name: "unauthorized", snap: conn(snapshot.Unauthorized, "Unauthorized", true, true)},
		{name: "no-config", snap: conn(snapshot.NoConfig, "stat /home/alice/.kube/config: no such file or directory", false, false)},
		{name: "confirm-stop", keys: "s"},
		{name: "confirm-delete-foreign", keys: "/ v e r y enter d"},
		{name: "workspace", keys: "w v"},
		{name: "help-dashboard", keys: "?"},
		{name: "queues", keys: "tab"},
		{name: "queues-second", keys: "tab j"},
		{name: "queues-none", keys: "tab", snap: with(func(s *snapshot.Snapshot) { s.Queues = nil })},
		{name: "queues-denied", keys: "tab", snap: with(func(s *snapshot.Snapshot) {
			s.Queues, s.Facts.Denied = nil, []string{"list localqueues.kueue.x-k8s.io in namespace research"}
		})},
		{name: "queues-no-kueue", keys: "tab", snap: with(func(s *snapshot.Snapshot) { s.Queues, s.Facts.Kueue = nil, false })},
		{name: "stock", keys: "tab tab"},
		{name: "stock-unknown", keys: "tab tab G"},
		{name: "stock-none", keys: "tab tab", snap: with(func(s *snapshot.Snapshot) { s.Stock = nil })},
		{name: "job-running", keys: "enter"},
		{name: "job-queued", keys: "j enter"},
		{name: "job-failed", keys: "j j enter"},
		{name: "job-starting", keys: "j j j j enter t"},
		{name: "job-foreign", keys: "/ v e r y enter enter"},
		{name: "job-events", keys: "j j enter tab"},
		{name: "job-manifest", keys: "j j enter 3"},
		{name: "job-spec", keys: "j j enter 4"},
		{name: "job-spec-foreign", keys: "/ v e r y enter enter 4"},
		{name: "job-confirm", keys: "enter d"},
		{name: "help-job", keys: "enter ?"},
		{name: "logs", keys: "l"},
		{name: "logs-top", keys: "l g"},
		{name: "logs-wrap-times", keys: "l w t g"},
		{name: "logs-sideways", keys: "l g right"},
		{name: "logs-search", keys: "l / n a n enter"},
		{name: "logs-filter", keys: "l & r a n k enter"},
		{name: "logs-filter-typing", keys: "l & r a"},
		{name: "logs-choose", keys: "l r"},
		{name: "logs-one-pod", keys: "enter enter"},
		{name: "help-logs", keys: "l ?"},
	}
}

func (s scene) open(t *testing.T, lang string, width, height int) *harness {
	snap := fixture.Snapshot()
	if s.snap != nil {
		snap = s.snap()
	}
	h := newHarness(t, lang, width, height, snap)
	h.backend.Lines = s.lines
	h.frame() // as a terminal would, before any key
	for _, key := range fields(s.keys) {
		h.press(key)
		h.frame()
	}
	return h
}

func TestGoldenFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, lang := range []string{"en", "zh"} {
			for _, s := range scenes() {
				name := fmt.Sprintf("%s.%dx%d.%s", s.name, size[0], size[1], lang)
				t.Run(name, func(t *testing.T) {
					got := s.open(t, lang, size[0], size[1]).frame() + "\n"
					path := filepath.Join("testdata", "frames", name+".txt")
					if *update {
						if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
							t.Fatal(err)
						}
						return
					}
					want, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(string(want), got); diff != "" {
						t.Errorf("-golden +now:\n%s", diff)
					}
				})
			}
		}
	}
}
