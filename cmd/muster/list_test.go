package main

import (
	"context"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
)

func TestListWatchTellsOfDeletion(t *testing.T) {
	view := func(names ...string) snapshot.Snapshot {
		v := snapshot.Snapshot{Facts: snapshot.Facts{Workspace: "w"}, Conn: snapshot.Connection{State: snapshot.Live}}
		for _, name := range names {
			v.Jobs = append(v.Jobs, job.Status{Name: name, Workspace: "w", UID: name + "-uid", Phase: job.Running})
		}
		return v
	}
	denied := view("z")
	denied.Facts.Denied = []string{"list jobsets.jobset.x-k8s.io in namespace w"}
	for name, c := range map[string]struct {
		format      string
		out, stderr string
		views       script
	}{
		"table":                            {asTable, "a\tDeleted\t", "", script{view("a", "b"), view("b"), view("b")}},
		"json":                             {asJSON, `"deleted": true`, "", script{view("a", "b"), view("b"), view("b")}},
		"yaml":                             {asYAML, "deleted: true", "", script{view("a", "b"), view("b"), view("b")}},
		"name":                             {asName, "", "job a was deleted from workspace w", script{view("a", "b"), view("b"), view("b")}},
		"a right that goes is no deletion": {asTable, "", "", script{view("a", "z"), denied, denied}},
	} {
		t.Run(name, func(t *testing.T) {
			a := testApp("en")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			l := lister{watch: true, format: c.format}
			_ = l.follow(ctx, a, ending{c.views, cancel})
			out, stderr := output(a)
			if c.out != "" && strings.Count(out, c.out) != 1 || !strings.Contains(stderr, c.stderr) {
				t.Errorf("stdout:\n%s\nstderr:\n%s", out, stderr)
			}
			if c.out == "" && strings.Contains(strings.ToLower(out), "deleted") {
				t.Errorf("stdout tells of a deletion:\n%s", out)
			}
		})
	}
}

// ending is a script whose watch is interrupted after the last view.
type ending struct {
	script
	cancel func()
}

func (e ending) Watch(_ context.Context, emit func(snapshot.Snapshot)) error {
	for _, view := range e.script {
		emit(view)
	}
	e.cancel()
	return nil
}
