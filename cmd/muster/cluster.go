package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/kube"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/cmd/muster/alike"
)

// viewer gives one complete view of a cluster.
type viewer interface {
	Snapshot(context.Context) (snapshot.Snapshot, error)
}

// watcher gives views until its context ends.
type watcher interface {
	Watch(context.Context, func(snapshot.Snapshot)) error
}

// find returns a job of the workspace by its name. Of several with one name, the one that muster made is meant.
func (a *app) find(ctx context.Context, cluster viewer, name string) (job.Status, snapshot.Snapshot, error) {
	view, err := a.view(ctx, cluster)
	if err != nil {
		return job.Status{}, view, err
	}
	j, ok := jobNamed(view.Jobs, view.Facts.Workspace, name)
	if !ok {
		return j, view, a.noSuchJob(name, view)
	}
	return j, view, nil
}

// jobNamed finds a job; the workspace "" means any.
func jobNamed(jobs []job.Status, workspace, name string) (job.Status, bool) {
	at := -1
	for i, j := range jobs {
		if j.Name == name && (workspace == "" || j.Workspace == workspace) && (at < 0 || jobs[at].Foreign && !j.Foreign) {
			at = i
		}
	}
	if at < 0 {
		return job.Status{}, false
	}
	return jobs[at], true
}

// likeNames is how many names that look alike an error shows.
const likeNames = 5

func (a *app) noSuchJob(name string, view snapshot.Snapshot) error {
	if err := a.deniedJobs(view); err != nil {
		return err
	}
	args := []any{"name", name, "workspace", view.Facts.Workspace, "context", view.Facts.Context}
	near := alike.Names(name, jobNames(view.Jobs), likeNames)
	switch {
	case len(view.Jobs) == 0:
		return a.fail("err.noJobs", args...)
	case len(near) == 0:
		return a.fail("err.noSuchJob", args...)
	}
	return a.fail("err.noSuchJobNear", append(args, "near", strings.Join(near, ", "))...)
}

// jobResources are those without which jobs are not seen, or not whole.
var jobResources = []string{"jobs.batch", "jobsets.jobset.x-k8s.io", "pods"}

// missingRights are the rights that keep the user from seeing jobs where the view looks.
func missingRights(facts snapshot.Facts) []string { return facts.Unlisted(jobResources...) }

// deniedJobs is the error of a view that holds no jobs because the user may not see any, or because there is no such
// workspace.
func (a *app) deniedJobs(view snapshot.Snapshot) error {
	if err := a.placeProblem(view); err != nil {
		return err
	}
	missing := missingRights(view.Facts)
	switch {
	case len(view.Jobs) > 0 || len(missing) == 0:
		return nil
	case view.Facts.Workspace != "":
		return a.fail("err.denied", "workspace", a.whichWorkspace(view), "user", view.Facts.User, "denied", strings.Join(missing, ", "))
	case view.SeesAny("jobs.batch"):
		return nil
	}
	return a.fail("err.deniedAll", "user", view.Facts.User, "known", someOf(view.Workspaces))
}

// placeProblem is the error of a view of what is not there: a workspace that does not exist, a user that one may not act as.
func (a *app) placeProblem(view snapshot.Snapshot) error {
	for _, p := range view.Facts.Problems {
		if p.Code == kube.CodeImpersonation || p.Code == kube.CodeNamespaceNotFound && view.Facts.Workspace != "" {
			return a.fail("err.flag", "message", a.problem(p))
		}
	}
	return nil
}

// deniedList is the error of a view that does not show a resource because the user may not list it.
func (a *app) deniedList(view snapshot.Snapshot, resource string) error {
	if err := a.placeProblem(view); err != nil || len(view.Facts.Unlisted(resource)) == 0 {
		return err
	}
	return a.fail("err.flag", "message", a.problem(job.Problem{Code: kube.CodeDenied, Args: map[string]string{
		"verb": "list", "resource": resource, "workspace": view.Facts.Workspace,
	}}))
}

// notWhole says on stderr that a list may lack jobs.
func (a *app) notWhole(view snapshot.Snapshot) {
	missing := missingRights(view.Facts)
	if len(missing) == 0 {
		return
	}
	text := a.t("list.notWhole", "denied", strings.Join(missing, ", "))
	if view.Facts.Workspace == "" {
		text = a.t("list.notAll", "known", someOf(seenWorkspaces(view)), "denied", strings.Join(missing, ", "))
	}
	fmt.Fprintln(a.err, a.t("warning", "message", text))
}

// seenWorkspaces are those whose jobs a view of all workspaces shows, of a user who may not list the whole cluster's.
func seenWorkspaces(view snapshot.Snapshot) []string {
	var seen []string
	for _, workspace := range view.Workspaces {
		if !view.Facts.Denies("list", "jobs.batch", workspace) {
			seen = append(seen, workspace)
		}
	}
	return seen
}

// someOf joins the first of some names.
func someOf(all []string) string {
	if len(all) > likeNames {
		return strings.Join(all[:likeNames], ", ") + ", …"
	}
	return strings.Join(all, ", ")
}

// whichWorkspace names what a view covers.
func (a *app) whichWorkspace(view snapshot.Snapshot) string {
	if view.Facts.Workspace == "" {
		return a.t("allWorkspaces")
	}
	return a.t("workspace", "name", view.Facts.Workspace)
}

// completeJobs completes the names of jobs. A shell waits for it: what takes long, or is not allowed, completes nothing.
func (a *app) completeJobs(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(c.Context(), completionTime)
	defer cancel()
	cluster, err := a.connect()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	view, err := cluster.Snapshot(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	for _, name := range jobNames(view.Jobs) {
		if !slices.Contains(args, name) {
			all = append(all, name)
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// completeFirstJob completes a command's only argument.
func (a *app) completeFirstJob(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeJobs(c, args, word)
}

// connectionNotes says on stderr when a watch loses the cluster and when it has it again.
type connectionNotes struct {
	a    *app
	lost bool
	met  bool // the cluster has answered before
}

// note tells of a change. Credentials that are refused end a command, since nobody is there to mend them, and so does
// a cluster that does not answer from the start: what was reached once is waited for.
func (n *connectionNotes) note(conn snapshot.Connection) error {
	switch conn.State {
	case snapshot.Unauthorized, snapshot.NoConfig:
		return n.a.fail("err.flag", "message", n.a.connError(conn))
	case snapshot.Stale, snapshot.Connecting:
		if conn.Problem != nil && !n.met {
			return n.a.fail("err.flag", "message", n.a.connError(conn))
		}
		if (conn.Error != "" || conn.Problem != nil) && !n.lost {
			n.lost = true
			fmt.Fprintln(n.a.err, n.a.t("conn.lost", "message", n.a.connError(conn)))
		}
	case snapshot.Live:
		n.met = true
		if n.lost {
			n.lost = false
			fmt.Fprintln(n.a.err, n.a.t("conn.back"))
		}
	}
	return nil
}

// connError says what is the matter with a connection.
func (a *app) connError(conn snapshot.Connection) string {
	if conn.Problem != nil {
		return a.problem(*conn.Problem)
	}
	return conn.Error
}
