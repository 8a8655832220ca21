// Package render turns a spec into the objects of a workload engine. Pure: same input, same objects.
package render

import (
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

// Labels and annotations on every object that muster makes.
const (
	LabelJob          = "muster.dev/job"        // the job's name
	LabelRole         = "muster.dev/role"       // on pods
	LabelRoleIndex    = "muster.dev/role-index" // on pods where the engine lets it be static
	LabelFramework    = "muster.dev/framework"
	LabelManagedBy    = "app.kubernetes.io/managed-by" // muster
	AnnotationDisplay = "muster.dev/display-name"
	AnnotationSpec    = "muster.dev/spec" // the spec as canonical YAML, without secret values
	AnnotationUser    = "muster.dev/user"
	AnnotationCluster = "muster.dev/cluster"
	AnnotationCard    = "muster.dev/card-type"
)

// Input is everything that decides the objects.
type Input struct {
	Spec   job.Spec // valid, with its defaults applied (site.Resolve)
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
