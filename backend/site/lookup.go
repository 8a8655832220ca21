package site

import (
	"slices"

	"muster.dev/muster/backend/job"
)

// Usable lists the clusters that a job of this workspace and kind of resource may be put on. A cluster that was found,
// not declared, says neither: it is usable for all. workspace "" means that it is not known: it excludes none.
func (s Site) Usable(workspace string, resource job.ResourceKind) []Cluster {
	var usable []Cluster
	for _, c := range s.Clusters {
		if c.allows(workspace) && c.serves(resource) {
			usable = append(usable, c)
		}
	}
	return usable
}

func (c Cluster) allows(workspace string) bool {
	return workspace == "" || len(c.Workspaces) == 0 || slices.Contains(c.Workspaces, workspace)
}

func (c Cluster) serves(resource job.ResourceKind) bool {
	if len(c.Resources) == 0 {
		return c.Discovered || resource == job.Dedicated
	}
	return slices.Contains(c.Resources, resource)
}

// ClusterOf is the cluster that a spec is put on: the one it names, else the site's default where it is usable, else the
// only usable one. known is false when the site does not know it, or when there are several to choose from.
func (s Site) ClusterOf(spec job.Spec) (cluster Cluster, known bool) {
	name := spec.Cluster
	usable := s.Usable(spec.Workspace, spec.Resource)
	if name == "" {
		name = s.DefaultCluster
		if !slices.ContainsFunc(usable, func(c Cluster) bool { return c.Name == name }) {
			if len(usable) != 1 {
				return Cluster{}, false
			}
			name = usable[0].Name
		}
	}
	for _, c := range s.Clusters {
		if c.Name == name {
			return c, true
		}
	}
	return Cluster{}, false
}

// CardOf is the card type that a job on this cluster gets: the one named (by its name or its product), else the
// cluster's default, else its only one. known is false when there is none such, or several to choose from.
func (c Cluster) CardOf(name string) (card CardType, known bool) {
	if name == "" {
		name = c.DefaultCard
		if name == "" && len(c.CardTypes) == 1 {
			return c.CardTypes[0], true
		}
	}
	for _, t := range c.CardTypes {
		if name != "" && (t.Name == name || t.Product == name) {
			return t, true
		}
	}
	return CardType{}, false
}

// Claim is the claim behind a volume's name: each workspace has one of that name, or of the one the site says.
func (s Site) Claim(volume string) string {
	for _, v := range s.Volumes {
		if v.Name == volume && v.Claim != "" {
			return v.Claim
		}
	}
	return volume
}

func clusterNames(clusters []Cluster) []string {
	var names []string
	for _, c := range clusters {
		names = append(names, c.Name)
	}
	return names
}

func cardNames(cards []CardType) []string {
	var names []string
	for _, c := range cards {
		names = append(names, c.Name)
	}
	return names
}

func volumeNames(volumes []Volume) []string {
	var names []string
	for _, v := range volumes {
		names = append(names, v.Name)
	}
	return names
}

// wantsCards tells whether any pod of the job has cards.
func wantsCards(spec job.Spec) bool {
	return slices.ContainsFunc(spec.Roles, func(r job.Role) bool { return r.Replicas > 0 && r.HasCards() })
}
