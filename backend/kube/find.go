package kube

import (
	"context"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/render/engine"
)

// root is the object that owns a job: its name is the job's.
type root struct {
	kind   *kind
	object client.Object
	engine string
	queue  string // the LocalQueue that holds it; "" = standalone
}

// labelQueue names a root's LocalQueue.
const labelQueue = "kueue.x-k8s.io/queue-name"

// selector finds the pods and Jobs of a job by their labels.
func (r root) selector() string {
	switch r.kind {
	case kindJobSets:
		return jobset.JobSetNameKey + "=" + r.object.GetName()
	case kindServices:
		return render.LabelJob + "=" + r.object.GetName() + "," + managed
	}
	return labelJobName + "=" + r.object.GetName()
}

// owns tells whether a pod is this root's, and not one's of the same name that was there before.
func (r root) owns(pod *corev1.Pod) bool {
	switch r.kind {
	case kindJobSets:
		uid := pod.Labels[jobset.JobSetUIDKey]
		return uid == "" || uid == string(r.object.GetUID())
	case kindJobs:
		owner := metav1.GetControllerOf(pod)
		return owner == nil || owner.UID == r.object.GetUID()
	}
	return pod.CreationTimestamp.IsZero() || !pod.CreationTimestamp.Before(ptr(r.object.GetCreationTimestamp()))
}

func ptr[T any](v T) *T { return &v }

// find gets a job's root. A kind that is not served or that the user may not read is passed over, unless nothing is
// found at all.
func (l *link) find(ctx context.Context, workspace, name string) (root, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	key := types.NamespacedName{Namespace: workspace, Name: name}
	var refused error
	for _, candidate := range []struct {
		kind   *kind
		engine string
	}{{kindJobSets, render.JobSet}, {kindServices, render.BatchJob}, {kindJobs, render.BatchJob}} {
		object := candidate.kind.object()
		err := l.client.Get(ctx, key, object)
		switch {
		case err == nil && candidate.kind == kindServices && object.GetLabels()[render.LabelJob] != name:
			continue // some Service
		case err == nil:
			r := root{kind: candidate.kind, object: object, engine: candidate.engine, queue: object.GetLabels()[labelQueue]}
			return r, nil
		case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		case apierrors.IsForbidden(err):
			if refused == nil {
				refused = l.explain(err, target{verb: "get", resource: candidate.kind.resource, workspace: workspace, name: name})
			}
		default:
			return root{}, l.explain(err, target{verb: "get", resource: candidate.kind.resource, workspace: workspace, name: name})
		}
	}
	if refused != nil {
		return root{}, refused
	}
	missing, err := l.workspaceMissing(ctx, workspace)
	if err == nil && missing {
		return root{}, newError(CodeNamespaceNotFound, nil, "workspace", workspace)
	}
	return root{}, newError(CodeJobNotFound, nil, "workspace", workspace, "name", name)
}

// jobsOf lists the batch Jobs of a root, its own first when it is one.
func (l *link) jobsOf(ctx context.Context, r root) ([]*batchv1.Job, error) {
	if own, ok := r.object.(*batchv1.Job); ok {
		return []*batchv1.Job{own}, nil
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	var list batchv1.JobList
	err := l.client.List(ctx, &list, &client.ListOptions{
		Namespace: r.object.GetNamespace(), Raw: &metav1.ListOptions{LabelSelector: r.selector()},
	})
	if err != nil {
		return nil, l.explain(err, target{verb: "list", resource: kindJobs.resource, workspace: r.object.GetNamespace()})
	}
	var jobs []*batchv1.Job
	for i := range list.Items {
		for _, owner := range list.Items[i].OwnerReferences {
			if owner.UID == r.object.GetUID() {
				jobs = append(jobs, &list.Items[i])
			}
		}
	}
	return jobs, nil
}

// roleOfJob is what package status calls the one role of a Job of another tool.
const roleOfJob = "job"

// place is a pod's role and its index within it, as package status counts them.
func (r root) place(pod *corev1.Pod) (role string, index int) {
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	completion := number(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	switch o := r.object.(type) {
	case *jobset.JobSet:
		role = pod.Labels[jobset.ReplicatedJobNameKey]
		perJob := 1
		for i := range o.Spec.ReplicatedJobs {
			template := &o.Spec.ReplicatedJobs[i].Template.Spec
			if o.Spec.ReplicatedJobs[i].Name != role {
				continue
			}
			if template.Parallelism != nil {
				perJob = int(*template.Parallelism)
			}
			if template.Completions != nil && template.Parallelism != nil {
				perJob = int(min(*template.Completions, *template.Parallelism))
			}
		}
		return role, number(pod.Labels[jobset.JobIndexKey])*max(perJob, 1) + completion
	case *batchv1.Job:
		return roleOfJob, completion
	}
	return pod.Labels[engine.LabelRole], number(pod.Labels[engine.LabelRoleIndex])
}

// annotationContainer names the container that kubectl looks at when none is asked for.
const annotationContainer = "kubectl.kubernetes.io/default-container"

// mainContainer is the name of the container whose output is the job's.
func mainContainer(pod *corev1.Pod) string {
	wanted := pod.Annotations[annotationContainer]
	first := ""
	for _, c := range pod.Spec.Containers {
		if c.Name == engine.Container || c.Name == wanted {
			return c.Name
		}
		if first == "" {
			first = c.Name
		}
	}
	return first
}

func containerStatus(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == name {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}
