package snapshot

import "slices"

// Denies tells whether the user may not do that. The workspace "" means the whole cluster: that right is another one
// than the same in one workspace, and who lacks it may still have the other.
func (f Facts) Denies(verb, resource, workspace string) bool {
	right := verb + " " + resource
	if workspace != "" {
		right += " in namespace " + workspace
	}
	return slices.Contains(f.Denied, right)
}

// Unlisted are the rights to list some resources ("pods", "jobs.batch") that lack where the view looks, as in Denied.
// Those for the whole cluster matter only to a view of all workspaces: the rights in one workspace are enough for it.
func (f Facts) Unlisted(resources ...string) []string {
	var missing []string
	for _, resource := range resources {
		if !f.Denies("list", resource, f.Workspace) {
			continue
		}
		right := "list " + resource
		if f.Workspace != "" {
			right += " in namespace " + f.Workspace
		}
		missing = append(missing, right)
	}
	return missing
}

// SeesAny tells of a view of all workspaces whether a resource may be listed in the whole cluster or in any of the
// workspaces that are known: who may not list the cluster's still sees his own.
func (s Snapshot) SeesAny(resource string) bool {
	return !s.Facts.Denies("list", resource, "") || slices.ContainsFunc(s.Workspaces, func(workspace string) bool {
		return !s.Facts.Denies("list", resource, workspace)
	})
}
