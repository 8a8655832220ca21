package podtemplate

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
)

// placement is where a job's pods go and what a card is called there.
type placement struct {
	selector    map[string]string // of every pod
	cards       map[string]string // in addition, of pods with cards: the others may run beside any card
	tolerations []corev1.Toleration
	card        corev1.ResourceName
	rdma        site.RDMA
	env         map[string]string // the site's, a user's own value wins
	warnings    []job.Problem
}

// place looks the job's cluster and card type up in the site. A cluster or card type that the site does not
// declare is one that discovery would find by the nodes' labels; rendering needs no cluster, so it is
// addressed by these labels, and a warning says that nothing more is known of it (no RDMA, no tolerations).
func place(s site.Site, spec job.Spec) placement {
	p := placement{selector: map[string]string{}, cards: map[string]string{}, card: "nvidia.com/gpu"}
	cluster, found := clusterNamed(s, spec.Cluster)
	switch {
	case found:
		maps.Copy(p.selector, cluster.NodeSelector)
		p.tolerations = cluster.Tolerations
		p.rdma = cluster.RDMA
		p.env = cluster.Env
	case spec.Cluster != "":
		p.selector[or(s.Discovery.ClusterLabel, "muster.dev/training-cluster")] = spec.Cluster
		p.warnings = append(p.warnings, job.Problem{Path: "cluster", Code: ClusterUnverified, Args: map[string]string{"cluster": spec.Cluster}})
	}
	if spec.CardType == "" || !wantsCards(spec) {
		return p
	}
	card, found := cardNamed(cluster, spec.CardType)
	if !found {
		p.cards[or(s.Discovery.CardLabel, "nvidia.com/gpu.product")] = spec.CardType
		p.warnings = append(p.warnings, job.Problem{Path: "cardType", Code: CardUnverified, Args: map[string]string{"cardType": spec.CardType, "cluster": spec.Cluster}})
		return p
	}
	if card.Resource != "" {
		p.card = corev1.ResourceName(card.Resource)
	}
	maps.Copy(p.cards, card.NodeSelector)
	if card.Product != "" && len(card.NodeSelector) == 0 {
		p.cards[or(s.Discovery.CardLabel, "nvidia.com/gpu.product")] = card.Product
	}
	return p
}

// devices is the number of RDMA devices of a pod with so many cards.
func (p placement) devices(cards int) int {
	switch {
	case p.rdma.Resource == "" || cards == 0:
		return 0
	case p.rdma.PerCard > 0:
		return p.rdma.PerCard * cards
	}
	return p.rdma.PerNode
}

func clusterNamed(s site.Site, name string) (site.Cluster, bool) {
	for _, c := range s.Clusters {
		if c.Name == name {
			return c, true
		}
	}
	return site.Cluster{}, false
}

func cardNamed(c site.Cluster, name string) (site.CardType, bool) {
	for _, card := range c.CardTypes {
		if card.Name == name {
			return card, true
		}
	}
	return site.CardType{}, false
}

func wantsCards(spec job.Spec) bool {
	for _, r := range spec.Roles {
		if r.Replicas > 0 && (r.GPUs > 0 || r.WholeNode) {
			return true
		}
	}
	return false
}

func or(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}
