package kube

import (
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/render"
)

// view holds the objects that the feeds brought, and what changed since it was last read.
type view struct {
	mu     sync.Mutex
	kinds  map[*kind]map[types.NamespacedName]client.Object
	jobs   map[types.NamespacedName]map[*kind]map[types.NamespacedName]client.Object
	dirty  map[types.NamespacedName]bool // jobs
	stale  map[*kind]bool                // kinds
	notify chan struct{}

	workloads       map[types.UID]map[types.NamespacedName]*kueue.Workload // by their owners
	workloadChanges int                                                    // counts changes of workloads: the order of queues may have changed with them
}

func newView() *view {
	return &view{
		kinds: map[*kind]map[types.NamespacedName]client.Object{},
		jobs:  map[types.NamespacedName]map[*kind]map[types.NamespacedName]client.Object{},
		dirty: map[types.NamespacedName]bool{}, stale: map[*kind]bool{},
		workloads: map[types.UID]map[types.NamespacedName]*kueue.Workload{},
		notify:    make(chan struct{}, 1),
	}
}

func (v *view) wake() {
	select {
	case v.notify <- struct{}{}:
	default:
	}
}

// put and remove are called with v.mu held.
func (v *view) put(k *kind, o client.Object) {
	key := client.ObjectKeyFromObject(o)
	if v.kinds[k] == nil {
		v.kinds[k] = map[types.NamespacedName]client.Object{}
	}
	if old := v.kinds[k][key]; old != nil {
		v.unlink(k, old)
	}
	v.kinds[k][key] = o
	v.touch(k)
	if w, ok := o.(*kueue.Workload); ok {
		v.putWorkload(key, w)
		return
	}
	of, ok := jobOf(k, o)
	if !ok {
		return
	}
	v.dirty[of] = true
	byKind := v.jobs[of]
	if byKind == nil {
		byKind = map[*kind]map[types.NamespacedName]client.Object{}
		v.jobs[of] = byKind
	}
	if byKind[k] == nil {
		byKind[k] = map[types.NamespacedName]client.Object{}
	}
	byKind[k][key] = o
}

func (v *view) remove(k *kind, o client.Object) {
	if old := v.kinds[k][client.ObjectKeyFromObject(o)]; old != nil {
		v.unlink(k, old)
		delete(v.kinds[k], client.ObjectKeyFromObject(o))
		v.touch(k)
	}
}

// putWorkload files a workload under its owners. That is the job's root, or one of its Jobs, whose job only the Job
// itself names.
func (v *view) putWorkload(key types.NamespacedName, w *kueue.Workload) {
	for _, owner := range w.OwnerReferences {
		if v.workloads[owner.UID] == nil {
			v.workloads[owner.UID] = map[types.NamespacedName]*kueue.Workload{}
		}
		v.workloads[owner.UID][key] = w
		v.dirty[v.jobOfOwner(w.Namespace, owner)] = true
	}
}

func (v *view) removeWorkload(w *kueue.Workload) {
	for _, owner := range w.OwnerReferences {
		delete(v.workloads[owner.UID], client.ObjectKeyFromObject(w))
		if len(v.workloads[owner.UID]) == 0 {
			delete(v.workloads, owner.UID)
		}
		v.dirty[v.jobOfOwner(w.Namespace, owner)] = true
	}
}

func (v *view) jobOfOwner(namespace string, owner metav1.OwnerReference) types.NamespacedName {
	key := types.NamespacedName{Namespace: namespace, Name: owner.Name}
	if j := v.kinds[kindJobs][key]; owner.Kind == "Job" && j != nil {
		if of, ok := jobOf(kindJobs, j); ok {
			return of
		}
	}
	return key
}

// workloadOf is the workload that stands for one of the owners, the newest if there are several.
func (v *view) workloadOf(owners ...client.Object) *kueue.Workload {
	var found *kueue.Workload
	for _, owner := range owners {
		for _, w := range v.workloads[owner.GetUID()] {
			if found == nil || found.CreationTimestamp.Before(&w.CreationTimestamp) {
				found = w
			}
		}
	}
	return found
}

func (v *view) touch(k *kind) {
	v.stale[k] = true
	if k == kindWorkloads {
		v.workloadChanges++
	}
}

func (v *view) unlink(k *kind, o client.Object) {
	if w, ok := o.(*kueue.Workload); ok {
		v.removeWorkload(w)
		return
	}
	of, ok := jobOf(k, o)
	if !ok {
		return
	}
	v.dirty[of] = true
	delete(v.jobs[of][k], client.ObjectKeyFromObject(o))
	if len(v.jobs[of][k]) == 0 {
		delete(v.jobs[of], k)
	}
	if len(v.jobs[of]) == 0 {
		delete(v.jobs, of)
	}
}

// purge forgets a kind's objects of one namespace, or all of them.
func (v *view) purge(k *kind, namespace string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, o := range v.kinds[k] {
		if namespace == "" || key.Namespace == namespace {
			v.remove(k, o)
		}
	}
}

// store is what a reflector fills: one kind in one namespace, or in all.
type store struct {
	view      *view
	kind      *kind
	namespace string
	onSync    func() // called when a whole list has arrived
	onEvent   func() // called at each event: a sign of life
}

var _ cache.TransformingStore = (*store)(nil)

// Transformer trims objects as soon as they are decoded, so that the untrimmed list never stands in memory whole.
func (s *store) Transformer() cache.TransformFunc {
	return func(o any) (any, error) {
		if object, ok := o.(client.Object); ok {
			s.kind.trim(object)
		}
		return o, nil
	}
}

func (s *store) Add(o any) error { return s.Update(o) }

func (s *store) Update(o any) error {
	object := o.(client.Object)
	s.kind.trim(object)
	s.view.mu.Lock()
	s.view.put(s.kind, object)
	s.view.mu.Unlock()
	s.onEvent()
	s.view.wake()
	return nil
}

func (s *store) Delete(o any) error {
	s.view.mu.Lock()
	s.view.remove(s.kind, o.(client.Object))
	s.view.mu.Unlock()
	s.onEvent()
	s.view.wake()
	return nil
}

func (s *store) Replace(list []any, _ string) error {
	s.view.mu.Lock()
	fresh := make(map[types.NamespacedName]bool, len(list))
	for _, o := range list {
		object := o.(client.Object)
		s.kind.trim(object)
		fresh[client.ObjectKeyFromObject(object)] = true
		s.view.put(s.kind, object)
	}
	for key, o := range s.view.kinds[s.kind] {
		if !fresh[key] && (s.namespace == "" || key.Namespace == s.namespace) {
			s.view.remove(s.kind, o)
		}
	}
	s.view.mu.Unlock()
	s.onSync()
	s.view.wake()
	return nil
}

func (s *store) Resync() error { return nil }

// Bookmark is a sign of life from the server without a change.
func (s *store) Bookmark(string) error {
	s.onEvent()
	return nil
}

// Labels by which pods and Jobs name what they belong to.
const (
	labelJobName = "batch.kubernetes.io/job-name"
)

// jobOf is the job that an object belongs to, by name. Names are where objects meet; that a pod belongs to this job
// and not to an older one of the same name is for package status, by UID.
func jobOf(k *kind, o client.Object) (types.NamespacedName, bool) {
	key := types.NamespacedName{Namespace: o.GetNamespace()}
	labels := o.GetLabels()
	switch k {
	case kindJobSets:
		key.Name = o.GetName()
	case kindServices:
		// JobSet makes a Service, too; only what muster made as a root carries its own name as the job's.
		if labels[render.LabelJob] != o.GetName() {
			return key, false
		}
		key.Name = o.GetName()
	case kindJobs, kindPods:
		switch {
		case labels[jobset.JobSetNameKey] != "":
			key.Name = labels[jobset.JobSetNameKey]
		case labels[render.LabelJob] != "":
			key.Name = labels[render.LabelJob]
		case k == kindJobs:
			key.Name = o.GetName()
		case labels[labelJobName] != "":
			key.Name = labels[labelJobName]
		default:
			return key, false
		}
	default:
		return key, false
	}
	return key, true
}

// anyOrder gives a kind's objects as they come. v.mu is held.
func anyOrder[T client.Object](v *view, k *kind) []T {
	out := make([]T, 0, len(v.kinds[k]))
	for _, o := range v.kinds[k] {
		out = append(out, o.(T))
	}
	return out
}

// all gives a kind's objects, sorted by namespace and name. v.mu is held.
func all[T client.Object](v *view, k *kind) []T {
	return sorted[T](v.kinds[k])
}

func sorted[T client.Object](m map[types.NamespacedName]client.Object) []T {
	out := make([]T, 0, len(m))
	for _, o := range m {
		out = append(out, o.(T))
	}
	slices.SortFunc(out, func(a, b T) int {
		if c := strings.Compare(a.GetNamespace(), b.GetNamespace()); c != 0 {
			return c
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	return out
}
