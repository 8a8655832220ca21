// Package engine holds what every workload engine's renderer takes and gives, and the labels that muster puts on
// all it makes. Package render re-exports it: users import render, engines import this.
package engine

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
)

// The engines' names, in the order in which auto prefers them.
const (
	JobSet   = "jobset"
	Volcano  = "volcano"
	Trainer  = "trainer"
	Kubeflow = "kubeflow"
	BatchJob = "job"
)

// Labels and annotations on every object that muster makes. A label's value is at most 63 bytes, an object's
// annotations together at most 256 KiB; AnnotationSpec stands on the root object alone, so that a long script is
// not stored once per pod.
const (
	LabelJob          = "muster.dev/job"               // the job's name
	LabelRole         = "muster.dev/role"              // on pods
	LabelRoleIndex    = "muster.dev/role-index"        // on pods where the engine lets it be static
	LabelFramework    = "muster.dev/framework"         // PyTorch, …
	LabelManagedBy    = "app.kubernetes.io/managed-by" // ManagedBy
	AnnotationDisplay = "muster.dev/display-name"
	AnnotationSpec    = "muster.dev/spec" // the spec as canonical YAML, without secret values
	AnnotationUser    = "muster.dev/user"
	AnnotationCluster = "muster.dev/cluster"
	AnnotationCard    = "muster.dev/card-type"

	// On the root object, so that a list of jobs needs no decoding of specs.
	AnnotationPriority = "muster.dev/priority"
	AnnotationRoles    = "muster.dev/roles" // the pods wanted, in the order of ranks: master=1,worker=3

	// AnnotationValues stands on a Secret that is printed without its values, and says so.
	AnnotationValues = "muster.dev/values"
)

// ManagedBy is the value of LabelManagedBy.
const ManagedBy = "muster"

// Container is the name of the container that runs the user's command.
const Container = "main"

// Input is everything that decides the objects.
type Input struct {
	Spec   job.Spec // valid; what it leaves to the site is filled in by Render (site.Resolve)
	Typed  job.Spec // the spec as it is recorded on the root object; set by Render to the unresolved Spec
	Site   site.Site
	User   string            // recorded on the objects; "" = not recorded
	Secret map[string]string // values of Spec.SecretEnv; nil: the Secret has none (render shows no value)
}

// Output is what to create, in order: Root owns the others.
type Output struct {
	Engine     string
	Root       runtime.Object
	Dependents []runtime.Object // Secret first: pods need it
	Warnings   []job.Problem
}

// SecretName is the name of the Secret with the values of the job's secretEnv.
func SecretName(jobName string) string { return jobName + "-env" }

// Roles gives the roles that have a pod, in the order in which nodes are numbered, each with its place in the spec.
func Roles(spec job.Spec) []Role {
	var roles []Role
	for i, r := range spec.Roles {
		if r.Replicas > 0 {
			roles = append(roles, Role{Role: r, Path: "roles[" + strconv.Itoa(i) + "]"})
		}
	}
	if spec.Framework == job.PyTorch {
		// Rank 0 is the master wherever it stands in the file.
		for i, r := range roles {
			if r.Name == RoleMaster {
				copy(roles[1:i+1], roles[:i])
				roles[0] = r
				break
			}
		}
	}
	for i, rank := 0, 0; i < len(roles); i++ {
		roles[i].FirstRank = rank
		rank += roles[i].Replicas
	}
	return roles
}

// RoleMaster is PyTorch's first role.
const RoleMaster = "master"

// Role is one role with at least one pod.
type Role struct {
	job.Role
	Path      string // its path in the spec, e.g. roles[1]
	FirstRank int    // rank of its first pod
}

// RolesText is the value of AnnotationRoles.
func RolesText(roles []Role) string {
	parts := make([]string, len(roles))
	for i, r := range roles {
		parts[i] = r.Name + "=" + strconv.Itoa(r.Replicas)
	}
	return strings.Join(parts, ",")
}

// Nodes counts the pods of all roles.
func Nodes(roles []Role) int {
	n := 0
	for _, r := range roles {
		n += r.Replicas
	}
	return n
}
