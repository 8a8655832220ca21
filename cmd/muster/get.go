package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
)

func newGet(a *app) *cobra.Command {
	var format string
	c := a.command("get", "get NAME", a.oneArg, func(c *cobra.Command, args []string) error {
		cluster, err := a.connect()
		if err != nil {
			return err
		}
		found, _, err := a.find(c.Context(), cluster, args[0])
		if err != nil {
			return err
		}
		return a.writeJob(format, found)
	})
	c.ValidArgsFunction = a.completeFirstJob
	a.outputFlag(c, &format, asJSON, asYAML, asName, asWide)
	return c
}

// writeJob writes one job: a row, and for people on a terminal its pods and what the cluster says of it below.
func (a *app) writeJob(format string, j job.Status) error {
	switch format {
	case asJSON, asYAML:
		return a.object(format, jobObject(j))
	case asName:
		return names(a.out, []string{j.Name})
	}
	t := jobTable{wide: format == asWide, now: time.Now()}
	if err := a.table(t.head(), [][]string{t.row(a, j)}); err != nil || !a.outTTY {
		return err
	}
	var rows [][]string
	for _, r := range j.Roles {
		for _, p := range r.Pods {
			rows = append(rows, []string{
				r.Name, fmt.Sprint(p.Index), p.Name, p.Node, p.Phase, number(p.ExitCode), fmt.Sprint(p.Restarts), p.Reason,
			})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintln(a.out)
		if err := a.table([]string{"role", "index", "pod", "node", "phase", "exit", "restarts", "reason"}, rows); err != nil {
			return err
		}
	}
	if j.Message != "" {
		_, err := fmt.Fprintf(a.out, "\n%s\n", a.t("job.message", "message", j.Message))
		return err
	}
	return nil
}
