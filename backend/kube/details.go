package kube

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/yaml"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/render"
	"muster.dev/muster/backend/snapshot"
)

// Details gives what a job view shows beside the status. What the user may not read of it is left out.
func (c *Cluster) Details(ctx context.Context, workspace, name string) (snapshot.Details, error) {
	var d snapshot.Details
	l, err := c.connected()
	if err != nil {
		return d, err
	}
	if workspace == "" {
		workspace = l.namespace
	}
	found, err := l.find(ctx, workspace, name)
	if err != nil {
		return d, err
	}
	if text := found.object.GetAnnotations()[render.AnnotationSpec]; text != "" {
		spec, report := job.Decode([]byte(text))
		if d.Unreadable = report.Errors; report.OK() {
			d.Spec = &spec
		}
	}
	jobs, err := l.jobsOf(ctx, found)
	if lost(err) {
		return d, err
	}
	if d.Manifest, err = l.manifest(found, jobs); err != nil {
		return d, err
	}
	d.Events, err = l.events(ctx, found, jobs)
	if lost(err) {
		return d, err
	}
	return d, nil
}

// manifest is the root as YAML, and the Jobs of an engine whose root says little.
func (l *link) manifest(r root, jobs []*batchv1.Job) (string, error) {
	objects := []client.Object{r.object}
	if r.kind == kindServices {
		for _, j := range jobs {
			objects = append(objects, j)
		}
	}
	var text strings.Builder
	for i, o := range objects {
		o = o.DeepCopyObject().(client.Object)
		o.SetManagedFields(nil)
		gvk, err := apiutil.GVKForObject(o, l.client.Scheme())
		if err != nil {
			return "", err
		}
		o.GetObjectKind().SetGroupVersionKind(gvk)
		if annotations := o.GetAnnotations(); annotations != nil {
			delete(annotations, corev1.LastAppliedConfigAnnotation)
			o.SetAnnotations(annotations)
		}
		data, err := yaml.Marshal(o)
		if err != nil {
			return "", err
		}
		if i > 0 {
			text.WriteString("---\n")
		}
		text.Write(data)
	}
	return text.String(), nil
}

// events are those of the root, its Jobs, pods and workloads, by UID, the latest last. Repeated ones are folded.
func (l *link) events(ctx context.Context, r root, jobs []*batchv1.Job) ([]snapshot.Event, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	namespace := r.object.GetNamespace()
	uids := map[types.UID]bool{r.object.GetUID(): true}
	for _, j := range jobs {
		uids[j.UID] = true
	}
	var workloads kueue.WorkloadList
	if err := l.client.List(ctx, &workloads, client.InNamespace(namespace)); err == nil {
		for i := range workloads.Items {
			if ownedByAny(&workloads.Items[i], uids) {
				uids[workloads.Items[i].UID] = true
			}
		}
	}
	var pods corev1.PodList
	if err := l.client.List(ctx, &pods, &client.ListOptions{Namespace: namespace, Raw: &metav1.ListOptions{LabelSelector: r.selector()}}); err == nil {
		for i := range pods.Items {
			if r.owns(&pods.Items[i]) {
				uids[pods.Items[i].UID] = true
			}
		}
	}
	// Events of pods and Jobs that are gone tell why they went: they name an object that the root's name begins.
	prefix := r.object.GetName() + "-"
	var list corev1.EventList
	next := ""
	folded := map[string]*snapshot.Event{}
	for {
		if err := l.client.List(ctx, &list, &client.ListOptions{Namespace: namespace, Limit: 500, Continue: next}); err != nil {
			if apierrors.IsResourceExpired(err) && next != "" {
				break
			}
			return nil, l.explain(err, target{verb: "list", resource: "events", workspace: namespace})
		}
		for i := range list.Items {
			e := &list.Items[i]
			last := eventTime(e)
			gone := strings.HasPrefix(e.InvolvedObject.Name, prefix) && (e.InvolvedObject.Kind == "Pod" || e.InvolvedObject.Kind == "Job") &&
				!last.Before(r.object.GetCreationTimestamp().Time)
			if !uids[e.InvolvedObject.UID] && !gone {
				continue
			}
			fold(folded, e, last)
		}
		if next = list.Continue; next == "" {
			break
		}
		list = corev1.EventList{}
	}
	events := make([]snapshot.Event, 0, len(folded))
	for _, e := range folded {
		events = append(events, *e)
	}
	slices.SortFunc(events, func(a, b snapshot.Event) int {
		return cmp.Or(a.Last.Compare(b.Last), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return events, nil
}

func eventTime(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}

func fold(into map[string]*snapshot.Event, e *corev1.Event, last time.Time) {
	first := e.FirstTimestamp.Time
	if first.IsZero() {
		first = e.EventTime.Time
	}
	if first.IsZero() {
		first = last
	}
	count := max(int(e.Count), 1)
	if e.Series != nil {
		count = max(count, int(e.Series.Count))
	}
	object := e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name
	key := strings.Join([]string{object, e.Type, e.Reason, e.Message}, "\x00")
	have, ok := into[key]
	if !ok {
		into[key] = &snapshot.Event{Object: object, Type: e.Type, Reason: e.Reason, Message: e.Message, Count: count, First: first, Last: last}
		return
	}
	have.Count += count
	if first.Before(have.First) {
		have.First = first
	}
	if last.After(have.Last) {
		have.Last = last
	}
}

// tailBytes bounds what Tail reads: the last lines of a log may be a progress bar of megabytes.
const tailBytes = 1 << 20

// Tail gives the last lines of a pod's log, as the container wrote them. When its container was restarted and says
// nothing yet, they are those of the instance before.
func (c *Cluster) Tail(ctx context.Context, workspace, pod string, lines int) ([]string, error) {
	l, err := c.connected()
	if err != nil {
		return nil, err
	}
	if workspace == "" {
		workspace = l.namespace
	}
	ctx, cancel := unary(ctx)
	defer cancel()
	var found corev1.Pod
	container := ""
	if err := l.client.Get(ctx, types.NamespacedName{Namespace: workspace, Name: pod}, &found); err == nil {
		container = mainContainer(&found)
	} else if !apierrors.IsForbidden(err) {
		return nil, l.explain(err, target{verb: "get", resource: "pods", workspace: workspace, name: pod})
	}
	out, err := l.tail(ctx, workspace, pod, container, lines, false)
	if err == nil && len(out) == 0 || apierrors.IsBadRequest(err) {
		if s := containerStatus(&found, container); s != nil && s.LastTerminationState.Terminated != nil {
			if before, err := l.tail(ctx, workspace, pod, container, lines, true); err == nil {
				return before, nil
			}
		}
	}
	if err != nil {
		return nil, l.explain(err, target{verb: "get", resource: "pods/log", workspace: workspace, name: pod})
	}
	return out, nil
}

func (l *link) tail(ctx context.Context, workspace, pod, container string, lines int, previous bool) ([]string, error) {
	r := l.core.Get().Namespace(workspace).Resource("pods").Name(pod).SubResource("log").Param("tailLines", strconv.Itoa(lines))
	if container != "" {
		r.Param("container", container)
	}
	if previous {
		r.Param("previous", "true")
	}
	body, err := r.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	// The end is what is wanted: keep the last tailBytes of whatever comes.
	text := make([]byte, 0, 64<<10)
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		text = append(text, buffer[:n]...)
		if len(text) > 2*tailBytes {
			text = append(text[:0], text[len(text)-tailBytes:]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if len(text) > tailBytes {
		text = text[len(text)-tailBytes:]
	}
	whole := strings.TrimSuffix(string(text), "\n")
	if whole == "" {
		return nil, nil
	}
	out := strings.Split(whole, "\n")
	return out[max(len(out)-lines, 0):], nil
}
