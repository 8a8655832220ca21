package site

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"muster.dev/muster/backend/job"
)

// Resolve fills in what the spec leaves to the site: the display name (the name), the cluster, the card type, and the CPU, memory and
// shared memory of every role. A whole node gets the figures of its card type's nodes in gpus, cpu and memory beside
// wholeNode, with cpuExclusive the CPUs that can be shared out to
// the cards evenly; they stay empty when the site does not know them. What the site does not know stays as it is. Idempotent.
//
// The result is for showing and rendering. It is the spec as typed that is checked and kept: [job.Validate]
// refuses figures beside wholeNode.
func Resolve(s Site, spec job.Spec) job.Spec {
	if spec.DisplayName == "" {
		spec.DisplayName = spec.Name
	}
	cluster, known := s.ClusterOf(spec)
	if known && spec.Cluster == "" {
		spec.Cluster = cluster.Name
	}
	card := CardType{}
	if wantsCards(spec) {
		if c, ok := cluster.CardOf(spec.CardType); ok {
			card = c
			spec.CardType = c.Name
		}
	}
	roles := make([]job.Role, len(spec.Roles))
	for i, r := range spec.Roles {
		roles[i] = s.resolveRole(r, card, spec.CPUExclusive)
	}
	if spec.Roles != nil {
		spec.Roles = roles
	}
	if spec.SharedMemory == "" {
		spec.SharedMemory = s.sharedMemory(roles)
	}
	return spec
}

func (s Site) resolveRole(r job.Role, card CardType, exclusive bool) job.Role {
	if r.WholeNode {
		if r.GPUs == 0 {
			r.GPUs = card.PerNode
		}
		if exclusive {
			card.NodeCPU = sharedOut(card.NodeCPU, r.GPUs)
		}
		fill(&r.CPU, card.NodeCPU)
		fill(&r.Memory, card.NodeMemory)
		return r
	}
	if r.GPUs <= 0 {
		fill(&r.CPU, s.Defaults.CPU)
		fill(&r.Memory, s.Defaults.Memory)
		return r
	}
	cpu, memory := card.CPUPerCard, card.MemoryPerCard
	fill(&cpu, s.Defaults.CPUPerCard)
	fill(&memory, s.Defaults.MemoryPerCard)
	if q, ok := job.ParseCPU(cpu); ok {
		fill(&r.CPU, resource.NewMilliQuantity(q.MilliValue()*int64(r.GPUs), resource.DecimalSI).String())
	}
	if q, ok := job.ParseMemory(memory); ok {
		fill(&r.Memory, resource.NewQuantity(q.Value()*int64(r.GPUs), resource.BinarySI).String())
	}
	return r
}

// sharedOut is the most of a node's CPUs that is a whole number for each of its cards, as CPU exclusive needs it: nobody may
// type the CPUs of a whole node. It stays as it is where not even one CPU a card is there, and where it is no quantity.
func sharedOut(cpu string, cards int) string {
	q, ok := job.ParseCPU(cpu)
	each := int64(max(cards, 1))
	if whole := q.MilliValue() / 1000 / each * each; ok && whole > 0 {
		return resource.NewQuantity(whole, resource.DecimalSI).String()
	}
	return cpu
}

// sharedMemory is the site's default, cut to half of the smallest role's memory: what lies in /dev/shm counts as the
// container's memory, and a default must not get a job killed.
func (s Site) sharedMemory(roles []job.Role) string {
	shared, ok := job.ParseMemory(s.Defaults.SharedMemory)
	if !ok {
		return ""
	}
	for _, r := range roles {
		if memory, ok := job.ParseMemory(r.Memory); ok && r.Replicas > 0 && memory.Value()/2 < shared.Value() {
			shared = *resource.NewQuantity(max(memory.Value()/2, 1), resource.BinarySI)
		}
	}
	return shared.String()
}

func fill(field *string, value string) {
	if *field == "" {
		*field = value
	}
}
