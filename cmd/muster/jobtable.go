package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/words"
)

// jobTable makes rows of jobs.
type jobTable struct {
	workspace bool // with a column for it
	wide      bool
	now       time.Time
}

func (t jobTable) head() []string {
	var head []string
	if t.workspace {
		head = append(head, "workspace")
	}
	head = append(head, "name", "phase", "framework", "nodes", "ready", "queue", "position", "restarts", "exit", "run", "age", "reason")
	if t.wide {
		head = append(head, "display", "cluster", "card", "engine", "priority", "user", "image")
	}
	return head
}

func (t jobTable) row(a *app, j job.Status) []string {
	var row []string
	if t.workspace {
		row = append(row, j.Workspace)
	}
	ready, replicas := 0, 0
	for _, r := range j.Roles {
		ready += r.Ready
		replicas += r.Replicas
	}
	row = append(row,
		j.Name, a.phase(j.Phase), string(j.Framework), nodesAndCards(j.Roles), fmt.Sprintf("%d/%d", ready, replicas),
		j.Queue, number(j.QueuePosition), strconv.Itoa(j.Restarts), number(j.ExitCode), runTime(j, t.now), age(t.now, j.Created), words.Reason(a.text, j),
	)
	if t.wide {
		row = append(row, j.DisplayName, j.Cluster, j.CardType, j.Engine, string(j.Priority), j.User, j.Image)
	}
	return row
}

// deletedRow is the row of a job that was deleted, as it was last seen: its phase is that it is gone.
func (t jobTable) deletedRow(a *app, j job.Status) []string {
	word := "Deleted"
	if a.outTTY {
		word = a.t("list.gone")
	}
	row := t.row(a, j)
	row[slices.Index(t.head(), "phase")] = word
	return row
}

// phase is a phase's word: for people in their language, in a pipe as in the JSON.
func (a *app) phase(p job.Phase) string {
	if a.outTTY {
		return a.text.T("phase." + string(p))
	}
	return string(p)
}

// nodesAndCards says 4x8 for four nodes of eight cards, 1x0+2x8 for roles that differ.
func nodesAndCards(roles []job.RoleStatus) string {
	type shape struct{ nodes, cards int }
	var shapes []shape
	for _, r := range roles {
		i := slices.IndexFunc(shapes, func(s shape) bool { return s.cards == r.GPUs })
		if i < 0 {
			i = len(shapes)
			shapes = append(shapes, shape{cards: r.GPUs})
		}
		shapes[i].nodes += r.Replicas
	}
	parts := make([]string, len(shapes))
	for i, s := range shapes {
		parts[i] = fmt.Sprintf("%dx%d", s.nodes, s.cards)
	}
	return strings.Join(parts, "+")
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// age is how long ago something was; "" when it was not. Clocks that differ a little make no negative ages.
func age(now, then time.Time) string {
	if then.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, now.Sub(then)))
}

// runTime is how long a job has run or ran.
func runTime(j job.Status, now time.Time) string {
	if j.Started == nil && j.RunSeconds > 0 {
		return duration.HumanDuration(time.Duration(j.RunSeconds) * time.Second)
	}
	if j.Started == nil {
		return ""
	}
	if j.Finished != nil {
		now = *j.Finished
	}
	return age(now, *j.Started)
}

// jobObject is a job for JSON: none of its lists is null.
func jobObject(j job.Status) job.Status {
	roles := make([]job.RoleStatus, len(j.Roles))
	for i, r := range j.Roles {
		if r.Pods == nil {
			r.Pods = []job.PodStatus{}
		}
		roles[i] = r
	}
	j.Roles = roles
	return j
}

func jobObjects(all []job.Status) []job.Status {
	objects := make([]job.Status, len(all))
	for i, j := range all {
		objects[i] = jobObject(j)
	}
	return objects
}

func jobNames(all []job.Status) []string {
	names := make([]string, len(all))
	for i, j := range all {
		names[i] = j.Name
	}
	return names
}
