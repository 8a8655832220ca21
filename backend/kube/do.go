package kube

import (
	"context"
	"encoding/json"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/render/engine"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/status"
)

// Do stops, resumes or deletes a whole job: the one whose root has the UID, or with uid "" whichever has the name now.
// It acts on the very object that it found, by UID: a newer job of the same name is never hit. CodeReplaced is the
// error when another job has the name.
//
// A standalone job is stopped by suspending its root, or each of its Jobs; a queued one by deactivating its Kueue
// workload, as Kueue would undo a suspension at once. Delete removes the root, and the cluster all that it owns.
func (c *Cluster) Do(ctx context.Context, verb snapshot.Verb, workspace, name, uid string) error {
	l, err := c.connected()
	if err != nil {
		return err
	}
	if workspace == "" {
		workspace = l.namespace
	}
	found, err := l.findExact(ctx, workspace, name, types.UID(uid))
	if err != nil {
		return err
	}
	switch verb {
	case snapshot.Delete:
		return l.delete(ctx, found)
	case snapshot.Stop, snapshot.Resume:
		return l.suspend(ctx, found, verb)
	}
	return newError(CodeInvalid, nil, "verb", string(verb), "name", name, "workspace", workspace, "message", "no such verb")
}

// findExact gets the root of a job by name and UID. Roots of several kinds may share a name: find returns the first of
// them, which need not be the one that is meant.
func (l *link) findExact(ctx context.Context, workspace, name string, uid types.UID) (root, error) {
	found, err := l.find(ctx, workspace, name)
	if err != nil || uid == "" || found.object.GetUID() == uid {
		return found, err
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	for _, k := range []*kind{kindServices, kindJobs} {
		if k == found.kind {
			continue
		}
		object := k.object()
		err := l.client.Get(ctx, types.NamespacedName{Namespace: workspace, Name: name}, object)
		switch {
		case err == nil && object.GetUID() == uid:
			return root{kind: k, object: object, engine: render.BatchJob, queue: object.GetLabels()[labelQueue]}, nil
		case err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
			return root{}, l.explain(err, target{verb: "get", resource: k.resource, workspace: workspace, name: name})
		}
	}
	return root{}, newError(CodeReplaced, nil, "name", name, "workspace", workspace)
}

// delete removes the root in the background: it is gone at once, the rest follows. Foreground would keep it, deleting,
// until every pod has used up its grace period.
func (l *link) delete(ctx context.Context, r root) error {
	ctx, cancel := unary(ctx)
	defer cancel()
	uid := r.object.GetUID()
	err := l.client.Delete(ctx, r.object, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return l.explain(err, l.aboutRoot("delete", r))
	}
	// The Secret is owned by the root, unless the right to say so lacked when it was made.
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.object.GetNamespace(), Name: engine.SecretName(r.object.GetName())}}
	var made corev1.Secret
	if l.client.Get(ctx, client.ObjectKeyFromObject(secret), &made) == nil && len(made.OwnerReferences) == 0 && made.Labels[engine.LabelJob] == r.object.GetName() {
		err = l.client.Delete(ctx, &made, client.Preconditions{UID: &made.UID})
		if err != nil && !apierrors.IsNotFound(err) {
			return l.explain(err, target{verb: "delete", resource: "secrets", workspace: made.Namespace, name: made.Name})
		}
	}
	return nil
}

func (l *link) suspend(ctx context.Context, r root, verb snapshot.Verb) error {
	stop := verb == snapshot.Stop
	jobs, err := l.jobsOf(ctx, r)
	if err != nil {
		return err
	}
	if endedRoot(r, jobs) {
		return newError(CodeAlreadyEnded, nil, "verb", string(verb), "name", r.object.GetName(), "workspace", r.object.GetNamespace())
	}
	queued := r.queue != ""
	for _, j := range jobs {
		queued = queued || r.kind != kindJobSets && j.Labels[labelQueue] != ""
	}
	if queued {
		return l.activate(ctx, r, jobs, !stop)
	}
	if r.kind == kindJobSets {
		return l.patch(ctx, r.object, map[string]any{"suspend": stop}, l.aboutRoot("patch", r))
	}
	for _, j := range jobs {
		if status.JobEnded(j) || j.Spec.Suspend != nil && *j.Spec.Suspend == stop {
			continue
		}
		about := target{verb: "patch", resource: kindJobs.resource, workspace: j.Namespace, name: j.Name}
		if err := l.patch(ctx, j, map[string]any{"suspend": stop}, about); err != nil {
			return err
		}
	}
	return nil
}

// activate sets spec.active of the workloads that stand for a queued job.
func (l *link) activate(ctx context.Context, r root, jobs []*batchv1.Job, active bool) error {
	call, cancel := unary(ctx)
	defer cancel()
	namespace := r.object.GetNamespace()
	about := target{verb: "list", resource: kindWorkloads.resource, workspace: namespace}
	var list kueue.WorkloadList
	if err := l.client.List(call, &list, client.InNamespace(namespace)); err != nil {
		return l.explain(err, about)
	}
	owners := map[types.UID]bool{r.object.GetUID(): true}
	for _, j := range jobs {
		owners[j.UID] = true
	}
	found := false
	for i := range list.Items {
		w := &list.Items[i]
		if !ownedByAny(w, owners) || meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadFinished) {
			continue
		}
		found = true
		if (w.Spec.Active == nil || *w.Spec.Active) == active {
			continue
		}
		about = target{verb: "patch", resource: kindWorkloads.resource, workspace: namespace, name: w.Name}
		err := l.patch(ctx, w, map[string]any{"active": active}, about)
		var e *Error
		if asError(err, &e) && e.Code == CodeDenied {
			e.Code = CodeStopNeedsRight
			return e
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return newError(CodeNoWorkloadYet, nil, "name", r.object.GetName(), "workspace", namespace)
	}
	return nil
}

func ownedByAny(o client.Object, owners map[types.UID]bool) bool {
	for _, reference := range o.GetOwnerReferences() {
		if owners[reference.UID] {
			return true
		}
	}
	return false
}

// patch changes the spec of one object, if it still is that object.
func (l *link) patch(ctx context.Context, object client.Object, spec map[string]any, about target) error {
	ctx, cancel := unary(ctx)
	defer cancel()
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": object.GetUID()}, "spec": spec})
	if err != nil {
		return err
	}
	err = l.client.Patch(ctx, object, client.RawPatch(types.MergePatchType, body), fieldOwner)
	return l.explain(err, about)
}

func (l *link) aboutRoot(verb string, r root) target {
	return target{verb: verb, resource: r.kind.resource, workspace: r.object.GetNamespace(), name: r.object.GetName()}
}

// endedRoot tells whether a job has ended for good.
func endedRoot(r root, jobs []*batchv1.Job) bool {
	if js, ok := r.object.(*jobset.JobSet); ok {
		return status.JobSetEnded(js)
	}
	return len(jobs) > 0 && !slices.ContainsFunc(jobs, func(j *batchv1.Job) bool { return !status.JobEnded(j) })
}
