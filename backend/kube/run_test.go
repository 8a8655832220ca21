package kube_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube/kubetest"
	"muster.dev/muster/backend/logs"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/submit"
)

// allLogs reads a job's logs to their end.
func allLogs(t *testing.T, request logs.Request, read func(context.Context, logs.Request, func([]logs.Line)) error) []logs.Line {
	t.Helper()
	var lines []logs.Line
	if err := read(within(t), request, func(batch []logs.Line) { lines = append(lines, batch...) }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func output(lines []logs.Line) []string {
	var out []string
	for _, l := range lines {
		if l.Mark == logs.NoMark {
			out = append(out, fmt.Sprintf("%s-%d %s", l.Role, l.Index, l.Text))
		}
	}
	return out
}

func TestJobRunsOnEveryEngine(t *testing.T) {
	for _, engine := range render.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := as(t, kubetest.Alice)
			w := watch(t, c)
			_, from := w.live()
			name := "runs-" + engine
			s := spec(name, "echo rank $RANK of $WORLD_SIZE at $MASTER_ADDR '$$' secret ${#TOKEN}; sleep 2; echo done $RANK\n", 2, 1)
			s.SecretEnv = []string{"TOKEN"}
			s.Storage = []job.Mount{{Volume: "nas-code", MountPath: "/workspace"}}
			result := run(t, c, submit.Request{Spec: s, Engine: engine, Secrets: map[string]string{"TOKEN": "hunter2"}})
			if result.Name != name || result.Engine != engine || result.Existed {
				t.Errorf("result %+v", result)
			}
			if strings.Contains(result.Manifest, "hunter2") || strings.Contains(result.Manifest, "aHVudGVyMg") {
				t.Error("the manifest shows a secret's value")
			}
			_, from = w.phase(name, from, job.Starting, job.Running)
			j, from := w.phase(name, from, job.Running)
			if len(j.Roles) != 2 || j.Roles[0].Ready != 1 || j.Roles[1].Ready != 2 || j.User == "" {
				t.Errorf("running: %+v", j)
			}
			j, _ = w.phase(name, from, job.Succeeded, job.Failed)
			if j.Phase != job.Succeeded {
				t.Fatalf("%s: %s", j.Phase, j.Reason)
			}
			got := output(allLogs(t, logs.Request{Job: name, Workspace: "research", Index: -1, Tail: -1}, c.Logs))
			slices.Sort(got)
			if len(got) != 6 {
				t.Fatalf("logs: %q", got)
			}
			for i, want := range []string{"master-0 done 0", "master-0 rank 0 of 3 at ", "worker-0 done 1", "worker-0 rank 1 of 3 at ", "worker-1 done 2", "worker-1 rank 2 of 3 at "} {
				if !strings.HasPrefix(got[i], want) || strings.Contains(want, "rank") && !strings.HasSuffix(got[i], " $$ secret 7") {
					t.Errorf("line %q, want %q…", got[i], want)
				}
			}
		})
	}
}

func TestFollowedLogsEndWithTheJob(t *testing.T) {
	c := as(t, kubetest.Alice)
	s := spec("follow-end", "for i in 1 2 3; do echo $RANK $i; sleep 1; done; echo last; exit $((RANK * 3))", 1, 0)
	run(t, c, submit.Request{Spec: s})
	lines := allLogs(t, logs.Request{Job: "follow-end", Workspace: "research", Index: -1, Tail: -1, Follow: true}, c.Logs)
	got := output(lines)
	slices.Sort(got)
	want := []string{"master-0 0 1", "master-0 0 2", "master-0 0 3", "master-0 last", "worker-0 1 1", "worker-0 1 2", "worker-0 1 3", "worker-0 last"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for i := 1; i < len(lines); i++ {
		if lines[i].Time.Before(lines[i-1].Time) && lines[i].Mark == logs.NoMark && lines[i-1].Mark == logs.NoMark {
			t.Errorf("out of order: %v after %v", lines[i], lines[i-1])
		}
	}
}

func TestExitCodeFailsTheJob(t *testing.T) {
	c := as(t, kubetest.Alice)
	w := watch(t, c)
	_, from := w.live()
	run(t, c, submit.Request{Spec: spec("exit-three", "echo one; echo two; if [ $RANK = 1 ]; then echo dying; exit 3; fi; sleep 600", 1, 0)})
	j, _ := w.phase("exit-three", from, job.Failed, job.Succeeded)
	if j.Phase != job.Failed || j.ExitCode == nil || *j.ExitCode != 3 || !strings.Contains(j.FailedPod, "worker") {
		t.Fatalf("%+v", j)
	}
	tail, err := c.Tail(within(t), "research", j.FailedPod, 2)
	if err != nil || !slices.Equal(tail, []string{"two", "dying"}) {
		t.Errorf("tail %q, %v", tail, err)
	}
	d, err := c.Details(within(t), "research", "exit-three")
	if err != nil {
		t.Fatal(err)
	}
	if d.Spec == nil || d.Spec.Name != "exit-three" || len(d.Events) == 0 || !strings.Contains(d.Manifest, "kind: JobSet") || strings.Contains(d.Manifest, "managedFields") {
		t.Errorf("details: spec %v, %d events, manifest of %d bytes", d.Spec, len(d.Events), len(d.Manifest))
	}
}
