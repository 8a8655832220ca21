package main

import (
	"context"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
)

// doneTo counts what is done to jobs.
type doneTo struct{ count int }

func (d *doneTo) Do(context.Context, snapshot.Verb, string, string, string) error {
	d.count++
	return nil
}

func TestWhatNeedsNothingDone(t *testing.T) {
	for _, c := range []struct {
		verb  snapshot.Verb
		phase job.Phase
		done  bool
		says  string
	}{
		{snapshot.Stop, job.Stopped, false, "nothing to stop"},
		{snapshot.Stop, job.Running, true, "being stopped"},
		{snapshot.Resume, job.Running, false, "not stopped (Running): there is nothing to resume"},
		{snapshot.Resume, job.Starting, false, "nothing to resume"},
		{snapshot.Resume, job.Stopped, true, "starts again"},
		{snapshot.Resume, job.Queued, true, "starts again"}, // its workload may be hidden
		{snapshot.Delete, job.Stopped, true, "deleted"},
	} {
		a := testApp("en")
		a.flags.kube = pipedApp("en").kube
		view := snapshot.Snapshot{Jobs: []job.Status{{Name: "x", Workspace: "w", UID: "1", Phase: c.phase}}, Facts: snapshot.Facts{Workspace: "w"}}
		cluster := &doneTo{}
		if err := (deed{verb: c.verb}).one(t.Context(), a, cluster, view, "x"); err != nil {
			t.Fatal(err)
		}
		out, stderr := output(a)
		if (cluster.count == 1) != c.done || !strings.Contains(out+stderr, c.says) {
			t.Errorf("%s of a job that is %s: done %d times, %q %q", c.verb, c.phase, cluster.count, out, stderr)
		}
	}
}

func TestWhatMusterDidNotMakeNeedsAWord(t *testing.T) {
	for _, c := range []struct {
		name     string
		verb     snapshot.Verb
		terminal bool
		answer   string
		flag     bool
		done     bool
	}{
		{"a script", snapshot.Delete, false, "y\n", false, false},
		{"a script that says so", snapshot.Delete, false, "", true, true},
		{"stopping", snapshot.Stop, false, "", false, false},
		{"resuming takes nothing away", snapshot.Resume, false, "", false, true},
		{"yes", snapshot.Delete, true, "y\n", false, true},
		{"no", snapshot.Delete, true, "n\n", false, false},
		{"return", snapshot.Stop, true, "\n", false, false},
		{"the end of input", snapshot.Delete, true, "", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := pipedApp("en")
			a.in, a.inTTY, a.outTTY = strings.NewReader(c.answer), c.terminal, c.terminal
			view := snapshot.Snapshot{Jobs: []job.Status{{Name: "x", Workspace: "w", UID: "1", Phase: job.Stopping, Foreign: true}}, Facts: snapshot.Facts{Workspace: "w"}}
			cluster := &doneTo{}
			err := deed{verb: c.verb, foreign: c.flag}.one(t.Context(), a, cluster, view, "x")
			if (err == nil) != c.done || (cluster.count == 1) != c.done {
				t.Errorf("%v, done %d times", err, cluster.count)
			}
			if _, question := output(a); c.terminal != strings.Contains(question, "was not made by muster") {
				t.Errorf("asked %q", question)
			}
			if !c.done && !c.terminal && !strings.Contains(err.Error(), "--foreign") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAnAnswerLeavesTheNextLine(t *testing.T) {
	a := testApp("en")
	a.in = strings.NewReader("y\nn\n")
	for _, want := range []string{"y", "n", ""} {
		if got, err := a.line(t.Context()); got != want || err != nil {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}
