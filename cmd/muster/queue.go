package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/cmd/muster/alike"
)

func newQueue(a *app) *cobra.Command {
	var format string
	c := a.command("queue", "queue [NAME]", a.atMostOneArg, func(c *cobra.Command, args []string) error {
		view, err := a.viewOnce(c.Context())
		if err != nil {
			return err
		}
		if err := a.deniedList(view, "localqueues.kueue.x-k8s.io"); err != nil {
			return err
		}
		queues := view.Queues
		if len(args) == 1 {
			if queues, err = a.queueNamed(view, args[0]); err != nil {
				return err
			}
		}
		return a.writeQueues(view, queues, len(args) == 1, format)
	})
	c.Aliases = []string{"queues"}
	a.outputFlag(c, &format, asJSON, asYAML, asName)
	return c
}

func (a *app) queueNamed(view snapshot.Snapshot, name string) ([]queue.Queue, error) {
	var known []string
	for _, q := range view.Queues {
		if q.Name == name {
			return []queue.Queue{q}, nil
		}
		known = append(known, q.Name)
	}
	if near := alike.Names(name, known, likeNames); len(near) > 0 {
		known = near
	}
	if len(known) == 0 {
		return nil, a.fail("err.flag", "message", a.noQueues(view))
	}
	return nil, a.fail("queue.notFound", "name", name, "workspace", view.Facts.Workspace, "near", strings.Join(known, ", "))
}

// noQueues says why there is none.
func (a *app) noQueues(view snapshot.Snapshot) string {
	if !view.Facts.Kueue {
		return a.t("queue.noKueue", "context", view.Facts.Context)
	}
	return a.t("queue.none", "workspace", view.Facts.Workspace)
}

func (a *app) writeQueues(view snapshot.Snapshot, queues []queue.Queue, one bool, format string) error {
	switch format {
	case asJSON, asYAML:
		return a.object(format, items(queueObjects(queues)))
	case asName:
		var all []string
		for _, q := range queues {
			all = append(all, q.Name)
		}
		return names(a.out, all)
	}
	if len(queues) == 0 {
		fmt.Fprintln(a.err, a.noQueues(view))
		return nil
	}
	var rows [][]string
	for _, q := range queues {
		rows = append(rows, []string{q.Name, q.ClusterQueue, strconv.Itoa(q.Admitted), strconv.Itoa(q.Pending), a.yesNo(q.Active), a.usageOf(q.Usage), q.Reason})
	}
	if err := a.table([]string{"name", "clusterQueue", "admitted", "pending", "active", "used", "reason"}, rows); err != nil || !one {
		return err
	}
	return a.writeWaiting(queues[0])
}

// writeWaiting lists what waits in a queue, in its order where that is known.
func (a *app) writeWaiting(q queue.Queue) error {
	fmt.Fprintln(a.out)
	if len(q.Waiting) == 0 {
		_, err := fmt.Fprintln(a.out, a.t("queue.empty"))
		return err
	}
	now := time.Now()
	var rows [][]string
	for _, w := range q.Waiting {
		position := strconv.Itoa(w.Position)
		if !q.OrderKnown || w.Position == 0 {
			position = a.t("unknown")
		}
		rows = append(rows, []string{position, w.Job, w.Workspace, strconv.Itoa(int(w.Priority)), age(now, w.Since), w.Message})
	}
	return a.table([]string{"position", "job", "workspace", "priority", "waiting", "reason"}, rows)
}

// usageOf says what is used of the quota; a quota that the user may not read is said to be unknown.
func (a *app) usageOf(usage []queue.Usage) string {
	parts := make([]string, len(usage))
	for i, u := range usage {
		nominal := a.t("unknown")
		if u.Nominal != nil {
			nominal = *u.Nominal
		}
		format := "%s/%s:%s/%s"
		if a.outTTY { // can be broken into lines
			format = "%s %s %s/%s"
		}
		parts[i] = fmt.Sprintf(format, u.Flavor, u.Resource, u.Used, nominal)
	}
	if a.outTTY {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, ",")
}

func (a *app) yesNo(b bool) string {
	if b {
		return a.t("yes")
	}
	return a.t("no")
}

// queueObjects are queues for JSON: none of their lists is null.
func queueObjects(queues []queue.Queue) []queue.Queue {
	objects := make([]queue.Queue, len(queues))
	for i, q := range queues {
		if q.Usage == nil {
			q.Usage = []queue.Usage{}
		}
		if q.Waiting == nil {
			q.Waiting = []queue.Waiting{}
		}
		objects[i] = q
	}
	return objects
}
