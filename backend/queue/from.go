package queue

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"

	"muster.dev/muster/backend/render/engine"
)

// Key names a LocalQueue.
type Key struct {
	Workspace string
	Name      string
}

// From gives the queues, sorted by workspace and name. clusterQueues is nil for a user who may not read them: then no
// nominal quota is known, and Used is what this LocalQueue has reserved; else Used is what the whole
// ClusterQueue has, since that is what the nominal quota bounds. pending are the answers of the visibility API; of a
// queue that has none the order is worked out from the workloads by Kueue's rule (priority, then time), which may
// differ from the true one: OrderKnown is false, unless at most one waits.
func From(locals []*kueue.LocalQueue, clusterQueues []*kueue.ClusterQueue, workloads []*kueue.Workload, pending map[Key]*visibility.PendingWorkloadsSummary) []Queue {
	byName := make(map[string]*kueue.ClusterQueue, len(clusterQueues))
	for _, c := range clusterQueues {
		byName[c.Name] = c
	}
	waiting := map[Key][]*kueue.Workload{}
	known := map[Key]*kueue.Workload{} // by workspace and the workload's own name
	for _, w := range workloads {
		known[Key{w.Namespace, w.Name}] = w
		if isPending(w) {
			key := Key{w.Namespace, string(w.Spec.QueueName)}
			waiting[key] = append(waiting[key], w)
		}
	}
	queues := make([]Queue, 0, len(locals))
	for _, l := range locals {
		key := Key{l.Namespace, l.Name}
		q := Queue{
			Name: l.Name, Workspace: l.Namespace, ClusterQueue: string(l.Spec.ClusterQueue),
			Pending: int(l.Status.PendingWorkloads), Admitted: int(l.Status.AdmittedWorkloads),
			Usage:   usage(l, byName[string(l.Spec.ClusterQueue)]),
			Waiting: []Waiting{},
		}
		q.Active, q.Reason = active(l)
		if summary := pending[key]; summary != nil {
			q.OrderKnown = true
			for _, p := range summary.Items {
				q.Waiting = append(q.Waiting, told(p, known[Key{p.Namespace, p.Name}]))
			}
			slices.SortStableFunc(q.Waiting, func(a, b Waiting) int { return cmp.Compare(a.Position, b.Position) })
		} else {
			q.Waiting = guessed(waiting[key])
			q.OrderKnown = len(q.Waiting) < 2 && q.Pending <= len(q.Waiting) // there is but one order
		}
		queues = append(queues, q)
	}
	slices.SortFunc(queues, func(a, b Queue) int {
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Name, b.Name))
	})
	return queues
}

// active tells whether a queue admits jobs, and if not, why.
func active(l *kueue.LocalQueue) (bool, string) {
	if policy := l.Spec.StopPolicy; policy != nil && *policy != kueue.None {
		return false, "stopPolicy " + string(*policy)
	}
	c := meta.FindStatusCondition(l.Status.Conditions, kueue.LocalQueueActive)
	switch {
	case c == nil: // made a moment ago
		return false, ""
	case c.Status != metav1.ConditionTrue:
		return false, c.Message
	}
	return true, ""
}

// usage gives each resource of each flavor in the order of the ClusterQueue's preference, or else by name.
func usage(l *kueue.LocalQueue, c *kueue.ClusterQueue) []Usage {
	out := []Usage{}
	if c == nil {
		for _, f := range l.Status.FlavorsReservation {
			for _, r := range f.Resources {
				out = append(out, Usage{Flavor: string(f.Name), Resource: string(r.Name), Used: r.Total.String()})
			}
		}
		slices.SortFunc(out, func(a, b Usage) int {
			return cmp.Or(cmp.Compare(a.Flavor, b.Flavor), cmp.Compare(a.Resource, b.Resource))
		})
		return out
	}
	type place struct{ flavor, resource string }
	used := map[place]resource.Quantity{}
	for _, f := range c.Status.FlavorsReservation {
		for _, r := range f.Resources {
			used[place{string(f.Name), string(r.Name)}] = r.Total
		}
	}
	for _, g := range c.Spec.ResourceGroups {
		for _, f := range g.Flavors {
			for _, r := range f.Resources {
				have := used[place{string(f.Name), string(r.Name)}]
				nominal := r.NominalQuota.String()
				out = append(out, Usage{Flavor: string(f.Name), Resource: string(r.Name), Used: have.String(), Nominal: &nominal})
			}
		}
	}
	return out
}

// isPending tells whether a workload waits for quota.
func isPending(w *kueue.Workload) bool {
	if w.Spec.Active != nil && !*w.Spec.Active {
		return false
	}
	c := w.Status.Conditions
	return !meta.IsStatusConditionTrue(c, kueue.WorkloadQuotaReserved) && !meta.IsStatusConditionTrue(c, kueue.WorkloadFinished)
}

// told is one entry of the visibility API, which counts from 0.
func told(p visibility.PendingWorkload, w *kueue.Workload) Waiting {
	out := Waiting{
		Job: owner(p.OwnerReferences, p.Name), Workspace: p.Namespace, Position: int(p.PositionInLocalQueue) + 1,
		Priority: p.Priority, Since: p.CreationTimestamp.UTC(),
	}
	if w != nil {
		out.Job, out.Since, out.Message = JobOf(w), since(w), message(w)
	}
	return out
}

// guessed orders workloads as Kueue does: the higher priority first, then the longer waiting.
func guessed(workloads []*kueue.Workload) []Waiting {
	out := make([]Waiting, 0, len(workloads))
	for _, w := range workloads {
		one := Waiting{Job: JobOf(w), Workspace: w.Namespace, Since: since(w), Message: message(w)}
		if w.Spec.Priority != nil {
			one.Priority = *w.Spec.Priority
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Since.Compare(b.Since), cmp.Compare(a.Job, b.Job))
	})
	for i := range out {
		out[i].Position = i + 1
	}
	return out
}

// since is from when Kueue counts: an eviction that puts a workload to the end of the queue, else its making.
func since(w *kueue.Workload) time.Time {
	if c := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadEvicted); c != nil && c.Status == metav1.ConditionTrue &&
		(c.Reason == kueue.WorkloadEvictedByPodsReadyTimeout || c.Reason == kueue.WorkloadEvictedByAdmissionCheck) {
		return c.LastTransitionTime.UTC()
	}
	return w.CreationTimestamp.UTC()
}

func message(w *kueue.Workload) string {
	if c := meta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved); c != nil {
		return c.Message
	}
	return ""
}

// JobOf is the name of the job that a workload is for: muster's by the label on its pods, which of a job on plain
// batch/v1 is not the owner's name, any other's by its owner.
func JobOf(w *kueue.Workload) string {
	for i := range w.Spec.PodSets {
		if name := w.Spec.PodSets[i].Template.Labels[engine.LabelJob]; name != "" {
			return name
		}
	}
	return owner(w.OwnerReferences, w.Name)
}

func owner(refs []metav1.OwnerReference, fallback string) string {
	for _, r := range refs {
		if r.Controller != nil && *r.Controller {
			return r.Name
		}
	}
	if len(refs) > 0 {
		return refs[0].Name
	}
	return fallback
}
