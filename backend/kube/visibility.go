package kube

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"

	"muster.dev/muster/backend/queue"
)

// How often the order of the queues is asked for: only while something waits, soon after a workload changed, and at
// a slow pace otherwise, as the order also changes through what others submit. A server without the API is asked
// again rarely.
const (
	orderSoonest = time.Second
	orderEvery   = 10 * time.Second
	orderRefused = time.Minute
)

// positions keeps the order of the queues up to date until ctx ends.
func (s *session) positions(ctx context.Context) {
	refused := map[queue.Key]time.Time{}
	asked := map[queue.Key]time.Time{}
	lastWorkloads := -1
	for ctx.Err() == nil {
		sleep(ctx, orderSoonest)
		changed := false
		workloads, pending := s.pendingQueues()
		soon := workloads != lastWorkloads
		lastWorkloads = workloads
		next := map[queue.Key]*visibility.PendingWorkloadsSummary{}
		s.mu.Lock()
		for key := range s.order.pending {
			if !pending[key] {
				changed = true
			}
		}
		s.mu.Unlock()
		for key := range pending {
			now := s.cluster.now()
			if now.Sub(refused[key]) < orderRefused {
				continue
			}
			if !soon && now.Sub(asked[key]) < orderEvery {
				next[key] = s.order.pending[key]
				continue
			}
			delete(refused, key)
			asked[key] = now
			summary, err := s.link.pending(ctx, key)
			if err != nil {
				if ctx.Err() != nil {
					return
				}
				var e *Error
				if asError(err, &e) && (e.Code == CodeDenied || e.Code == CodeNotServed || e.Code == CodeNotFound) {
					refused[key] = now
				} else {
					// The aggregated API is away for some seconds after the API server was.
					asked[key] = now.Add(2*orderSoonest - orderEvery)
				}
				if lost(err) {
					next[key] = s.order.pending[key] // as it was, as old as the rest
				} else {
					changed = true
				}
				continue
			}
			next[key] = summary
			changed = true
		}
		if changed {
			s.mu.Lock()
			s.order = positions{pending: next, refused: len(refused) > 0, version: s.order.version + 1}
			s.mu.Unlock()
			s.view.wake()
		}
	}
}

// orderNow asks once for the order of the queues in which something waits: a view that is looked at only once cannot
// wait for positions to come round.
func (s *session) orderNow(ctx context.Context) {
	_, waiting := s.pendingQueues()
	next := map[queue.Key]*visibility.PendingWorkloadsSummary{}
	refused := false
	for key := range waiting {
		summary, err := s.link.pending(ctx, key)
		if err != nil {
			refused = true // its order is not known
			continue
		}
		next[key] = summary
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = positions{pending: next, refused: refused, version: s.order.version + 1}
}

// pendingQueues are the queues in which something waits, and a number that changes when workloads do.
func (s *session) pendingQueues() (version int, pending map[queue.Key]bool) {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	return s.view.workloadChanges, s.view.pendingQueues()
}

// pendingQueues are the queues in which something waits. v.mu is held.
func (v *view) pendingQueues() map[queue.Key]bool {
	pending := map[queue.Key]bool{}
	for key, o := range v.kinds[kindLocalQueues] {
		if o.(*kueue.LocalQueue).Status.PendingWorkloads > 0 {
			pending[queue.Key{Workspace: key.Namespace, Name: key.Name}] = true
		}
	}
	for key, o := range v.kinds[kindWorkloads] {
		w := o.(*kueue.Workload)
		if !meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadQuotaReserved) &&
			!meta.IsStatusConditionTrue(w.Status.Conditions, kueue.WorkloadFinished) && (w.Spec.Active == nil || *w.Spec.Active) {
			if w.Spec.QueueName != "" {
				pending[queue.Key{Workspace: key.Namespace, Name: string(w.Spec.QueueName)}] = true
			}
		}
	}
	return pending
}

// pending asks the visibility API for what waits in a LocalQueue, in order.
func (l *link) pending(ctx context.Context, key queue.Key) (*visibility.PendingWorkloadsSummary, error) {
	ctx, cancel := unary(ctx)
	defer cancel()
	path := "/apis/" + visibility.SchemeGroupVersion.String() + "/namespaces/" + url.PathEscape(key.Workspace) +
		"/localqueues/" + url.PathEscape(key.Name) + "/pendingworkloads"
	var summary visibility.PendingWorkloadsSummary
	raw, err := l.core.Get().AbsPath(path).Param("limit", strconv.Itoa(orderLimit)).
		SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err == nil {
		err = decodeJSON(raw, &summary)
	}
	if err != nil {
		return nil, l.explain(err, target{verb: "get", resource: "localqueues.visibility.kueue.x-k8s.io/pendingworkloads",
			workspace: key.Workspace, name: key.Name})
	}
	return &summary, nil
}

// orderLimit is the most workloads of a queue whose order is asked for: the API's own default.
const orderLimit = 1000
