package site

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// headroom is the part of a node's CPU and memory, one in so many, that is not promised to a job by default: the node's
// own pods (device plugins, network, monitoring) ask for some of it, and a job that asked for all would never start.
const headroom = 32

// shape is what one node with cards has.
type shape struct {
	cluster      string // "" when the label lacks
	product      string // "" when the label lacks
	cardResource string
	cards        int64
	cpu          int64 // thousandths
	memory       int64 // bytes
	rdmaResource string
	rdma         int64
	labels       map[string]string
}

// Discover adds to the site what the nodes show: training clusters by the cluster label (a node without it is of the
// cluster named like its card type), card types by product and resource, the size of nodes, RDMA devices.
// What the site declares stays; of a declared cluster only what it leaves open is filled in. Nodes without cards are not
// looked at. The result does not depend on the nodes' order.
func Discover(s Site, nodes []corev1.Node) Site {
	s.Clusters = slices.Clone(s.Clusters)
	byCluster := map[string][]shape{}
	for i := range nodes {
		n, ok := s.shapeOf(&nodes[i])
		if !ok {
			continue
		}
		name := s.clusterOfNode(n)
		byCluster[name] = append(byCluster[name], n)
	}
	for _, name := range slices.Sorted(maps.Keys(byCluster)) {
		shapes := byCluster[name]
		i := slices.IndexFunc(s.Clusters, func(c Cluster) bool { return c.Name == name })
		if i < 0 {
			s.Clusters = append(s.Clusters, Cluster{Name: name, Discovered: true, NodeSelector: s.selectorOf(shapes)})
			i = len(s.Clusters) - 1
		}
		s.Clusters[i] = s.complete(s.Clusters[i], shapes)
	}
	return s
}

// selectorOf is the label that all nodes of a found cluster share; nil when they share none, and then only the card type's
// own selector says where a job goes.
func (s Site) selectorOf(shapes []shape) map[string]string {
	for _, label := range []string{s.clusterLabel(), s.cardLabel()} {
		value := shapes[0].labels[label]
		if value != "" && !slices.ContainsFunc(shapes, func(n shape) bool { return n.labels[label] != value }) {
			return map[string]string{label: value}
		}
	}
	return nil
}

func (s Site) shapeOf(n *corev1.Node) (shape, bool) {
	quantity := func(name string) int64 {
		q := n.Status.Allocatable[corev1.ResourceName(name)]
		return q.Value()
	}
	out := shape{cluster: n.Labels[s.clusterLabel()], product: n.Labels[s.cardLabel()], labels: n.Labels}
	for _, name := range s.Discovery.CardResources {
		if cards := quantity(name); cards > 0 {
			out.cardResource, out.cards = name, cards
			break
		}
	}
	if out.cards == 0 {
		return shape{}, false
	}
	cpu := n.Status.Allocatable[corev1.ResourceCPU]
	out.cpu, out.memory = cpu.MilliValue(), quantity(string(corev1.ResourceMemory))
	var names []string
	for name := range n.Status.Allocatable {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for _, prefix := range s.Discovery.RDMAPrefixes {
		for _, name := range names {
			if strings.HasPrefix(name, prefix) && quantity(name) > 0 {
				out.rdmaResource, out.rdma = name, quantity(name)
				return out, true
			}
		}
	}
	return out, true
}

// clusterOfNode is the name of the cluster that a node belongs to: the first declared one whose selector matches, else what the
// label says, else the card's name.
func (s Site) clusterOfNode(n shape) string {
	for _, c := range s.Clusters {
		if c.Discovered || len(c.NodeSelector) == 0 {
			continue
		}
		matches := true
		for k, v := range c.NodeSelector {
			matches = matches && n.labels[k] == v
		}
		if matches {
			return c.Name
		}
	}
	switch {
	case n.cluster != "":
		return n.cluster
	case n.product != "":
		return ShortCardName(n.product)
	}
	return resourceBase(n.cardResource)
}

// resourceBase is "gpu" of nvidia.com/gpu.
func resourceBase(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// complete fills in what a cluster leaves open from its nodes.
func (s Site) complete(c Cluster, shapes []shape) Cluster {
	c.CardTypes = slices.Clone(c.CardTypes)
	type kind struct{ product, resource string }
	kinds := map[kind][]shape{}
	for _, n := range shapes {
		k := kind{n.product, n.cardResource}
		kinds[k] = append(kinds[k], n)
	}
	order := slices.SortedFunc(maps.Keys(kinds), func(a, b kind) int {
		return strings.Compare(a.product+"\x00"+a.resource, b.product+"\x00"+b.resource)
	})
	short := map[string]int{}
	for _, k := range order {
		short[ShortCardName(k.product)]++
	}
	declared := len(c.CardTypes)
	for _, k := range order {
		i := slices.IndexFunc(c.CardTypes, func(t CardType) bool {
			if t.Resource != "" && t.Resource != k.resource {
				return false
			}
			return t.Product == k.product || t.Product == "" && t.Name == ShortCardName(k.product)
		})
		if i < 0 {
			if declared > 0 {
				continue // the administrator's list is the whole list
			}
			name := ShortCardName(k.product)
			if k.product == "" {
				name = resourceBase(k.resource)
			} else if short[name] > 1 {
				name = k.product
			}
			c.CardTypes = append(c.CardTypes, CardType{Name: name, Product: k.product, Resource: k.resource})
			i = len(c.CardTypes) - 1
		}
		c.CardTypes[i] = measure(c.CardTypes[i], kinds[k])
	}
	if c.RDMA.Resource == "" {
		c.RDMA = rdmaOf(shapes)
	}
	return c
}

// measure fills in the size of a card type's nodes.
func measure(t CardType, shapes []shape) CardType {
	var most, cpu, memory, maxCPU, maxMemory int64
	for _, n := range shapes {
		most = max(most, n.cards)
		maxCPU, maxMemory = max(maxCPU, n.cpu), max(maxMemory, n.memory)
	}
	for _, n := range shapes { // what fits on each node that has all its cards
		if n.cards == most {
			if cpu == 0 || n.cpu < cpu {
				cpu = n.cpu
			}
			if memory == 0 || n.memory < memory {
				memory = n.memory
			}
		}
	}
	fill(&t.Resource, shapes[0].cardResource)
	if t.PerNode == 0 {
		t.PerNode = int(most)
	}
	fill(&t.MaxCPU, resource.NewMilliQuantity(maxCPU, resource.DecimalSI).String())
	fill(&t.MaxMemory, resource.NewQuantity(maxMemory, resource.BinarySI).String())

	cpuPerCard := roundDown((cpu-cpu/headroom)/most, 1000, 100, 1)
	memoryPerCard := roundDown((memory-memory/headroom)/most, 1<<30, 1<<20, 1)
	if cpuPerCard > 0 {
		fill(&t.CPUPerCard, resource.NewMilliQuantity(cpuPerCard, resource.DecimalSI).String())
		fill(&t.NodeCPU, resource.NewMilliQuantity(cpuPerCard*most, resource.DecimalSI).String())
	}
	if memoryPerCard > 0 {
		fill(&t.MemoryPerCard, resource.NewQuantity(memoryPerCard, resource.BinarySI).String())
		fill(&t.NodeMemory, resource.NewQuantity(memoryPerCard*most, resource.BinarySI).String())
	}
	return t
}

// roundDown cuts a value to a multiple of the first unit that is not larger than it.
func roundDown(value int64, units ...int64) int64 {
	for _, unit := range units {
		if value >= unit {
			return value / unit * unit
		}
	}
	return 0
}

// rdmaOf finds the RDMA devices of a cluster. As many as cards or a multiple: so many a card. Fewer, or a number that
// does not divide: a node's, of which a pod gets its share. Very many: one device behind a counter
// (the shared device plugin), of which a pod needs one.
func rdmaOf(shapes []shape) RDMA {
	found := slices.DeleteFunc(slices.Clone(shapes), func(n shape) bool { return n.rdma == 0 })
	if len(found) == 0 {
		return RDMA{}
	}
	slices.SortFunc(found, func(a, b shape) int {
		if c := strings.Compare(a.rdmaResource, b.rdmaResource); c != 0 {
			return c
		}
		// The node with the fewest devices a card decides: more could not be had there.
		return cmp.Compare(a.rdma*b.cards, b.rdma*a.cards)
	})
	n := found[0]
	const counter = 8 // no machine has more devices a card
	switch {
	case n.rdma > counter*n.cards:
		return RDMA{Resource: n.rdmaResource, PerNode: 1}
	case n.rdma%n.cards == 0:
		return RDMA{Resource: n.rdmaResource, PerCard: int(n.rdma / n.cards)}
	}
	return RDMA{Resource: n.rdmaResource, PerNode: int(n.rdma), Shared: true}
}
