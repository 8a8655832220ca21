package site

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"muster.dev/muster/backend/job"
)

// Labels of Kubernetes by which a region and a zone are asked for.
const (
	regionLabel = corev1.LabelTopologyRegion
	zoneLabel   = corev1.LabelTopologyZone
)

// defaultCardResource is what a card is called where neither the site nor the nodes say.
const defaultCardResource = "nvidia.com/gpu"

// Placement is where the pods of a job go and what they ask a node for.
type Placement struct {
	NodeSelector map[string]string // of every pod: the cluster, and the region and zone of Shared and Spot
	CardSelector map[string]string // in addition, of pods with cards: the card type
	Tolerations  []corev1.Toleration
	CardResource string // e.g. nvidia.com/gpu
	RDMAResource string // e.g. rdma/hca; "" = none is asked for
	// RDMA tells whether pods get the NCCL_ defaults: training clusters have RDMA by definition, so also where nothing is
	// known of the cluster; not where the site knows the cluster and no RDMA device on it.
	RDMA bool
	Env  map[string]string // the site's; a user's own value wins

	rdma    RDMA
	perNode int // cards of a node
}

// RDMAPerPod is the number of RDMA devices of a pod with so many cards.
func (p Placement) RDMAPerPod(cards int) int {
	switch {
	case p.RDMAResource == "" || cards <= 0:
		return 0
	case p.rdma.PerCard > 0:
		return p.rdma.PerCard * cards
	case p.rdma.Shared && p.perNode > 0:
		return max(1, min(p.rdma.PerNode, (p.rdma.PerNode*cards+p.perNode-1)/p.perNode))
	}
	return p.rdma.PerNode
}

// Placement looks a spec's cluster and card type up. A cluster or a card type that the site does not know is asked for by the label
// that discovery reads: nothing is dropped, and [Check] warns of it.
func (s Site) Placement(spec job.Spec) Placement {
	p := Placement{NodeSelector: map[string]string{}, CardSelector: map[string]string{}, Env: map[string]string{}, CardResource: defaultCardResource, RDMA: true}
	cluster, known := s.ClusterOf(spec)
	switch {
	case known:
		maps.Copy(p.NodeSelector, cluster.NodeSelector)
		if len(cluster.NodeSelector) == 0 && !cluster.Discovered {
			p.NodeSelector[s.clusterLabel()] = cluster.Name
		}
		p.Tolerations = append(p.Tolerations, cluster.Tolerations...)
		maps.Copy(p.Env, cluster.Env)
		p.rdma, p.RDMAResource = cluster.RDMA, cluster.RDMA.Resource
		p.RDMA = cluster.RDMA.Resource != ""
	case spec.Cluster != "":
		p.NodeSelector[s.clusterLabel()] = spec.Cluster
	}
	if spec.Resource != job.Dedicated {
		for label, value := range map[string]string{regionLabel: spec.Region, zoneLabel: spec.Zone} {
			if value != "" {
				p.NodeSelector[label] = value
			}
		}
	}
	card, known := cluster.CardOf(spec.CardType)
	switch {
	case !known && spec.CardType != "":
		p.CardSelector[s.cardLabel()] = spec.CardType
	case known:
		p.perNode = card.PerNode
		fill(&card.Resource, defaultCardResource)
		p.CardResource = card.Resource
		maps.Copy(p.CardSelector, card.NodeSelector)
		if card.Product != "" && len(card.NodeSelector) == 0 {
			p.CardSelector[s.cardLabel()] = card.Product
		}
	}
	return p
}

func (s Site) clusterLabel() string {
	label := s.Discovery.ClusterLabel
	fill(&label, "muster.dev/training-cluster")
	return label
}

func (s Site) cardLabel() string {
	label := s.Discovery.CardLabel
	fill(&label, "nvidia.com/gpu.product")
	return label
}
