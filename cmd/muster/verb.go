package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/snapshot"
)

// newVerb makes stop, resume and delete. They take several names; one that fails does not keep the others.
func newVerb(a *app, verb snapshot.Verb) *cobra.Command {
	var format string
	name := string(verb)
	c := a.command(name, name+" NAME...", a.someArgs, func(c *cobra.Command, args []string) error {
		return a.do(c.Context(), verb, args, format)
	})
	c.ValidArgsFunction = a.completeJobs
	a.outputFlag(c, &format, asName)
	return c
}

func (a *app) do(ctx context.Context, verb snapshot.Verb, args []string, format string) error {
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
		if err := a.doOne(ctx, cluster, view, verb, name, format); err != nil {
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

func (a *app) doOne(ctx context.Context, cluster doer, view snapshot.Snapshot, verb snapshot.Verb, name, format string) error {
	j, ok := jobNamed(view.Jobs, view.Facts.Workspace, name)
	if !ok {
		return a.noSuchJob(name, view)
	}
	limited, cancel, err := a.limited(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if err := cluster.Do(limited, verb, j.Workspace, j.Name, j.UID); err != nil {
		return err
	}
	if format == asName {
		return names(a.out, []string{j.Name})
	}
	_, err = fmt.Fprintln(a.out, a.t("done."+string(verb), "name", j.Name, "workspace", j.Workspace))
	return err
}
