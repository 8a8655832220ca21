package train

import (
	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/forms"
)

// Context is what the form knows beside the draft.
type Context struct {
	Snapshot snapshot.Snapshot
	// Render makes the manifest of a spec as it was typed, which is what is recorded in it, or says what can't be rendered.
	Render func(job.Spec, snapshot.Snapshot) (manifest string, problems []job.Problem)
	// Getenv reads muster's own environment, for values of secrets that are not typed.
	Getenv func(string) string
}

// reached tells whether the cluster has answered at least once: before that nothing about it can be judged.
func (c *Context) reached() bool { return !c.Snapshot.Conn.Fresh.IsZero() }

// workspace is the one that the job goes to.
func (c *Context) workspace(d *forms.Draft) string {
	if w := d.Get("workspace"); w != "" {
		return w
	}
	if w := c.Snapshot.Facts.Workspace; w != "" {
		return w
	}
	if len(c.Snapshot.Workspaces) == 1 {
		return c.Snapshot.Workspaces[0]
	}
	return ""
}

// cluster is the training cluster that the draft comes to.
func (c *Context) cluster(d *forms.Draft) (site.Cluster, bool) {
	return c.Snapshot.Site.ClusterOf(job.Spec{Workspace: c.workspace(d), Resource: job.ResourceKind(d.Get("resource")), Cluster: d.Get("cluster")})
}

func (c *Context) volumes(d *forms.Draft) []snapshot.Volume {
	workspace := c.workspace(d)
	var out []snapshot.Volume
	for _, v := range c.Snapshot.Volumes {
		if v.Workspace == workspace || v.Workspace == "" {
			out = append(out, v)
		}
	}
	return out
}
