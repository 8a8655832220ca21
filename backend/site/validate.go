package site

import (
	"strconv"
	"strings"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/util/validation"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/strictyaml"
)

// fileChecker gathers what is wrong with a site file.
type fileChecker struct{ errors []job.Problem }

func (c *fileChecker) fail(path, code string, args ...string) {
	c.errors = append(c.errors, problem(path, code, args...))
}

func problem(path, code string, args ...string) job.Problem {
	p := job.Problem{Path: path, Code: code}
	for i := 0; i+1 < len(args); i += 2 {
		if p.Args == nil {
			p.Args = map[string]string{}
		}
		p.Args[args[i]] = args[i+1]
	}
	return p
}

func entry(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// Validate checks a site by itself: names, quantities, and that what it refers to is there.
func Validate(s Site) job.Report {
	c := &fileChecker{}
	if s.APIVersion != APIVersion {
		c.fail("apiVersion", job.CodeBadAPIVersion, "want", APIVersion, "got", s.APIVersion)
	}
	if s.Kind != Kind {
		c.fail("kind", job.CodeBadKind, "want", Kind, "got", s.Kind)
	}
	names := map[string]string{}
	for i := range s.Clusters {
		path := entry("clusters", i)
		c.name(path+".name", s.Clusters[i].Name, names)
		c.cluster(path, &s.Clusters[i])
	}
	if _, ok := names[s.DefaultCluster]; s.DefaultCluster != "" && len(s.Clusters) > 0 && !ok {
		c.unknown("defaultCluster", s.DefaultCluster, clusterNames(s.Clusters))
	}
	d := s.Defaults
	c.cpu("defaults.cpuPerCard", d.CPUPerCard)
	c.cpu("defaults.cpu", d.CPU)
	c.memory("defaults.memoryPerCard", d.MemoryPerCard)
	c.memory("defaults.memory", d.Memory)
	c.memory("defaults.sharedMemory", d.SharedMemory)
	if d.SSHDir != "" && !strings.HasPrefix(d.SSHDir, "/") {
		c.fail("defaults.sshDir", job.CodePathNotAbsolute, "value", d.SSHDir)
	}
	c.labelKey("defaults.workspaceLabel", d.WorkspaceLabel)
	c.labelKey("discovery.clusterLabel", s.Discovery.ClusterLabel)
	c.labelKey("discovery.cardLabel", s.Discovery.CardLabel)
	for i, r := range s.Discovery.CardResources {
		c.labelKey(entry("discovery.cardResources", i), r)
	}
	c.priorities(s.Priorities)
	c.volumes(s.Volumes)
	for i, image := range s.Images {
		path := entry("images", i)
		if image.Name == "" {
			c.fail(path+".name", job.CodeRequired)
		} else if _, err := reference.ParseNormalizedNamed(image.Name); err != nil {
			c.fail(path+".name", job.CodeBadImage, "value", image.Name)
		}
		if image.Source != "" && image.Source != "official" && image.Source != "dev" {
			c.unknown(path+".source", image.Source, []string{"official", "dev"})
		}
	}
	return job.Report{Errors: c.errors}
}

func (c *fileChecker) cluster(path string, cluster *Cluster) {
	for i, r := range cluster.Resources {
		switch r {
		case job.Dedicated, job.Shared, job.Spot:
		default:
			c.unknown(entry(path+".resources", i), string(r), []string{string(job.Dedicated), string(job.Shared), string(job.Spot)})
		}
	}
	for i, w := range cluster.Workspaces {
		if len(validation.IsDNS1123Label(w)) > 0 {
			c.fail(entry(path+".workspaces", i), job.CodeBadWorkspace, "value", w)
		}
	}
	c.labelValue(path+".region", cluster.Region)
	for i, z := range cluster.Zones {
		c.labelValue(entry(path+".zones", i), z)
	}
	c.selector(path+".nodeSelector", cluster.NodeSelector)
	c.labelKey(path+".rdma.resource", cluster.RDMA.Resource)
	c.atLeast(path+".rdma.perCard", cluster.RDMA.PerCard, 0)
	c.atLeast(path+".rdma.perNode", cluster.RDMA.PerNode, 0)
	if r := cluster.RDMA; r.Resource != "" && r.PerCard == 0 && r.PerNode == 0 {
		c.fail(path+".rdma.perCard", job.CodeTooSmall, "value", "0", "min", "1")
	}
	names := map[string]string{}
	for i, card := range cluster.CardTypes {
		at := entry(path+".cardTypes", i)
		c.name(at+".name", card.Name, names)
		c.labelValue(at+".product", card.Product)
		c.labelKey(at+".resource", card.Resource)
		c.atLeast(at+".perNode", card.PerNode, 0)
		c.cpu(at+".cpuPerCard", card.CPUPerCard)
		c.cpu(at+".nodeCPU", card.NodeCPU)
		c.memory(at+".memoryPerCard", card.MemoryPerCard)
		c.memory(at+".nodeMemory", card.NodeMemory)
		c.selector(at+".nodeSelector", card.NodeSelector)
	}
	if _, ok := names[cluster.DefaultCard]; cluster.DefaultCard != "" && len(cluster.CardTypes) > 0 && !ok {
		c.unknown(path+".defaultCard", cluster.DefaultCard, cardNames(cluster.CardTypes))
	}
}

func (c *fileChecker) priorities(priorities []Priority) {
	levels := []string{string(job.Normal), string(job.High), string(job.Highest)}
	seen := map[string]string{}
	for i, p := range priorities {
		path := entry("priorities", i) + ".level"
		switch first, twice := seen[string(p.Level)]; {
		case p.Level != job.Normal && p.Level != job.High && p.Level != job.Highest:
			c.unknown(path, string(p.Level), levels)
		case twice:
			c.fail(path, job.CodeDuplicate, "value", string(p.Level), "first", first)
		default:
			seen[string(p.Level)] = path
		}
		if p.Right != nil {
			for field, value := range map[string]string{"verb": p.Right.Verb, "resource": p.Right.Resource} {
				if value == "" {
					c.fail(entry("priorities", i)+".right."+field, job.CodeRequired)
				}
			}
		}
	}
}

func (c *fileChecker) volumes(volumes []Volume) {
	seen := map[string]string{}
	for i, v := range volumes {
		path := entry("volumes", i)
		if first, twice := seen[v.Name]; twice {
			c.fail(path+".name", job.CodeDuplicate, "value", v.Name, "first", first)
		}
		seen[v.Name] = path + ".name"
		if v.Name == "" {
			c.fail(path+".name", job.CodeRequired)
		} else if len(validation.IsDNS1123Subdomain(v.Name)) > 0 {
			c.fail(path+".name", job.CodeBadObjectName, "value", v.Name)
		}
		if v.Claim != "" && len(validation.IsDNS1123Subdomain(v.Claim)) > 0 {
			c.fail(path+".claim", job.CodeBadObjectName, "value", v.Claim)
		}
	}
}

// name checks what a spec refers to: it is a label's value, and there is one of it.
func (c *fileChecker) name(path, name string, seen map[string]string) {
	if name == "" {
		c.fail(path, job.CodeRequired)
		return
	}
	c.labelValue(path, name)
	if first, twice := seen[name]; twice {
		c.fail(path, job.CodeDuplicate, "value", name, "first", first)
		return
	}
	seen[name] = path
}

func (c *fileChecker) unknown(path, value string, known []string) {
	c.fail(path, job.CodeUnknownValue, "value", value, "known", strings.Join(known, ", "), "nearest", strictyaml.Nearest(value, known))
}

func (c *fileChecker) labelValue(path, value string) {
	if len(validation.IsValidLabelValue(value)) > 0 {
		c.fail(path, job.CodeBadLabelValue, "value", value)
	}
}

// labelKey checks a label's key or a resource's name, which have the same form.
func (c *fileChecker) labelKey(path, key string) {
	if key != "" && len(validation.IsQualifiedName(key)) > 0 {
		c.fail(path, job.CodeBadObjectName, "value", key)
	}
}

func (c *fileChecker) selector(path string, selector map[string]string) {
	for key, value := range selector {
		c.labelKey(path+"."+key, key)
		c.labelValue(path+"."+key, value)
	}
}

func (c *fileChecker) atLeast(path string, value, low int) {
	if value < low {
		c.fail(path, job.CodeTooSmall, "value", strconv.Itoa(value), "min", strconv.Itoa(low))
	}
}

func (c *fileChecker) cpu(path, value string) {
	if _, ok := job.ParseCPU(value); value != "" && !ok {
		c.fail(path, job.CodeBadCPU, "value", value)
	}
}

func (c *fileChecker) memory(path, value string) {
	if _, ok := job.ParseMemory(value); value != "" && !ok {
		c.fail(path, job.CodeBadMemory, "value", value)
	}
}
