// Package seed is the research site that a fresh cluster is: its nodes, workspaces, queues, volumes, priorities and users.
package seed

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"muster.dev/muster/cmd/localcluster/node"
)

// machine is a kind of node.
type machine struct {
	name    string // nodes are NAME-0, NAME-1, …
	count   int
	cluster string // training cluster
	zone    string
	product string // GPU model
	gpus    int
	rdma    int
	cpu     string
	memory  string
	images  []image
}

type image struct {
	name string
	size int64 // MB
}

// machines of the site. Not every image is on every node, so that there is a share to show.
func machines() []machine {
	var (
		pytorch    = image{"registry.local/ai/pytorch:25.06-py3", 21_400}
		pytorchOld = image{"registry.local/ai/pytorch:24.10-py3", 19_800}
		tensorflow = image{"registry.local/ai/tensorflow:25.02-tf2-py3", 16_900}
		mpi        = image{"registry.local/ai/openmpi:5.0-cuda12.9", 8_300}
		jax        = image{"registry.local/ai/jax:25.04-py3", 12_100}
		notebook   = image{"registry.local/dev/alice/notebook:20261120", 23_700}
		busybox    = image{"registry.local/library/busybox:1.37", 4}
	)
	return []machine{
		{name: "h100", count: 4, cluster: "h100-ib", zone: "east-1a", product: "NVIDIA-H100-80GB-HBM3", gpus: 8, rdma: 8, cpu: "128", memory: "2Ti",
			images: []image{pytorch, busybox, mpi, notebook, pytorchOld}},
		{name: "a100", count: 3, cluster: "a100-roce", zone: "east-1b", product: "NVIDIA-A100-SXM4-80GB", gpus: 8, rdma: 4, cpu: "96", memory: "1Ti",
			images: []image{pytorchOld, busybox, tensorflow, jax}},
		{name: "cpu", count: 1, zone: "east-1a", cpu: "64", memory: "256Gi", images: []image{busybox}},
	}
}

// Nodes are the nodes of the site.
func Nodes() []node.Spec {
	var specs []node.Spec
	for _, m := range machines() {
		for i := range m.count {
			specs = append(specs, m.node(i))
		}
	}
	return specs
}

func (m machine) node(i int) node.Spec {
	name := fmt.Sprintf("%s-%d", m.name, i)
	s := node.Spec{
		Name: name,
		Labels: map[string]string{
			corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64", corev1.LabelHostname: name,
			corev1.LabelTopologyRegion: "east-1", corev1.LabelTopologyZone: m.zone, corev1.LabelInstanceTypeStable: m.name,
		},
		Capacity: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse(m.cpu), corev1.ResourceMemory: resource.MustParse(m.memory),
			corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		},
	}
	if m.gpus > 0 {
		s.Labels["muster.dev/training-cluster"] = m.cluster
		s.Labels["nvidia.com/gpu.product"] = m.product
		s.Labels["nvidia.com/gpu.count"] = strconv.Itoa(m.gpus)
		s.Capacity["nvidia.com/gpu"] = *resource.NewQuantity(int64(m.gpus), resource.DecimalSI)
		s.Capacity["rdma/hca"] = *resource.NewQuantity(int64(m.rdma), resource.DecimalSI)
	}
	// The first two images are everywhere, of the others each node lacks one.
	for j, img := range m.images {
		if j >= 2 && j-2 == i {
			continue
		}
		s.Images = append(s.Images, corev1.ContainerImage{Names: []string{img.name}, SizeBytes: img.size << 20})
	}
	return s
}
