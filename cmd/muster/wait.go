package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/words"
)

// completionTime is how long a shell's completion may take.
const completionTime = 3 * time.Second

// deleted is what --for takes beside the phases.
const deleted = "delete"

// phases are what --for takes; a draft is in no cluster, and Unknown is nothing to wait for.
var phases = []job.Phase{
	job.Queued, job.Starting, job.Running, job.Restarting, job.Stopping, job.Succeeded, job.Failed, job.TimedOut, job.Stopped,
}

func newWait(a *app) *cobra.Command {
	var target, format string
	var timeout time.Duration
	c := a.command("wait", "wait NAME [--for PHASE] [--timeout DURATION]", a.oneArg, func(c *cobra.Command, args []string) error {
		goal, err := a.goal(c, target)
		if err != nil {
			return err
		}
		if timeout < 0 {
			return a.usage(c, "err.negative", "flag", "--timeout")
		}
		cluster, err := a.connect()
		if err != nil {
			return err
		}
		end, err := a.waitFor(c.Context(), cluster, awaited{name: args[0], goal: goal, timeout: timeout})
		if end.Name != "" && format != asTable {
			if err := a.writeJob(format, end); err != nil {
				return err
			}
		}
		return err
	})
	target = string(job.Succeeded)
	a.stringFlag(c, &target, "for", "")
	c.Flags().DurationVar(&timeout, "timeout", 0, a.flagText(c, "timeout"))
	c.ValidArgsFunction = a.completeFirstJob
	a.outputFlag(c, &format, asJSON, asYAML, asName)
	return c
}

// goal reads --for, in any case of letters.
func (a *app) goal(c *cobra.Command, target string) (job.Phase, error) {
	known := []string{deleted}
	if strings.EqualFold(target, deleted) {
		return deleted, nil
	}
	for _, p := range phases {
		if strings.EqualFold(target, string(p)) {
			return p, nil
		}
		known = append(known, string(p))
	}
	return "", a.usage(c, "err.flagValue", "flag", "--for", "value", target, "why", a.t("err.oneOf", "values", strings.Join(known, ", ")))
}

// reached tells whether a job is where the goal is. One that succeeded between two looks has been running.
func reached(j job.Status, goal job.Phase) bool {
	return j.Phase == goal || goal == job.Running && j.Phase == job.Succeeded
}

// awaited says what is waited for.
type awaited struct {
	workspace, name string // workspace "" = the one that is watched
	goal            job.Phase
	timeout         time.Duration // 0 = none
	expected        bool          // the job was just created: a view that does not have it yet is an old one
	engine          string        // of an expected job: who may not list its objects never sees it; "" = not known
}

// outcome is what one look at the jobs says of a wait.
type outcome struct {
	done bool
	err  error
	job  job.Status
}

// look judges one view. A job that was seen and is gone was deleted.
func (a *app) look(view snapshot.Snapshot, w awaited, seen job.Status) outcome {
	workspace := w.workspace
	if workspace == "" {
		workspace = view.Facts.Workspace
	}
	goal := w.goal
	j, ok := jobNamed(view.Jobs, workspace, w.name)
	if ok && seen.Name != "" && j.UID != seen.UID {
		// Another job has the name. The one that is waited for may still be there beside it.
		i := slices.IndexFunc(view.Jobs, func(k job.Status) bool { return k.UID == seen.UID })
		if ok = i >= 0; ok {
			j = view.Jobs[i]
		}
	}
	switch {
	case !ok && goal == deleted:
		return outcome{done: true, job: seen}
	case !ok && seen.Name != "":
		return outcome{done: true, err: a.fail("wait.deleted", "name", w.name), job: seen}
	case !ok && w.expected:
		if denied := hiding(view.Facts, w.engine); denied != "" {
			return outcome{done: true, err: a.fail("wait.unseen", "name", w.name, "denied", denied)}
		}
		return outcome{}
	case !ok:
		return outcome{done: true, err: a.noSuchJob(w.name, view)}
	case goal == deleted:
		return outcome{job: j}
	case reached(j, goal):
		return outcome{done: true, job: j}
	case j.Phase.Terminal():
		return outcome{done: true, err: a.ended(j, goal), job: j}
	}
	return outcome{job: j}
}

// hiding is the right without which a view never has the jobs of an engine; "" when it is there.
func hiding(facts snapshot.Facts, engine string) string {
	resource := map[string]string{render.JobSet: "jobsets.jobset.x-k8s.io", render.BatchJob: "jobs.batch"}[engine]
	for _, denied := range missingRights(facts) {
		if resource != "" && strings.HasPrefix(denied+" ", "list "+resource+" ") {
			return denied
		}
	}
	return ""
}

// ended says how a job ended that did not end as it was waited for.
func (a *app) ended(j job.Status, goal job.Phase) error {
	return a.fail("wait.ended", "name", j.Name, "phase", words.Phase(a.text, j.Phase), "goal", words.Phase(a.text, goal), "reason", words.Reason(a.text, j))
}

// waitFor follows a job until it is where the goal is or can no longer get there, and tells its phases on stderr.
// It returns the job as last seen.
func (a *app) waitFor(ctx context.Context, cluster watcher, w awaited) (job.Status, error) {
	if w.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.timeout)
		defer cancel()
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	var result outcome
	var told string
	conn := connectionNotes{a: a, met: w.expected}
	err := cluster.Watch(watching, func(view snapshot.Snapshot) {
		if result.done {
			return
		}
		if err := conn.note(view.Conn); err != nil {
			result = outcome{done: true, err: err, job: result.job}
			stop()
			return
		}
		if view.Conn.State != snapshot.Live {
			return
		}
		result = a.look(view, w, result.job)
		if line := a.progress(result.job); result.job.Name != "" && line != told {
			told = line
			fmt.Fprintln(a.err, line)
		}
		if result.done {
			stop()
		}
	})
	switch {
	case result.done:
		return result.job, result.err
	case ctx.Err() == context.DeadlineExceeded && result.job.Name == "":
		return result.job, a.fail("wait.timeoutUnseen", "name", w.name, "timeout", w.timeout.String())
	case ctx.Err() == context.DeadlineExceeded:
		return result.job, a.fail("wait.timeout", "name", w.name, "timeout", w.timeout.String(), "phase", a.text.T("phase."+string(result.job.Phase)))
	case ctx.Err() != nil:
		return result.job, context.Cause(ctx)
	}
	return result.job, err
}

// progress is a job's state in one line.
func (a *app) progress(j job.Status) string {
	phase := a.text.T("phase." + string(j.Phase))
	args := []any{"name", j.Name, "phase", phase}
	switch {
	case j.Phase == job.Queued && j.QueuePosition != nil:
		return a.t("progress.queued", append(args, "queue", j.Queue, "position", *j.QueuePosition)...)
	case slices.Contains([]job.Phase{job.Starting, job.Queued, job.Restarting}, j.Phase) && j.Reason != "":
		return a.t("progress.reason", append(args, "reason", words.Reason(a.text, j))...)
	}
	return a.t("progress.phase", args...)
}
