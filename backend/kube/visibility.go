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
// a slow pace otherwise, as the order also changes through what others submit. A server without the API, or one that
// refuses it, is asked again soon at first, as it may be starting, and then rarely.
const (
	orderSoonest = time.Second
	orderEvery   = 10 * time.Second
	orderRefused = time.Minute
)

// turn is when a queue is asked for its order again, and how it went so far.
type turn struct {
	next    time.Time
	failing time.Time     // since when there is no answer; zero: there was one
	denial  time.Duration // the pause after the last refusal; 0: not refused
}

// fail puts the turn off after an error; a change of the workloads then does not bring it forward.
func (t *turn) fail(now time.Time, err error) {
	if t.failing.IsZero() {
		t.failing = now
	}
	var e *Error
	if !asError(err, &e) || e.Code != CodeDenied && e.Code != CodeNotServed && e.Code != CodeNotFound {
		// The aggregated API is away for some seconds after the API server was.
		t.next, t.denial = now.Add(2*orderSoonest), 0
		return
	}
	t.denial = min(max(4*t.denial, deniedFirst), orderRefused)
	t.next = now.Add(t.denial)
}

// positions keeps the order of the queues up to date until ctx ends.
func (s *session) positions(ctx context.Context) {
	turns := map[queue.Key]*turn{}
	lastWorkloads := -1
	for ctx.Err() == nil {
		sleep(ctx, orderSoonest)
		s.mu.Lock()
		before := s.order // its map is never written to
		s.mu.Unlock()
		workloads, waiting := s.pendingQueues()
		soon := workloads != lastWorkloads
		lastWorkloads = workloads
		next := map[queue.Key]*visibility.PendingWorkloadsSummary{}
		failed := map[queue.Key]bool{}
		changed := false
		for key := range turns {
			if !waiting[key] {
				delete(turns, key)
				changed = changed || before.pending[key] != nil || before.failed[key]
			}
		}
		for key := range waiting {
			t := turns[key]
			if t == nil {
				t = &turn{}
				turns[key] = t
			}
			now := s.cluster.now()
			known := before.pending[key]
			if now.Before(t.next) && !(soon && t.failing.IsZero()) {
				if known != nil {
					next[key] = known
				} else {
					failed[key] = true
				}
				continue
			}
			summary, err := s.link.pending(ctx, key)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				*t = turn{next: now.Add(orderEvery)}
				next[key], changed = summary, true
				continue
			}
			t.fail(now, err)
			if known != nil && (lost(err) || now.Sub(t.failing) < doubt) {
				next[key] = known // as it was, as old as the rest
			} else {
				failed[key] = true
				changed = changed || known != nil || !before.failed[key]
			}
		}
		if changed {
			s.setOrder(before.version, positions{pending: next, failed: failed})
		}
	}
}

// setOrder files what the queues answered, unless a newer answer came while they were asked.
func (s *session) setOrder(before int, order positions) {
	order.version = before + 1
	s.mu.Lock()
	if s.order.version == before {
		s.order = order
	}
	s.mu.Unlock()
	s.view.wake()
}

// orderNow asks once for the order of the queues in which something waits: a view that is looked at only once cannot
// wait for positions to come round.
func (s *session) orderNow(ctx context.Context) {
	_, waiting := s.pendingQueues()
	next, failed := map[queue.Key]*visibility.PendingWorkloadsSummary{}, map[queue.Key]bool{}
	for key := range waiting {
		summary, err := s.link.pending(ctx, key)
		if err != nil {
			failed[key] = true
			continue
		}
		next[key] = summary
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = positions{pending: next, failed: failed, version: s.order.version + 1}
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
