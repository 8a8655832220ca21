package kube

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"muster.dev/muster/backend/logs"
)

// How long lines are held back, so that those of other pods can come before them (see [logs.Merger]).
const (
	holdLive  = 250 * time.Millisecond
	holdStart = time.Second      // following: until all pods have shown the start of their backlog
	holdWhole = 15 * time.Second // not following: a pod whose node answers slowly is waited for
)

// Logs hands the lines of a job's pods to emit, merged in time order, until all is read or, with Follow, until the
// job has ended and all is read, or ctx ends (then the error is nil). emit may block: the streams then wait, and
// nothing is dropped.
//
// A stream that breaks, ends while its container runs, or is silent while its container is not is asked for again
// from the last line seen, without a gap and without a repeat. Pods that appear while following join in; a pod that
// takes the place of another begins with a Restarted mark. What could not be had is said by a Gap or Refused mark,
// never by silence.
func (c *Cluster) Logs(ctx context.Context, request logs.Request, emit func([]logs.Line)) error {
	l, err := c.connected()
	if err != nil {
		return err
	}
	if request.Workspace == "" {
		request.Workspace = l.namespace
	}
	request.Follow = request.Follow && !request.Previous // what has ended does not go on
	found, err := l.find(ctx, request.Workspace, request.Job)
	if err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	hold := holdWhole
	if request.Follow {
		hold = holdLive
	}
	f := &logFollower{
		cluster: c, link: l, request: request, root: found, mux: logs.NewMux(hold),
		streams: map[types.UID]bool{}, places: map[placeKey]*podLog{}, changed: make(chan struct{}),
		began: time.Now(),
	}
	if request.Follow {
		f.mux.Hold(holdStart)
	}
	var group sync.WaitGroup
	var failed error
	group.Go(func() {
		defer f.mux.Seal()
		failed = f.manage(ctx)
	})
	f.mux.Run(ctx, emit)
	cancel()
	group.Wait()
	f.group.Wait()
	if parent.Err() != nil {
		return nil
	}
	return failed
}

// logFollower follows the pods of one job.
type logFollower struct {
	cluster *Cluster
	link    *link
	request logs.Request
	root    root
	mux     *logs.Mux
	session atomic.Pointer[session]
	group   sync.WaitGroup // of streams
	began   time.Time

	mu      sync.Mutex
	streams map[types.UID]bool // pods that have one, now or before
	running int
	places  map[placeKey]*podLog // the latest of each
	changed chan struct{}        // closed when the view changed
}

type placeKey struct {
	role  string
	index int
}

// manage opens a stream for each pod, and returns when no more will come and all have ended.
func (f *logFollower) manage(ctx context.Context) error {
	var feeds sync.WaitGroup
	defer feeds.Wait()
	stop := func() {}
	defer func() { stop() }()
	begin := func(l *link) {
		stop()
		inner, cancel := context.WithCancel(ctx)
		stop = cancel
		f.follow(inner, l, &feeds)
	}
	begin(f.link)
	files := time.NewTicker(time.Second)
	defer files.Stop()
	for ctx.Err() == nil {
		s := f.session.Load()
		settled, _ := s.settled(f.request.Workspace, kindPods)
		pods, denied := f.pods(s)
		if denied != nil {
			return denied
		}
		if settled {
			for _, pod := range pods {
				f.open(ctx, pod)
			}
			if f.done(s) && (!f.request.Follow || f.swept(ctx)) {
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-s.view.notify:
			f.broadcast()
		case <-files.C:
			s.health.mu.Lock()
			refused := s.health.refused
			s.health.mu.Unlock()
			if refused && f.cluster.reload() {
				// New credentials: the view is filled anew, the streams go on from their cursors.
				begin(f.api())
			}
		}
	}
	f.group.Wait()
	return nil
}

// follow begins a view of what decides which pods there are and whether the job has ended.
func (f *logFollower) follow(ctx context.Context, l *link, group *sync.WaitGroup) {
	s := newSession(f.cluster, l)
	f.session.Store(s)
	start := func(k *kind, selector string) {
		group.Go(func() { s.feed(ctx, k, f.request.Workspace, selector, false) })
	}
	start(kindPods, f.root.selector())
	if !f.request.Follow {
		return
	}
	if f.root.kind == kindJobs {
		start(kindJobs, "")
	} else {
		start(kindJobs, f.root.selector())
		start(f.root.kind, "")
	}
	start(kindWorkloads, "")
	group.Go(func() { s.health.beat(ctx, func() {}) })
}

// api is the link as it stands: another one after the credentials changed.
func (f *logFollower) api() *link {
	if l, err := f.cluster.connected(); err == nil {
		return l
	}
	return f.link
}

func (f *logFollower) clean(err error) string { return f.api().clean(err) }

// pods are the job's pods as they stand, those wanted alone.
func (f *logFollower) pods(s *session) ([]*corev1.Pod, *Error) {
	s.mu.Lock()
	feed := s.feeds[feedKey{kindPods, f.request.Workspace}]
	s.mu.Unlock()
	if feed != nil {
		if state, denied := feed.status(); state == feedDenied {
			return nil, denied
		}
	}
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	var out []*corev1.Pod
	for _, pod := range all[*corev1.Pod](s.view, kindPods) {
		if f.wanted(pod) {
			out = append(out, pod)
		}
	}
	return out, nil
}

// open begins the stream of a pod, once, when its container has begun.
func (f *logFollower) open(ctx context.Context, pod *corev1.Pod) {
	container := mainContainer(pod)
	status := containerStatus(pod, container)
	if status == nil || !begun(status) {
		return
	}
	role, index := f.root.place(pod)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams[pod.UID] {
		return
	}
	key := placeKey{role, index}
	before := f.places[key]
	s := &podLog{
		follower: f, pod: pod, role: role, index: index, container: container,
		source: f.mux.Source(), ended: make(chan struct{}),
	}
	f.streams[pod.UID], f.places[key] = true, s
	f.running++
	f.group.Go(func() {
		defer func() {
			close(s.ended)
			s.source.Close()
			f.mu.Lock()
			f.running--
			f.mu.Unlock()
			f.session.Load().view.wake()
		}()
		if before != nil {
			s.succeed(ctx, before)
		}
		s.run(ctx)
	})
}

// begun tells whether a container has run at all.
func begun(status *corev1.ContainerStatus) bool {
	return status.State.Running != nil || status.State.Terminated != nil || status.LastTerminationState.Terminated != nil
}

// done tells whether no more pods will come and every stream has ended.
func (f *logFollower) done(s *session) bool {
	f.mu.Lock()
	running := f.running
	f.mu.Unlock()
	if !f.request.Follow {
		return true
	}
	if running > 0 {
		return false
	}
	kinds := []*kind{f.root.kind, kindJobs, kindWorkloads, kindPods}
	if settled, broken := s.settled(f.request.Workspace, kinds...); !settled || broken {
		return false
	}
	key := types.NamespacedName{Namespace: f.request.Workspace, Name: f.request.Job}
	v := s.view
	v.mu.Lock()
	defer v.mu.Unlock()
	object := v.kinds[f.root.kind][key]
	if object == nil || object.GetUID() != f.root.object.GetUID() {
		return true // deleted
	}
	status, ok := statusOf(v, key)
	return !ok || status.Phase.Terminal()
}

// swept opens the streams of pods that the view has not shown yet, and tells whether there are none. The feeds of the
// job and of its pods are not in step: after an outage the job may be seen to have ended before its last pods are seen
// at all. So the server is asked for the pods once more, after the end.
func (f *logFollower) swept(ctx context.Context) bool {
	call, cancel := unary(ctx)
	defer cancel()
	var list corev1.PodList
	err := f.api().client.List(call, &list, &client.ListOptions{
		Namespace: f.request.Workspace, Raw: &metav1.ListOptions{LabelSelector: f.root.selector()},
	})
	if err != nil {
		return false // asked again with the next change, or in a second
	}
	before := f.opened()
	for i := range list.Items {
		if f.wanted(&list.Items[i]) {
			f.open(ctx, &list.Items[i])
		}
	}
	return f.opened() == before
}

// opened counts the streams so far.
func (f *logFollower) opened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.streams)
}

// wanted tells whether a pod is the job's and one of those asked for.
func (f *logFollower) wanted(pod *corev1.Pod) bool {
	role, index := f.root.place(pod)
	if f.request.Role != "" && role != f.request.Role || f.request.Index >= 0 && index != f.request.Index {
		return false
	}
	return f.root.owns(pod)
}

// broadcast wakes the streams that wait for their pod to change.
func (f *logFollower) broadcast() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.changed)
	f.changed = make(chan struct{})
}

// awaitChange waits for the view to change, at most for d.
func (f *logFollower) awaitChange(ctx context.Context, d time.Duration) {
	f.mu.Lock()
	changed := f.changed
	f.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-timer.C:
	}
}
