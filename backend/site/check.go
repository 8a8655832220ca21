package site

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/strictyaml"
)

// Check checks a spec against the site: what [job.Validate] cannot know. It takes the spec as typed or resolved. Nothing is
// refused on a guess: a site that knows no cluster, no card type, no size of a node or no volume accepts any, and a
// warning says so where something is left out of the job for that. Prefer [job.Report.Join] to add the result to
// another report.
func Check(s Site, spec job.Spec) job.Report {
	c := &specChecker{site: s, spec: spec, resolved: Resolve(s, spec)}
	c.checkCluster()
	c.checkStorage()
	c.checkPriority()
	c.checkSharedMemory()
	return c.report
}

type specChecker struct {
	site     Site
	spec     job.Spec
	resolved job.Spec
	report   job.Report
}

func (c *specChecker) fail(path, code string, args ...string) {
	c.report.Errors = append(c.report.Errors, problem(path, code, args...))
}

func (c *specChecker) warn(path, code string, args ...string) {
	c.report.Warnings = append(c.report.Warnings, problem(path, code, args...))
}

func (c *specChecker) checkCluster() {
	cards := wantsCards(c.spec)
	if len(c.site.Clusters) == 0 {
		if cards {
			c.warn("cluster", job.CodeRDMAUnknown, "cluster", c.spec.Cluster)
		}
		c.checkUnknownCard("")
		c.checkRoles(Cluster{}, CardType{})
		return
	}
	all := clusterNames(c.site.Clusters)
	cluster, known := c.site.ClusterOf(c.spec)
	allowed := slices.DeleteFunc(slices.Clone(c.site.Clusters), func(k Cluster) bool { return !k.allows(c.spec.Workspace) })
	usable := clusterNames(c.site.Usable(c.spec.Workspace, c.spec.Resource))
	switch {
	case !known && c.spec.Cluster != "":
		if len(usable) == 0 {
			usable = all
		}
		c.fail("cluster", job.CodeClusterUnknown, "value", c.spec.Cluster, "known", strings.Join(usable, ", "), "nearest", strictyaml.Nearest(c.spec.Cluster, all))
		return
	case !known && len(allowed) == 0:
		c.fail("cluster", job.CodeNoClusterForWorkspace, "workspace", c.spec.Workspace)
		return
	case !known && len(usable) == 0:
		c.fail("resource", job.CodeResourceNotServed, "resource", string(c.spec.Resource), "cluster", strings.Join(clusterNames(allowed), ", "), "served", served(allowed))
		return
	case !known:
		c.fail("cluster", job.CodeClusterRequired, "known", strings.Join(usable, ", "))
		return
	case !cluster.allows(c.spec.Workspace):
		c.fail("cluster", job.CodeClusterNotForWorkspace, "cluster", cluster.Name, "workspace", c.spec.Workspace, "known", strings.Join(usable, ", "))
	case !cluster.serves(c.spec.Resource):
		c.fail("resource", job.CodeResourceNotServed, "resource", string(c.spec.Resource), "cluster", cluster.Name, "served", served([]Cluster{cluster}))
	}
	if c.spec.Resource != job.Dedicated {
		if cluster.Region != "" && c.spec.Region != "" && c.spec.Region != cluster.Region {
			c.fail("region", job.CodeRegionUnknown, "value", c.spec.Region, "cluster", cluster.Name, "known", cluster.Region)
		}
		if len(cluster.Zones) > 0 && c.spec.Zone != "" && !slices.Contains(cluster.Zones, c.spec.Zone) {
			c.fail("zone", job.CodeZoneUnknown, "value", c.spec.Zone, "cluster", cluster.Name, "known", strings.Join(cluster.Zones, ", "))
		}
	}
	c.checkRoles(cluster, c.checkCard(cluster, cards))
}

// served lists the kinds of resources that any of the clusters serves.
func served(clusters []Cluster) string {
	var kinds []string
	for _, k := range []job.ResourceKind{job.Dedicated, job.Shared, job.Spot} {
		if slices.ContainsFunc(clusters, func(c Cluster) bool { return c.serves(k) }) {
			kinds = append(kinds, string(k))
		}
	}
	return strings.Join(kinds, ", ")
}

// checkCard finds the job's card type; the zero value when there is none to find.
func (c *specChecker) checkCard(cluster Cluster, cards bool) CardType {
	if len(cluster.CardTypes) == 0 {
		c.checkUnknownCard(cluster.Name)
		return CardType{}
	}
	card, known := cluster.CardOf(c.spec.CardType)
	names := cardNames(cluster.CardTypes)
	switch {
	case known:
		return card
	case c.spec.CardType != "":
		c.fail("cardType", job.CodeCardTypeUnknown, "value", c.spec.CardType, "cluster", cluster.Name,
			"known", strings.Join(names, ", "), "nearest", strictyaml.Nearest(c.spec.CardType, names))
	case cards:
		c.fail("cardType", job.CodeCardTypeRequired, "cluster", cluster.Name, "known", strings.Join(names, ", "))
	}
	return CardType{}
}

func (c *specChecker) checkUnknownCard(cluster string) {
	if c.spec.CardType != "" && wantsCards(c.spec) {
		c.warn("cardType", job.CodeCardTypeUnverified, "value", c.spec.CardType, "cluster", cluster, "label", c.site.cardLabel())
	}
}

// checkRoles finds what no node of the card type could ever hold, and what only the resolved figures show.
func (c *specChecker) checkRoles(cluster Cluster, card CardType) {
	for i, r := range c.spec.Roles {
		if r.Replicas < 1 {
			continue
		}
		at := entry("roles", i)
		resolved := c.resolved.Roles[i]
		if r.WholeNode {
			switch {
			case card.PerNode == 0 || card.NodeCPU == "" || card.NodeMemory == "":
				c.warn(at+".wholeNode", job.CodeWholeNodeUnknown, "role", r.Name, "cluster", cluster.Name)
			case c.spec.CPUExclusive:
				// What a node has is rounded down for it (Resolve). Not said at cpu, where nothing may be typed.
				if q, ok := job.ParseCPU(resolved.CPU); ok && q.MilliValue() < 1000*int64(max(resolved.GPUs, 1)) {
					c.fail("cpuExclusive", job.CodeCPUFewerThanCards, "value", resolved.CPU, "cards", strconv.Itoa(resolved.GPUs))
				}
			}
			continue
		}
		if card.PerNode > 0 && r.GPUs > card.PerNode {
			c.fail(at+".gpus", job.CodeCardsNeverFit, "value", strconv.Itoa(r.GPUs), "max", strconv.Itoa(card.PerNode), "cardType", card.Name, "cluster", cluster.Name)
			continue // CPU and memory by default follow from the cards
		}
		if c.spec.CPUExclusive && r.CPU == "" {
			c.exclusive(at+".cpu", resolved)
		}
		if r.GPUs > 0 { // a pod without cards may run on another kind of node
			c.fits(at+".cpu", job.CodeCPUNeverFits, resolved.CPU, job.ParseCPU, cluster, card, card.MaxCPU, card.NodeCPU)
			c.fits(at+".memory", job.CodeMemoryNeverFits, resolved.Memory, job.ParseMemory, cluster, card, card.MaxMemory, card.NodeMemory)
		}
	}
}

func (c *specChecker) fits(at, code, value string, parse func(string) (resource.Quantity, bool), cluster Cluster, card CardType, largest, declared string) {
	fill(&largest, declared)
	want, ok := parse(value)
	most, known := parse(largest)
	if ok && known && want.Cmp(most) > 0 {
		c.fail(at, code, "value", value, "max", largest, "cardType", card.Name, "cluster", cluster.Name)
	}
}

// exclusive checks the CPUs that the site gives to a job whose CPUs are its own.
func (c *specChecker) exclusive(at string, r job.Role) {
	q, ok := job.ParseCPU(r.CPU)
	switch {
	case !ok:
	case q.MilliValue()%1000 != 0:
		c.fail(at, job.CodeCPUNotWhole, "value", r.CPU)
	case r.GPUs > 0 && q.Value()%int64(r.GPUs) != 0:
		c.fail(at, job.CodeCPUNotMultiple, "value", r.CPU, "cards", strconv.Itoa(r.GPUs))
	}
}

func (c *specChecker) checkStorage() {
	cluster, _ := c.site.ClusterOf(c.spec)
	region := c.spec.Region
	fill(&region, cluster.Region)
	names := volumeNames(c.site.Volumes)
	for i, m := range c.spec.Storage {
		at := entry("storage", i)
		if v := slices.Index(names, m.Volume); v >= 0 {
			if regions := c.site.Volumes[v].Regions; region != "" && len(regions) > 0 && !slices.Contains(regions, region) {
				c.fail(at+".volume", job.CodeVolumeNotInRegion, "value", m.Volume, "region", region, "known", strings.Join(regions, ", "))
			}
		} else if len(names) > 0 && m.Volume != "" {
			c.fail(at+".volume", job.CodeVolumeUnknown, "value", m.Volume, "known", strings.Join(names, ", "), "nearest", strictyaml.Nearest(m.Volume, names))
		}
		if dir := c.site.Defaults.SSHDir; dir != "" && c.spec.SSHOn() && strings.HasPrefix(path.Clean(m.MountPath)+"/", path.Clean(dir)+"/") {
			c.fail(at+".mountPath", job.CodeMountPathOfSSH, "value", m.MountPath, "dir", dir)
		}
	}
}

func (c *specChecker) checkPriority() {
	if len(c.site.Priorities) == 0 || c.spec.Priority == job.Normal {
		return
	}
	var levels []string
	for _, p := range c.site.Priorities {
		if p.Level == c.spec.Priority {
			return
		}
		levels = append(levels, string(p.Level))
	}
	c.fail("priority", job.CodePriorityUnknown, "value", string(c.spec.Priority), "known", strings.Join(levels, ", "))
}

// checkSharedMemory compares what was typed with the memory that the site gives; typed with typed is Validate's.
func (c *specChecker) checkSharedMemory() {
	shared, ok := job.ParseMemory(c.spec.SharedMemory)
	if !ok {
		return
	}
	for i, r := range c.resolved.Roles {
		memory, ok := job.ParseMemory(r.Memory)
		if ok && r.Replicas > 0 && c.spec.Roles[i].Memory == "" && shared.Cmp(memory) > 0 {
			c.fail("sharedMemory", job.CodeSharedMemoryTooLarge, "value", c.spec.SharedMemory, "role", r.Name, "memory", r.Memory)
			return
		}
	}
}
