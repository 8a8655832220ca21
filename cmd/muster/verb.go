package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/words"
)

// newVerb makes stop, resume and delete. They take several names; one that fails does not keep the others.
func newVerb(a *app, verb snapshot.Verb) *cobra.Command {
	d := deed{verb: verb}
	name := string(verb)
	use := name + " NAME..."
	if d.asks() {
		use += " [--foreign]"
	}
	c := a.command(name, use, a.someArgs, func(c *cobra.Command, args []string) error {
		return d.do(c.Context(), a, args)
	})
	c.ValidArgsFunction = a.completeJobs
	a.outputFlag(c, &d.format, asName)
	if d.asks() {
		a.boolFlag(c, &d.foreign, "foreign", "")
	}
	return c
}

// deed is one call of stop, resume or delete.
type deed struct {
	verb    snapshot.Verb
	format  string
	foreign bool // jobs that muster did not make are meant too
}

// asks tells whether the verb takes something away: of what muster did not make that needs a word of the user's.
func (d deed) asks() bool { return d.verb != snapshot.Resume }

func (d deed) do(ctx context.Context, a *app, args []string) error {
	cluster, err := a.connect()
	if err != nil {
		return err
	}
	view, err := a.view(ctx, cluster)
	if err != nil {
		return err
	}
	failed := 0
	for _, name := range args {
		if err := d.one(ctx, a, cluster, view, name); err != nil {
			if ctx.Err() != nil {
				return err
			}
			failed++
			_, text := a.explain(err)
			fmt.Fprintln(a.err, text)
		}
	}
	if failed > 0 {
		return &exit{status: exitFailed}
	}
	return nil
}

// doer changes jobs.
type doer interface {
	Do(ctx context.Context, verb snapshot.Verb, workspace, name, uid string) error
}

func (d deed) one(ctx context.Context, a *app, cluster doer, view snapshot.Snapshot, name string) error {
	j, ok := jobNamed(view.Jobs, view.Facts.Workspace, name)
	if !ok {
		return a.noSuchJob(name, view)
	}
	args := []any{"name", j.Name, "workspace", j.Workspace, "phase", words.Phase(a.text, j.Phase)}
	if d.needless(j.Phase) {
		fmt.Fprintln(a.err, a.t("needless."+string(d.verb), args...))
		return d.tell(a, j.Name, "")
	}
	if j.Foreign && d.asks() && !d.foreign {
		if err := d.ask(ctx, a, args); err != nil {
			return err
		}
	}
	limited, cancel, err := a.limited(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if err := cluster.Do(limited, d.verb, j.Workspace, j.Name, j.UID); err != nil {
		return err
	}
	return d.tell(a, j.Name, a.t("done."+string(d.verb), args...))
}

// needless tells whether a job is already as the verb would make it. Of one in a queue that is not certain: its workload
// may not be the user's to see.
func (d deed) needless(phase job.Phase) bool {
	switch d.verb {
	case snapshot.Stop:
		return phase == job.Stopped
	case snapshot.Resume:
		return phase == job.Starting || phase == job.Running || phase == job.Restarting
	}
	return false
}

// ask has the user confirm what is to happen to a job that muster did not make; without a terminal --foreign says it.
func (d deed) ask(ctx context.Context, a *app, args []any) error {
	if !a.interactive() {
		return a.fail("foreign.refused", append(args, "verb", string(d.verb))...)
	}
	fmt.Fprint(a.err, a.t("ask."+string(d.verb), args...)+" [y/N] ")
	answer, err := a.line(ctx)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return a.fail("foreign.kept", args...)
	}
	return nil
}

// line reads one line from standard input. It is waited for no longer than the context lasts.
func (a *app) line(ctx context.Context) (string, error) {
	read := make(chan string, 1)
	go func() {
		text := ""
		for b := make([]byte, 1); ; { // not a byte more: the next question reads on
			n, err := a.in.Read(b)
			if n > 0 && b[0] != '\n' {
				text += string(b[:n])
			}
			if err != nil || n > 0 && b[0] == '\n' {
				read <- text
				return
			}
		}
	}()
	select {
	case text := <-read:
		return text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// tell writes the job's name where it is what is asked for, else what was done.
func (d deed) tell(a *app, name, text string) error {
	if d.format == asName {
		return names(a.out, []string{name})
	}
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}
