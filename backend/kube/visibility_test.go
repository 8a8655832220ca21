package kube

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"

	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/snapshot"
)

var orderKey = queue.Key{Workspace: "research", Name: "q"}

// ordered is a session with a queue in which workloads wait, and a server for its order.
func ordered(t *testing.T, answer http.HandlerFunc) *session {
	t.Helper()
	s, _ := large(0)
	s.link = serving(t, limited(world(t)), answer)
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.put(kindLocalQueues, &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "q"}})
	for _, name := range []string{"a", "b"} {
		s.view.put(kindWorkloads, &kueue.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: name}, Spec: kueue.WorkloadSpec{QueueName: "q"}})
	}
	return s
}

func inOrder(w http.ResponseWriter, names ...string) {
	var summary visibility.PendingWorkloadsSummary
	for i, name := range names {
		summary.Items = append(summary.Items, visibility.PendingWorkload{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: name}, PositionInLocalQueue: int32(i)})
	}
	w.Header().Set("Content-Type", "application/json")
	// A client that is gone is not the server's trouble.
	_ = json.NewEncoder(w).Encode(summary)
}

func (s *session) runPositions(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { s.positions(ctx) })
	t.Cleanup(func() {
		cancel()
		group.Wait()
	})
}

func (s *session) orderOf(key queue.Key) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.order.pending[key] == nil {
		return nil
	}
	names := []string{}
	for _, item := range s.order.pending[key].Items {
		names = append(names, item.Name)
	}
	return names
}

// TestANewerOrderStays: an answer that was asked for before does not take the place of one that was asked for after.
func TestANewerOrderStays(t *testing.T) {
	asked, release := make(chan bool, 1), make(chan bool)
	var mu sync.Mutex
	first := true
	s := ordered(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		old := first
		first = false
		mu.Unlock()
		if old {
			asked <- true
			select {
			case <-release:
			case <-r.Context().Done():
			}
			inOrder(w, "a")
			return
		}
		inOrder(w, "b", "a")
	})
	s.cluster.now = func() time.Time { return began } // only once
	s.runPositions(t)
	<-asked
	s.orderNow(t.Context())
	for len(s.view.notify) > 0 {
		<-s.view.notify
	}
	close(release)
	<-s.view.notify // the older answer was dealt with
	if got := s.orderOf(orderKey); len(got) != 2 || got[0] != "b" {
		t.Errorf("order %v", got)
	}
}

// TestOrderIsAskedAgain: a server that does not have the order yet, as one that starts, is asked again soon; and the
// order of before stays while it is away for a moment.
func TestOrderIsAskedAgain(t *testing.T) {
	for name, status := range map[string]int{"not served": http.StatusNotFound, "refused": http.StatusForbidden, "unavailable": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			clock, calls := began, 0
			s := ordered(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				calls++
				if calls == 2 {
					inOrder(w, "b", "a")
					return
				}
				w.WriteHeader(status)
			})
			s.cluster.now = func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				return clock
			}
			s.runPositions(t)
			// round waits until the server was asked n times, and lets time pass if it need not be asked yet.
			round := func(n int, pause time.Duration) {
				t.Helper()
				mu.Lock()
				clock = clock.Add(pause)
				mu.Unlock()
				for {
					mu.Lock()
					enough := calls >= n
					mu.Unlock()
					if enough {
						return
					}
					select {
					case <-t.Context().Done():
						return
					case <-time.After(10 * time.Millisecond):
					}
				}
			}
			round(1, 0)
			round(2, deniedFirst)
			for s.orderOf(orderKey) == nil {
				time.Sleep(10 * time.Millisecond)
			}
			round(3, orderEvery)
			round(4, deniedFirst)
			if got := s.orderOf(orderKey); len(got) != 2 {
				t.Errorf("away for a moment: %v", got)
			}
			round(5, doubt+orderRefused)
			for s.orderOf(orderKey) != nil {
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// TestOrderHoldsUntilItIsAsked: between the second job in a queue and the server's answer the order is not "not known";
// once the server refused it is.
func TestOrderHoldsUntilItIsAsked(t *testing.T) {
	s := ordered(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	c := newComposer(s, snapshot.Snapshot{})
	b := s.view.get(kindWorkloads, types.NamespacedName{Namespace: "research", Name: "b"})
	look := func(change func()) queue.Queue {
		s.view.mu.Lock()
		change()
		s.view.mu.Unlock()
		snap, _, _ := c.compose()
		return snap.Queues[0]
	}
	if q := look(func() { s.view.remove(kindWorkloads, b) }); !q.OrderKnown || len(q.Waiting) != 1 {
		t.Errorf("one waits: %+v", q)
	}
	if q := look(func() { s.view.put(kindWorkloads, b) }); !q.OrderKnown || len(q.Waiting) != 1 {
		t.Errorf("not asked yet: %+v", q)
	}
	s.orderNow(t.Context())
	if q := look(func() {}); q.OrderKnown || len(q.Waiting) != 2 {
		t.Errorf("refused: %+v", q)
	}
}

// TestOrderOfEmptyQueueIsKnown: also where the order of another was refused.
func TestOrderOfEmptyQueueIsKnown(t *testing.T) {
	s := ordered(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	s.orderNow(t.Context())
	s.view.mu.Lock()
	s.view.put(kindLocalQueues, &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "empty"}})
	s.view.mu.Unlock()
	snap, _, _ := newComposer(s, snapshot.Snapshot{}).compose()
	known := map[string]bool{}
	for _, q := range snap.Queues {
		known[q.Name] = q.OrderKnown
	}
	if len(known) != 2 || known["q"] || !known["empty"] {
		t.Errorf("known: %v", known)
	}
}
