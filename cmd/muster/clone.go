package main

import (
	"context"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
)

func newClone(a *app) *cobra.Command {
	var format string
	c := a.command("clone", "clone NAME [-o yaml]", a.oneArg, func(c *cobra.Command, args []string) error {
		if format == asTable && !a.interactive() {
			return a.wrong("clone.noTerminal", "command", a.name+" clone "+args[0]+" -o yaml")
		}
		cluster, err := a.connect()
		if err != nil {
			return err
		}
		spec, err := a.cloned(c.Context(), cluster, args[0])
		if err != nil {
			return err
		}
		switch format {
		case asJSON:
			return a.object(format, spec)
		case asYAML:
			text, err := job.Encode(*spec)
			if err == nil {
				_, err = a.out.Write(text)
			}
			return err
		}
		return a.openForm(c.Context(), spec, args[0])
	})
	c.ValidArgsFunction = a.completeFirstJob
	a.outputFlag(c, &format, asYAML, asJSON)
	return c
}

// detailer tells all of one job.
type detailer interface {
	viewer
	Details(ctx context.Context, workspace, name string) (snapshot.Details, error)
}

// cloned is the spec that a job was made from, without its name: a copy under the same name would be the same job.
func (a *app) cloned(ctx context.Context, cluster detailer, name string) (*job.Spec, error) {
	j, _, err := a.find(ctx, cluster, name)
	if err != nil {
		return nil, err
	}
	limited, cancel, err := a.limited(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	details, err := cluster.Details(limited, j.Workspace, j.Name)
	if err != nil {
		return nil, err
	}
	if len(details.Unreadable) > 0 {
		return nil, a.fail("clone.unreadable", "name", name, "path", details.Unreadable[0].Path, "why", a.text.Problem(details.Unreadable[0]))
	}
	if details.Spec == nil {
		return nil, a.fail("clone.foreign", "name", name)
	}
	spec := *details.Spec
	spec.Name = ""
	return &spec, nil
}
