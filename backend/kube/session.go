package kube

import (
	"context"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// session is one run of feeds over one link.
type session struct {
	cluster *Cluster
	link    *link
	view    *view
	health  *health
	beats   chan struct{}

	mu    sync.Mutex
	feeds map[feedKey]*feed
	know  knowledge
	order positions
}

type feedKey struct {
	kind      *kind
	namespace string
}

// scoped are the kinds that are followed in the workspace alone.
var scoped = [...]struct {
	kind     *kind
	selector string
}{
	{kindJobSets, ""}, {kindJobs, ""}, {kindServices, managed}, {kindWorkloads, ""}, {kindLocalQueues, ""}, {kindClaims, ""},
}

// jobKinds must all have arrived before jobs are shown: a JobSet without its pods would look as if it were starting.
var jobKinds = [...]*kind{kindJobSets, kindJobs, kindServices, kindWorkloads, kindPods}

func newSession(c *Cluster, l *link) *session {
	v := newView()
	return &session{
		cluster: c, link: l, view: v, beats: make(chan struct{}, 1),
		health: &health{link: l, now: c.now, wake: v.wake}, feeds: map[feedKey]*feed{},
	}
}

// start runs everything that follows the cluster; all of it has ended when the group is done, which is soon after
// ctx ends.
func (s *session) start(ctx context.Context, group *sync.WaitGroup) {
	group.Go(func() {
		s.health.beat(ctx, func() {
			select {
			case s.beats <- struct{}{}:
			default:
			}
		})
	})
	for _, k := range []*kind{kindNodes, kindNamespaces, kindClusterQueues} {
		group.Go(func() { s.feed(ctx, k, "", "", false) })
	}
	group.Go(func() { s.wide(ctx, kindPods, "", s.podsOfScope) })
	group.Go(func() { s.scopes(ctx) })
	group.Go(func() { s.learn(ctx) })
	group.Go(func() { s.positions(ctx) })
}

// feed runs one feed, which is known to the session while it runs, and forgets its objects afterwards.
func (s *session) feed(ctx context.Context, k *kind, namespace, selector string, leave bool) *feed {
	f := &feed{link: s.link, view: s.view, health: s.health, kind: k, namespace: namespace, selector: selector}
	key := feedKey{k, namespace}
	s.mu.Lock()
	s.feeds[key] = f
	s.mu.Unlock()
	f.run(ctx, leave)
	if leave && ctx.Err() == nil {
		return f // denied: stays known as such
	}
	s.mu.Lock()
	if s.feeds[key] == f {
		delete(s.feeds, key)
	}
	s.mu.Unlock()
	return f
}

// wide follows a kind in all namespaces, and where that is forbidden lets narrow follow it where it is not. It is
// asked for again at a slow pace.
func (s *session) wide(ctx context.Context, k *kind, selector string, narrow func(context.Context)) {
	for ctx.Err() == nil {
		s.feed(ctx, k, "", selector, true)
		if ctx.Err() != nil {
			return
		}
		inner, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		group.Go(func() { narrow(inner) })
		for pause := deniedFirst; ctx.Err() == nil; pause = min(4*pause, deniedRetry) {
			sleep(ctx, pause)
			one, done := unary(ctx)
			err := s.link.client.List(one, k.list(), &client.ListOptions{Limit: 1})
			done()
			if err == nil {
				break
			}
		}
		cancel()
		group.Wait()
	}
}

// podsOfScope follows pods in the workspace that is watched, when the cluster's pods are not for the user to see.
func (s *session) podsOfScope(ctx context.Context) {
	s.eachScope(ctx, func(ctx context.Context, scope string) {
		s.inNamespaces(ctx, kindPods, "", s.namespaces(scope))
	})
}

// scopes follows what is followed in the workspace alone.
func (s *session) scopes(ctx context.Context) {
	s.eachScope(ctx, func(ctx context.Context, scope string) {
		var group sync.WaitGroup
		for _, k := range scoped {
			group.Go(func() {
				if scope != "" {
					s.feed(ctx, k.kind, scope, k.selector, false)
					return
				}
				s.wide(ctx, k.kind, k.selector, func(ctx context.Context) {
					s.inNamespaces(ctx, k.kind, k.selector, s.namespaces(""))
				})
			})
		}
		group.Wait()
		for _, k := range scoped {
			s.view.purge(k.kind, "")
			s.mu.Lock()
			delete(s.feeds, feedKey{k.kind, ""}) // one that was denied
			s.mu.Unlock()
		}
	})
}

// eachScope runs follow for the workspace watched, and again when another is watched.
func (s *session) eachScope(ctx context.Context, follow func(context.Context, string)) {
	for ctx.Err() == nil {
		scope, moved := s.cluster.watched()
		inner, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		group.Go(func() { follow(inner, scope) })
		select {
		case <-ctx.Done():
		case <-moved:
		}
		cancel()
		group.Wait()
		s.view.wake()
	}
}

func (s *session) inNamespaces(ctx context.Context, k *kind, selector string, namespaces []string) {
	var group sync.WaitGroup
	for _, namespace := range namespaces {
		group.Go(func() {
			s.feed(ctx, k, namespace, selector, false)
			s.view.purge(k, namespace)
		})
	}
	group.Wait()
}

// namespaces are those that a scope stands for when there is no right to look at all at once.
func (s *session) namespaces(scope string) []string {
	if scope != "" {
		return []string{scope}
	}
	return s.known()
}

// known are the namespaces that the user may be offered: all, if they may be listed, else those of the kubeconfig.
func (s *session) known() []string {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	var names []string
	for _, n := range all[*corev1.Namespace](s.view, kindNamespaces) {
		names = append(names, n.Name)
	}
	if len(names) == 0 {
		names = slices.Clone(s.link.known)
	}
	return names
}

// settled tells for a scope whether the kinds' first lists have arrived (or will not come), and whether any feed
// has lost its connection.
func (s *session) settled(scope string, kinds ...*kind) (settled, broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	settled = true
	for _, k := range kinds {
		ready, seen := true, false
		for key, f := range s.feeds {
			if key.kind != k || scope != "" && key.namespace != "" && key.namespace != scope {
				continue
			}
			f.mu.Lock()
			state, synced := f.state, f.synced
			f.mu.Unlock()
			if key.namespace == "" && state == feedDenied && k != kindNodes && k != kindClusterQueues && k != kindNamespaces {
				continue // the narrow feeds count
			}
			seen = true
			ready = ready && (synced || state == feedDenied)
			broken = broken || state == feedBroken
		}
		settled = settled && seen && ready
	}
	return settled, broken
}

// cause is why a feed has no connection; nil when all have.
func (s *session) cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feeds {
		f.mu.Lock()
		broken := f.broken
		f.mu.Unlock()
		if broken != nil {
			return broken
		}
	}
	return nil
}

// denials are what the feeds were refused, in a fixed order.
func (s *session) denials() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for key, f := range s.feeds {
		state, denied := f.status()
		if state != feedDenied || denied == nil || denied.Code != CodeDenied {
			continue
		}
		out = append(out, deniedText("list", key.kind.resource, key.namespace))
	}
	slices.Sort(out)
	return out
}

// get finds one object of the view.
func (v *view) get(k *kind, key types.NamespacedName) client.Object {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.kinds[k][key]
}

// giveUp is how long one view is tried for while every request fails.
const giveUp = 10 * time.Second

// waitSettled blocks until the whole view of the scope has arrived. It gives up when the server does not let the
// user in or cannot be reached, with the reason.
func (s *session) waitSettled(ctx context.Context) error {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	var since time.Time // of failures without a success in between
	for {
		if s.complete() {
			return nil
		}
		s.health.mu.Lock()
		failing, refused, err := s.health.failing, s.health.refused, s.health.err
		s.health.mu.Unlock()
		switch {
		case !failing:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		if refused || failing && (unreachable(err) || time.Since(since) > giveUp) {
			return s.link.explain(err, target{verb: "list", resource: "jobs.batch", workspace: s.cluster.Workspace()})
		}
		select {
		case <-ctx.Done():
			if err != nil {
				return s.link.explain(err, target{})
			}
			return s.link.explain(ctx.Err(), target{verb: "list", resource: "jobs.batch"})
		case <-ticker.C:
		}
	}
}

// refused tells whether a kind may not be listed in all namespaces.
func (s *session) refused(k *kind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[feedKey{k, ""}]
	if f == nil {
		return false
	}
	state, _ := f.status()
	return state == feedDenied
}
