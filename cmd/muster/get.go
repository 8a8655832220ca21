package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/cmd/muster/table"
	"muster.dev/muster/ui/words"
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
	if err := a.writeRow(t, j); err != nil || !a.outTTY {
		return err
	}
	var rows [][]string
	for _, r := range j.Roles {
		for _, p := range r.Pods {
			rows = append(rows, []string{
				r.Name, fmt.Sprint(p.Index), p.Name, p.Node, a.podPhase(p.Phase), number(p.ExitCode), fmt.Sprint(p.Restarts), words.Code(a.text, p.Reason),
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

// writeRow writes a job's row. Of one job every column is wanted: where the terminal has no room for one beside the other
// they stand below each other.
func (a *app) writeRow(t jobTable, j job.Status) error {
	head, row := t.head(), t.row(a, j)
	text := a.head(head)
	if a.outTTY && a.width != nil && !table.Fits(a.width(), text, row) {
		rows := make([][]string, len(head))
		for i := range head {
			rows[i] = []string{text[i], row[i]}
		}
		return table.New(table.Spaces).Fit(a.width(), []table.Column{{}, {Flow: table.Wrap}}).Write(a.out, rows)
	}
	return a.table(head, [][]string{row})
}

// podPhase is the word of a pod's phase: for people in their language, in a pipe as in the JSON.
func (a *app) podPhase(phase string) string {
	if a.outTTY {
		return words.PodPhase(a.text, phase)
	}
	return phase
}
