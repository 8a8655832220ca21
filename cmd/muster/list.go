package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/cmd/muster/table"
)

func newList(a *app) *cobra.Command {
	var l lister
	c := a.command("list", "list [-A] [-w]", a.noArgs, func(c *cobra.Command, _ []string) error {
		return l.run(c.Context(), a)
	})
	c.Aliases = []string{"ls"}
	a.boolFlag(c, &l.all, "all-workspaces", "A")
	c.Flags().BoolVar(&l.all, "all-namespaces", false, "")
	_ = c.Flags().MarkHidden("all-namespaces") // kubectl's word for it
	a.boolFlag(c, &l.watch, "watch", "w")
	a.boolFlag(c, &l.noHeaders, "no-headers", "")
	a.outputFlag(c, &l.format, asJSON, asYAML, asName, asWide)
	return c
}

// lister is one call of list.
type lister struct {
	all, watch, noHeaders bool
	format                string
}

func (l *lister) run(ctx context.Context, a *app) error {
	cluster, err := a.connect()
	if err != nil {
		return err
	}
	if l.all {
		cluster.SetWorkspace("")
	}
	if l.watch {
		return l.follow(ctx, a, cluster)
	}
	view, err := a.view(ctx, cluster)
	if err != nil {
		return err
	}
	if err := a.deniedJobs(view); err != nil {
		return err
	}
	a.notWhole(view)
	return l.write(a, view)
}

func (l *lister) table(now time.Time) jobTable {
	return jobTable{workspace: l.all, wide: l.format == asWide, now: now}
}

// columns have one line for each job.
func (l *lister) columns(a *app) *table.Columns {
	return a.columns(l.table(time.Time{}).head(), true)
}

func (l *lister) write(a *app, view snapshot.Snapshot) error {
	switch l.format {
	case asJSON, asYAML:
		return a.object(l.format, items(jobObjects(view.Jobs)))
	case asName:
		return names(a.out, jobNames(view.Jobs))
	}
	if len(view.Jobs) == 0 {
		fmt.Fprintln(a.err, a.t("list.none", "workspace", a.whichWorkspace(view)))
		return nil
	}
	columns := l.columns(a)
	err := l.rows(a, columns, view.Jobs, !l.noHeaders)
	if l.format == asWide {
		a.leftOut(l.table(time.Time{}).head(), columns)
	}
	return err
}

func (l *lister) rows(a *app, columns *table.Columns, jobs []job.Status, head bool) error {
	t := l.table(time.Now())
	var rows [][]string
	if head {
		rows = append(rows, a.head(t.head()))
	}
	for _, j := range jobs {
		rows = append(rows, t.row(a, j))
	}
	return columns.Write(a.out, rows)
}

// follow writes every job once and then each that changed, until a signal ends it.
func (l *lister) follow(ctx context.Context, a *app, cluster watcher) error {
	columns := l.columns(a)
	shown := map[string]job.Status{}
	first := true
	var missing []string
	conn := connectionNotes{a: a}
	var failed error
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	err := cluster.Watch(watching, func(view snapshot.Snapshot) {
		if failed == nil {
			failed = conn.note(view.Conn)
		}
		if failed == nil && view.Conn.State == snapshot.Live {
			failed = a.deniedJobs(view)
		}
		if failed == nil && view.Conn.State == snapshot.Live {
			failed = l.changes(a, columns, view.Jobs, shown, first && !l.noHeaders)
			first = false
		}
		if failed == nil && view.Conn.State == snapshot.Live {
			gone := absent(view.Jobs, shown)
			// Jobs that disappear together with the right to see them were not deleted.
			if now := missingRights(view.Facts); slices.Equal(now, missing) {
				failed = l.deleted(a, columns, gone)
			} else {
				missing = now
			}
		}
		if failed != nil {
			cancel()
		}
	})
	if failed != nil {
		return failed
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// changes writes the jobs that are not as they were shown, oldest change of the list's order last, and remembers them.
func (l *lister) changes(a *app, columns *table.Columns, jobs []job.Status, shown map[string]job.Status, head bool) error {
	var changed []job.Status
	for _, j := range jobs {
		if old, ok := shown[j.UID]; !ok || !reflect.DeepEqual(old, j) {
			changed = append(changed, j)
			shown[j.UID] = j
		}
	}
	switch l.format {
	case asJSON, asYAML:
		for _, j := range changed {
			if l.format == asYAML {
				fmt.Fprintln(a.out, "---")
			}
			if err := a.object(l.format, jobObject(j)); err != nil {
				return err
			}
		}
		return nil
	case asName:
		return names(a.out, jobNames(changed))
	}
	if len(changed) == 0 && !head {
		return nil
	}
	return l.rows(a, columns, changed, head)
}

// absent takes the jobs that a view no longer has out of those that were shown, in the order of their names.
func absent(jobs []job.Status, shown map[string]job.Status) []job.Status {
	there := make(map[string]bool, len(jobs))
	for _, j := range jobs {
		there[j.UID] = true
	}
	var gone []job.Status
	for uid, j := range shown {
		if !there[uid] {
			gone = append(gone, j)
			delete(shown, uid)
		}
	}
	slices.SortFunc(gone, func(a, b job.Status) int {
		return cmp.Or(strings.Compare(a.Workspace, b.Workspace), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
	})
	return gone
}

// deletedJob is a job that is no more, as it was last seen.
type deletedJob struct {
	job.Status
	Deleted bool `json:"deleted"`
}

// deleted tells which jobs were deleted: as a row with that word for a phase, as an object with deleted: true. Names alone
// have no place for it: there it is said on stderr.
func (l *lister) deleted(a *app, columns *table.Columns, gone []job.Status) error {
	t := l.table(time.Now())
	var rows [][]string
	for _, j := range gone {
		switch l.format {
		case asJSON, asYAML:
			if l.format == asYAML {
				fmt.Fprintln(a.out, "---")
			}
			if err := a.object(l.format, deletedJob{jobObject(j), true}); err != nil {
				return err
			}
		case asName:
			fmt.Fprintln(a.err, a.t("list.deleted", "name", j.Name, "workspace", j.Workspace))
		default:
			rows = append(rows, t.deletedRow(a, j))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return columns.Write(a.out, rows)
}
