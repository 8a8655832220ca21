package podtemplate

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/site"
)

// MasterPort is where PyTorch's rank 0 listens.
const MasterPort = "23456"

// Value is what a variable is: known when rendering, or read from a field of the pod.
type Value struct {
	Static string
	Field  string // a downward API field path; "" = Static
}

// Peers is what a pod is told of itself and the others.
type Peers struct {
	Nodes      int    // pods of all roles
	MasterAddr string // DNS name of rank 0
	Rank       Value  // over all roles
	RoleIndex  Value  // within the role
}

// RDMA defaults of DESIGN.md section 5; the site and the user may set others.
var ncclDefaults = [...]struct{ name, value string }{
	{"NCCL_IB_TIMEOUT", "22"},
	{"NCCL_IB_RETRY_CNT", "13"},
	{"NCCL_IB_AR_THRESHOLD", "0"},
}

// environment gives the container's variables sorted by name, each once. From weakest to strongest: defaults for
// RDMA, the site's, the user's, muster's own (which a valid spec does not set). Every value is literal, so none
// refers to another and the order carries no meaning: it only has to be the same each time.
func environment(in engine.Input, place site.Placement, role engine.Role, peers Peers) []corev1.EnvVar {
	vars := make(map[string]corev1.EnvVar, 24+len(in.Spec.Env)+len(place.Env))
	literal := func(name, value string) { vars[name] = corev1.EnvVar{Name: name, Value: Literal(value)} }

	if place.RDMA {
		for _, d := range ncclDefaults {
			literal(d.name, d.value)
		}
	}
	for name, value := range place.Env {
		literal(name, value)
	}
	for name, value := range in.Spec.Env {
		literal(name, value)
	}
	for _, name := range in.Spec.SecretEnv {
		// Not optional: a job must not run without a value that was given to it.
		vars[name] = corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: engine.SecretName(in.Spec.Name)},
			Key:                  name,
			Optional:             new(bool),
		}}}
	}

	gpus := strconv.Itoa(role.GPUs)
	literal("MUSTER_JOB_NAME", in.Spec.Name)
	literal("ECP_JOB_NAME", in.Spec.Name)
	literal("MUSTER_ROLE", role.Name)
	literal("MUSTER_GPUS_PER_NODE", gpus)
	vars["MUSTER_ROLE_INDEX"] = peers.RoleIndex.env("MUSTER_ROLE_INDEX")

	if in.Spec.Framework == job.PyTorch {
		nodes := strconv.Itoa(peers.Nodes)
		literal("MASTER_ADDR", peers.MasterAddr)
		literal("MASTER_PORT", MasterPort)
		literal("WORLD_SIZE", nodes)
		vars["RANK"] = peers.Rank.env("RANK")
		// The same for a bare torchrun, which reads its flags from PET_*.
		literal("PET_MASTER_ADDR", peers.MasterAddr)
		literal("PET_MASTER_PORT", MasterPort)
		literal("PET_NNODES", nodes)
		literal("PET_NPROC_PER_NODE", strconv.Itoa(max(role.GPUs, 1))) // one process on a node without cards
		vars["PET_NODE_RANK"] = peers.Rank.env("PET_NODE_RANK")
	}

	env := make([]corev1.EnvVar, 0, len(vars))
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, vars[name])
	}
	return env
}

func (v Value) env(name string) corev1.EnvVar {
	if v.Field == "" {
		return corev1.EnvVar{Name: name, Value: Literal(v.Static)}
	}
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: v.Field},
	}}
}

// Peer gives the template of one pod of the role that template is for: a copy with the identity of that pod. What pods of a role
// have in common (volumes, mounts, resources, selectors) is shared with the template and must not be changed in the copy.
func (b *Builder) Peer(template *corev1.PodTemplateSpec, rank, roleIndex int) corev1.PodTemplateSpec {
	peer := *template
	peer.Labels = maps.Clone(template.Labels)
	peer.Spec.Containers = slices.Clone(template.Spec.Containers)
	env := slices.Clone(template.Spec.Containers[0].Env)
	for i := range env {
		switch env[i].Name {
		case "RANK", "PET_NODE_RANK":
			if b.in.Spec.Framework == job.PyTorch { // in Custom these names are the user's
				env[i].Value = strconv.Itoa(rank)
			}
		case "MUSTER_ROLE_INDEX":
			env[i].Value = strconv.Itoa(roleIndex)
		}
	}
	peer.Spec.Containers[0].Env = env
	return peer
}
