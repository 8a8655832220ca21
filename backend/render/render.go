// Package render turns a spec into the objects of a workload engine. Pure: same input, same objects.
package render

import (
	"slices"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/batchjob"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/render/jobset"
	"muster.dev/muster/backend/render/podtemplate"
	"muster.dev/muster/backend/site"
)

// The engines' names, in the order in which auto prefers them.
const (
	Auto     = "auto" // without a cluster: JobSet
	JobSet   = engine.JobSet
	Volcano  = engine.Volcano
	Trainer  = engine.Trainer
	Kubeflow = engine.Kubeflow
	BatchJob = engine.BatchJob
)

// Labels and annotations on every object that muster makes; see package engine.
const (
	LabelJob          = engine.LabelJob
	LabelRole         = engine.LabelRole
	LabelRoleIndex    = engine.LabelRoleIndex
	LabelFramework    = engine.LabelFramework
	LabelManagedBy    = engine.LabelManagedBy
	AnnotationDisplay = engine.AnnotationDisplay
	AnnotationSpec    = engine.AnnotationSpec
	AnnotationUser    = engine.AnnotationUser
	AnnotationCluster = engine.AnnotationCluster
	AnnotationCard    = engine.AnnotationCard

	AnnotationPriority = engine.AnnotationPriority
	AnnotationRoles    = engine.AnnotationRoles
)

// Input is everything that decides the objects.
type Input = engine.Input

// Output is what to create, in order: Root owns the others.
type Output = engine.Output

// Codes of what can't be rendered. Other codes stand in the packages of the engines.
const (
	NotYet        = "NotYet"        // muster can't render this yet: args feature (a value or a path of the spec, or an engine)
	UnknownEngine = "UnknownEngine" // args engine
)

// Codes lists the codes of this package and its engines, beside those of package job that they share, with the names
// of their arguments.
func Codes() []job.CodeDoc {
	return []job.CodeDoc{
		{Code: NotYet, Args: []string{"feature"}},
		{Code: UnknownEngine, Args: []string{"engine"}},
		{Code: podtemplate.CPUMissing, Args: []string{"role"}},
		{Code: podtemplate.SecretValueMissing, Args: []string{"name"}},
		{Code: jobset.TooManyRoles, Args: []string{"roles", "max"}},
		{Code: batchjob.EngineCannot, Args: []string{"option", "engine", "able"}},
		{Code: batchjob.SurvivorsRun},
	}
}

// Engines are the names that Render knows and can render, in the order of preference.
func Engines() []string { return []string{JobSet, BatchJob} }

// Render gives the objects of a job on an engine; "" and "auto" are jobset. The spec is valid and has a name. What it
// leaves to the site is filled in (site.Resolve), and what is recorded is the spec without that, so that a clone of
// it is again as its author wrote it. With problems the output must not be used: each names the field that can't be expressed, and nothing
// of a spec is ever left out silently.
func Render(name string, in Input) (Output, []job.Problem) {
	switch name {
	case "", Auto:
		name = JobSet
	case JobSet, BatchJob:
	case Volcano, Trainer, Kubeflow:
		return Output{}, []job.Problem{{Code: NotYet, Args: map[string]string{"feature": name}}}
	default:
		return Output{}, []job.Problem{{Code: UnknownEngine, Args: map[string]string{"engine": name}}}
	}
	if problems := notYet(in.Spec); len(problems) > 0 {
		return Output{}, problems
	}
	in.Typed = asTyped(in.Spec)
	in.Spec = site.Resolve(in.Site, in.Spec)
	var out Output
	var problems []job.Problem
	if name == BatchJob {
		out, problems = batchjob.Render(in)
	} else {
		out, problems = jobset.Render(in)
	}
	if len(problems) > 0 {
		return Output{}, problems
	}
	return out, nil
}

// notYet finds what no renderer can express yet.
func notYet(spec job.Spec) []job.Problem {
	var problems []job.Problem
	add := func(path, feature string) {
		problems = append(problems, job.Problem{Path: path, Code: NotYet, Args: map[string]string{"feature": feature}})
	}
	switch spec.Framework {
	case job.PyTorch, job.Custom:
	default:
		add("framework", string(spec.Framework))
	}
	if spec.Resource != "" && spec.Resource != job.Dedicated {
		// Region, zone, network and preemption come with it.
		add("resource", string(spec.Resource))
	}
	if len(spec.FaultTolerance.Rules) > 0 {
		add("faultTolerance.rules", "faultTolerance.rules")
	}
	if spec.Submission.Total > 1 {
		add("submission.total", "submission.total")
	}
	if spec.SSH {
		add("ssh", "ssh")
	}
	if spec.TensorBoard.LogDir != "" {
		add("tensorBoard.logDir", "tensorBoard")
	}
	return problems
}

// asTyped takes back what resolving puts beside wholeNode, where a spec file may not have it.
func asTyped(spec job.Spec) job.Spec {
	roles := slices.Clone(spec.Roles)
	for i, r := range roles {
		if r.WholeNode {
			roles[i].GPUs, roles[i].CPU, roles[i].Memory = 0, "", ""
		}
	}
	spec.Roles = roles
	return spec
}
