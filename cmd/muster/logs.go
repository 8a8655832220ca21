package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/logs"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/words"
)

func newLogs(a *app) *cobra.Command {
	var r logs.Request
	var timestamps bool
	c := a.command("logs", "logs NAME [-f]", a.oneArg, func(c *cobra.Command, args []string) error {
		switch {
		case c.Flags().Changed("index") && r.Index < 0:
			return a.usage(c, "err.negative", "flag", "--index")
		case r.Since < 0:
			return a.usage(c, "err.negative", "flag", "--since")
		case r.Tail < -1:
			return a.usage(c, "err.tail")
		}
		r.Job = args[0]
		return a.logs(c.Context(), r, timestamps)
	})
	flags := c.Flags()
	a.boolFlag(c, &r.Follow, "follow", "f")
	a.stringFlag(c, &r.Role, "role", "")
	flags.IntVar(&r.Index, "index", -1, a.flagText(c, "index"))
	flags.DurationVar(&r.Since, "since", 0, a.flagText(c, "since"))
	flags.IntVar(&r.Tail, "tail", -1, a.flagText(c, "tail"))
	a.boolFlag(c, &r.Previous, "previous", "p")
	a.boolFlag(c, &timestamps, "timestamps", "")
	c.ValidArgsFunction = a.completeFirstJob
	return c
}

func (a *app) logs(ctx context.Context, r logs.Request, timestamps bool) error {
	cluster, err := a.connect()
	if err != nil {
		return err
	}
	j, view, err := a.find(ctx, cluster, r.Job)
	if err != nil {
		return err
	}
	if err := a.checkRole(j, r); err != nil {
		return err
	}
	r.Workspace = view.Facts.Workspace
	w := logWriter{a: a, out: bufio.NewWriter(a.out), timestamps: timestamps}
	silent := noneBegan(j)
	if silent && r.Follow {
		a.noLogYet(j)
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err = cluster.Logs(reading, r, func(batch []logs.Line) {
		if w.err == nil {
			w.write(batch)
		}
		if w.err != nil {
			stop() // nobody reads any more
		}
	})
	switch {
	case w.err != nil:
		return w.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.Canceled):
		return nil
	}
	if err == nil && w.refused == 0 && w.lines == 0 && silent && !r.Follow {
		a.noLogYet(j)
	}
	if err == nil && w.refused > 0 && w.lines == 0 {
		return &exit{status: exitFailed} // the marks said why
	}
	return err
}

// noneBegan tells whether no container of a job has run: there is no log of it then.
func noneBegan(j job.Status) bool {
	switch j.Phase {
	case job.Queued, job.Starting, job.Stopped, job.Restarting, job.Unknown, job.Failed, job.TimedOut:
	default:
		return false
	}
	for _, role := range j.Roles {
		for _, pod := range role.Pods {
			if pod.Started != nil || pod.ExitCode != nil || pod.Phase == "Running" {
				return false
			}
		}
	}
	return true
}

// noLogYet says on stderr why there is no log.
func (a *app) noLogYet(j job.Status) {
	fmt.Fprintln(a.err, a.t("logs.none", "name", j.Name, "phase", words.Phase(a.text, j.Phase), "reason", words.Reason(a.text, j)))
}

// logWriter writes lines to stdout and marks to stderr. On a terminal, lines are made harmless, with their colours
// kept; in a pipe they are the bytes that the container wrote.
type logWriter struct {
	a              *app
	out            *bufio.Writer
	timestamps     bool
	lines, refused int
	err            error
}

func (w *logWriter) write(batch []logs.Line) {
	for _, line := range batch {
		prefix := line.Role + "-" + strconv.Itoa(line.Index)
		if line.Mark != logs.NoMark {
			if w.err = w.out.Flush(); w.err != nil {
				return
			}
			if line.Mark == logs.Refused {
				w.refused++
			}
			fmt.Fprintln(w.a.err, w.a.t("mark."+string(line.Mark), "pod", prefix, "message", line.Text))
			continue
		}
		w.lines++
		text := line.Text
		if w.a.outTTY {
			text = safetext.CleanLog(text)
		}
		w.out.WriteString(prefix)
		w.out.WriteByte(' ')
		if w.timestamps {
			w.out.WriteString(line.Time.UTC().Format(time.RFC3339Nano))
			w.out.WriteByte(' ')
		}
		w.out.WriteString(text)
		w.out.WriteByte('\n')
	}
	w.err = w.out.Flush()
}
