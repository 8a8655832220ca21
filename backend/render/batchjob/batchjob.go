// Package batchjob renders a job for clusters without custom resources: one batch/v1 Job a pod behind a headless
// Service, which owns the rest, so that deleting it deletes all. Pure.
//
// Such a set has no will of its own: nothing restarts or ends it as a whole. What needs that is refused with the
// name of an engine that can.
package batchjob

import (
	"maps"
	"math"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/render/podtemplate"
)

// What a valid spec may still not be on this engine, and what holds for it.
const (
	EngineCannot = "EngineCannot" // args option (path of the spec), engine, able (the engine that can)
	SurvivorsRun = "SurvivorsRun" // warning: when one pod fails the others run on until they end
)

// Render gives the Service and the Jobs.
func Render(in engine.Input) (engine.Output, []job.Problem) {
	roles := engine.Roles(in.Spec)
	nodes := engine.Nodes(roles)
	queued := in.Spec.Submission.Mode == job.Queue
	builder, problems := podtemplate.New(in)
	meta, more := podtemplate.RootMeta(in)
	problems = append(problems, more...)
	if nodes > 1 {
		if queued {
			// Each Job would be admitted by itself: half a job would hold cards and wait for the rest.
			problems = append(problems, cannot("submission.mode"))
		}
		if in.Spec.FaultTolerance.MaxRestarts != 0 {
			problems = append(problems, cannot("faultTolerance.maxRestarts"))
		}
	}
	out := engine.Output{Engine: engine.BatchJob, Root: &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true, // peers look one another up before they are ready
			Selector:                 map[string]string{engine.LabelJob: in.Spec.Name, engine.LabelManagedBy: engine.ManagedBy},
		},
	}}
	if nodes > 1 {
		out.Warnings = append(out.Warnings, job.Problem{Path: "roles", Code: SurvivorsRun})
	}
	secret, more := podtemplate.Secret(in)
	problems = append(problems, more...)
	if secret != nil {
		out.Dependents = append(out.Dependents, secret)
	}

	peers := podtemplate.Peers{Nodes: nodes}
	if len(roles) > 0 {
		peers.MasterAddr = PodName(in.Spec.Name, roles[0].Name, 0) + "." + in.Spec.Name
	}
	jobs := make([]runtime.Object, 0, nodes)
	longest := ""
	for _, role := range roles {
		longest = podtemplate.Longest(longest, PodName(in.Spec.Name, role.Name, role.Replicas-1))
		template, more := builder.Template(role, peers)
		problems = append(problems, more...)
		meta := podtemplate.Named(in, "")
		meta.Labels[engine.LabelRole] = role.Name
		for i := range role.Replicas {
			jobs = append(jobs, one(in, builder, meta, role, i, &template))
		}
	}
	problems = append(problems, podtemplate.CheckName(in.Spec.Name, longest)...)
	if queued && nodes == 1 {
		only := jobs[0].(*batchv1.Job)
		problems = append(problems, podtemplate.Enqueue(in, only.Labels)...)
		only.Spec.Suspend = ptr(true) // nothing may run past the queue, even if Kueue's webhook is away
	}
	out.Dependents = append(out.Dependents, jobs...)
	return out, problems
}

// PodName is the name of a pod's Job, and the pod's host name.
func PodName(jobName, role string, index int) string {
	return jobName + "-" + role + "-" + strconv.Itoa(index)
}

// one gives the Job of one pod. meta and template are those of its role, and stay as they are.
func one(in engine.Input, builder *podtemplate.Builder, meta metav1.ObjectMeta, role engine.Role, index int, template *corev1.PodTemplateSpec) *batchv1.Job {
	name := PodName(in.Spec.Name, role.Name, index)
	meta.Name = name
	meta.Labels, meta.Annotations = maps.Clone(meta.Labels), maps.Clone(meta.Annotations)
	meta.Labels[engine.LabelRoleIndex] = strconv.Itoa(index)
	pod := builder.Peer(template, role.FirstRank+index, index)
	pod.Labels[engine.LabelRoleIndex] = meta.Labels[engine.LabelRoleIndex]
	pod.Spec.Hostname = name
	pod.Spec.Subdomain = in.Spec.Name

	child := &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			Parallelism:           ptr(int32(1)),
			Completions:           ptr(int32(1)),
			CompletionMode:        ptr(batchv1.NonIndexedCompletion),
			ActiveDeadlineSeconds: podtemplate.Deadline(in.Spec),
			Template:              pod,
		},
	}
	failurePolicy(&child.Spec, in.Spec.FaultTolerance.MaxRestarts)
	return child
}

// failurePolicy expresses the default policy: loss of the pod by the platform restarts it maxRestarts times, an exit
// code of the user fails the job.
//
// Without restarts backoffLimit 0 says all of it. With restarts an exit code needs a FailJob rule; its price is that a
// resume may fail while a pod that was stopped is still there, because the Job controller also asks the rules about pods
// that it ended itself (package jobset has no such rule). A failed pod without an exit code (refused by its node) is the platform's doing and counts as well.
func failurePolicy(spec *batchv1.JobSpec, maxRestarts int) {
	switch {
	case maxRestarts == 0:
		spec.BackoffLimit = ptr(int32(0))
		return
	case maxRestarts < 0:
		spec.BackoffLimit = ptr(int32(math.MaxInt32))
	default:
		spec.BackoffLimit = ptr(int32(maxRestarts))
	}
	spec.PodReplacementPolicy = ptr(batchv1.Failed)
	spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
		{
			Action: batchv1.PodFailurePolicyActionCount,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
				{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
			},
		},
		{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn, Values: []int32{0},
			},
		},
	}}
}

func cannot(option string) job.Problem {
	return job.Problem{Path: option, Code: EngineCannot, Args: map[string]string{
		"option": option, "engine": engine.BatchJob, "able": engine.JobSet,
	}}
}

func ptr[T any](v T) *T { return &v }
