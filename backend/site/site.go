// Package site is what an administrator says once about a place: its training clusters and their cards, volumes,
// images, priorities and defaults. It comes from a file (--site), from the ConfigMap muster-site in the namespace
// muster-system, or is the embedded default, which finds clusters, cards and RDMA from the nodes' labels and
// allocatable resources. Pure: objects come in as arguments.
package site

import (
	corev1 "k8s.io/api/core/v1"

	"muster.dev/muster/backend/job"
)

// Where the cluster's own site file stands.
const (
	ConfigMapNamespace = "muster-system"
	ConfigMapName      = "muster-site"
	ConfigMapKey       = "site.yaml"
)

// Site is one site file.
type Site struct {
	APIVersion     string     `json:"apiVersion"`
	Kind           string     `json:"kind"` // Site
	DefaultCluster string     `json:"defaultCluster,omitempty"`
	Clusters       []Cluster  `json:"clusters,omitempty"` // what is declared; discovery adds what it finds
	Discovery      Discovery  `json:"discovery,omitzero"`
	Defaults       Defaults   `json:"defaults,omitzero"`
	Priorities     []Priority `json:"priorities,omitempty"`
	Volumes        []Volume   `json:"volumes,omitempty"`
	Images         []Image    `json:"images,omitempty"`
}

// Cluster is one training cluster: RDMA GPU nodes that a job may be put on.
type Cluster struct {
	Name         string              `json:"name"`
	DisplayName  string              `json:"displayName,omitempty"`
	Context      string              `json:"context,omitempty"`    // kubeconfig context; "" = the current one
	Workspaces   []string            `json:"workspaces,omitempty"` // namespaces that may use it; empty = all
	Resources    []job.ResourceKind  `json:"resources,omitempty"`  // empty = Dedicated
	Region       string              `json:"region,omitempty"`
	Zones        []string            `json:"zones,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	RDMA         RDMA                `json:"rdma,omitzero"`
	Env          map[string]string   `json:"env,omitempty"` // added to every container, a user's own value wins
	CardTypes    []CardType          `json:"cardTypes,omitempty"`
	DefaultCard  string              `json:"defaultCard,omitempty"`
	Discovered   bool                `json:"-"` // found from node labels, not declared
}

// RDMA says which devices a container gets. Resource "" means that the cluster has no RDMA.
type RDMA struct {
	Resource string `json:"resource,omitempty"` // e.g. rdma/hca
	PerCard  int    `json:"perCard,omitempty"`  // devices per card asked for
	PerNode  int    `json:"perNode,omitempty"`  // devices per pod that has cards; used when PerCard is 0
	// Shared: PerNode is what a node has for all its cards (discovered): a pod gets the share of its cards, rounded up.
	Shared bool `json:"-"`
}

// CardType is one GPU model of a cluster.
type CardType struct {
	Name          string            `json:"name"`               // as users say it, e.g. H100-80G
	Product       string            `json:"product,omitempty"`  // value of Discovery.CardLabel
	Resource      string            `json:"resource,omitempty"` // default nvidia.com/gpu
	PerNode       int               `json:"perNode,omitempty"`  // cards in a node; 0 = unknown
	CPUPerCard    string            `json:"cpuPerCard,omitempty"`
	MemoryPerCard string            `json:"memoryPerCard,omitempty"`
	NodeCPU       string            `json:"nodeCPU,omitempty"`    // allocatable of one node, for wholeNode
	NodeMemory    string            `json:"nodeMemory,omitempty"` // allocatable of one node, for wholeNode
	NodeSelector  map[string]string `json:"nodeSelector,omitempty"`

	// The largest allocatable of any node, discovered: more could never fit. NodeCPU and NodeMemory are what fits on each.
	MaxCPU    string `json:"-"`
	MaxMemory string `json:"-"`
}

// Discovery says by which labels and resources clusters are found.
type Discovery struct {
	ClusterLabel  string   `json:"clusterLabel,omitempty"`  // default muster.dev/training-cluster
	CardLabel     string   `json:"cardLabel,omitempty"`     // default nvidia.com/gpu.product
	CardResources []string `json:"cardResources,omitempty"` // default nvidia.com/gpu and the like
	RDMAPrefixes  []string `json:"rdmaPrefixes,omitempty"`  // default rdma/
}

// Defaults are what a job gets without asking.
type Defaults struct {
	CPUPerCard     string `json:"cpuPerCard,omitempty"`
	MemoryPerCard  string `json:"memoryPerCard,omitempty"`
	CPU            string `json:"cpu,omitempty"`    // of a pod without cards
	Memory         string `json:"memory,omitempty"` // of a pod without cards
	SharedMemory   string `json:"sharedMemory,omitempty"`
	SSHDir         string `json:"sshDir,omitempty"`
	WorkspaceLabel string `json:"workspaceLabel,omitempty"` // namespaces with it are workspaces
}

// Priority maps a level to the classes of the cluster and to the right that it needs.
type Priority struct {
	Level                 job.Priority `json:"level"`
	PriorityClass         string       `json:"priorityClass,omitempty"`
	WorkloadPriorityClass string       `json:"workloadPriorityClass,omitempty"`
	Right                 *Right       `json:"right,omitempty"`
}

// Right is what a SelfSubjectAccessReview asks for.
type Right struct {
	Verb     string `json:"verb"`
	Group    string `json:"group,omitempty"`
	Resource string `json:"resource"`
	Name     string `json:"name,omitempty"`
}

// Volume is a NAS volume as users know it; each workspace has a claim of that name (or of Claim).
type Volume struct {
	Name        string   `json:"name"`
	Claim       string   `json:"claim,omitempty"`
	DisplayName string   `json:"displayName,omitempty"`
	Regions     []string `json:"regions,omitempty"` // empty = everywhere
}

// Image is one image of the site's official or dev-machine list.
type Image struct {
	Name      string `json:"name"`
	Source    string `json:"source,omitempty"` // official (default) | dev
	Framework string `json:"framework,omitempty"`
	CUDA      string `json:"cuda,omitempty"`
	Python    string `json:"python,omitempty"`
	OS        string `json:"os,omitempty"`
}
