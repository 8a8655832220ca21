package kube

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/stock"
)

// stockEvery is the shortest time between two counts of the stock: it reads every pod of the cluster.
const stockEvery = time.Second

// composer makes snapshots of a session's view, and does again only what changed.
type composer struct {
	session *session
	last    snapshot.Snapshot
	jobs    map[types.NamespacedName]*job.Status
	sorted  []job.Status // of jobs, newest first, without positions in queues
	index   map[types.NamespacedName]int
	scope   string
	entered bool
	order   int // version of the queues' order in last
	counted time.Time
	learnt  time.Time // of the knowledge in last
}

func newComposer(s *session, last snapshot.Snapshot) *composer {
	return &composer{session: s, last: last, jobs: map[types.NamespacedName]*job.Status{}}
}

// compose makes a snapshot. changed tells whether it differs from the one before in more than its age; later, when
// not 0, that it should be made again after that time.
func (c *composer) compose() (snap snapshot.Snapshot, changed bool, later time.Duration) {
	s := c.session
	scope, _ := s.cluster.watched()
	now := s.cluster.now()
	next := c.last
	if !c.entered || scope != c.scope {
		if c.entered || next.Facts.Workspace != scope {
			// Rows of another workspace must not pass for this one's.
			next.Jobs, next.Queues, next.Volumes = nil, nil, nil
		}
		c.scope, c.entered, c.sorted = scope, true, nil
		c.jobs = map[types.NamespacedName]*job.Status{}
		changed = true
		s.view.mu.Lock()
		for key := range s.view.jobs {
			s.view.dirty[key] = true
		}
		for _, k := range scoped {
			s.view.stale[k.kind] = true
		}
		s.view.stale[kindPods] = true
		s.view.mu.Unlock()
	}
	next.Facts.Context, next.Facts.Workspace = s.link.context, scope

	s.mu.Lock()
	know, order := s.know, s.order
	s.mu.Unlock()
	if !know.at.IsZero() && !know.at.Equal(c.learnt) {
		c.learnt = know.at
		next.Facts.User, next.Facts.Server, next.Facts.Engines = know.user, know.server, know.engines
		next.Facts.Kueue = know.groups.has(kueueGroup, kueueVersion)
		next.Facts.SiteSource, next.Facts.Problems = know.site.source, know.problems
		changed = true
	}
	denied := append(s.denials(), know.denied...)
	if !slices.Equal(denied, next.Facts.Denied) {
		next.Facts.Denied = denied
		changed = true
	}

	jobsReady, _ := s.settled(scope, jobKinds[:]...)
	stockReady, _ := s.settled("", kindNodes)
	podsReady, _ := s.settled(scope, kindPods)
	queuesReady, _ := s.settled(scope, kindLocalQueues, kindWorkloads)
	claimsReady, _ := s.settled(scope, kindClaims)

	s.view.mu.Lock()
	if jobsReady {
		if rows, differ := c.refreshJobs(scope); differ {
			next.Jobs = rows
			changed = true
		}
	}
	if names := c.workspaces(); !slices.Equal(names, next.Workspaces) {
		next.Workspaces = names
		changed = true
	}
	if stockReady && podsReady && !know.at.IsZero() && (s.view.stale[kindNodes] || s.view.stale[kindPods]) {
		if wait := stockEvery - now.Sub(c.counted); wait > 0 && !c.counted.IsZero() {
			later = wait
		} else {
			c.counted = now
			place := c.place(know.site.site)
			counted := c.count(place)
			if !reflect.DeepEqual(place, next.Site) {
				next.Site = place
				changed = true
			}
			if !reflect.DeepEqual(counted, next.Stock) {
				next.Stock = counted
				changed = true
			}
			s.view.stale[kindNodes], s.view.stale[kindPods] = false, false
			s.view.stale[kindClaims] = true // who uses a volume
		}
	}
	queuesStale := s.view.stale[kindLocalQueues] || s.view.stale[kindClusterQueues] || s.view.stale[kindWorkloads]
	if queuesReady && (queuesStale || order.version != c.order) {
		queues := c.queues(scope, order)
		if !reflect.DeepEqual(queues, next.Queues) {
			next.Queues = queues
			changed = true
		}
		if order.version != c.order {
			// Positions stand in the jobs' rows, too.
			c.order = order.version
		}
		s.view.stale[kindLocalQueues], s.view.stale[kindClusterQueues], s.view.stale[kindWorkloads] = false, false, false
		if placed, moved := placeJobs(next.Jobs, next.Queues); moved {
			next.Jobs = placed
			changed = true
		}
	} else if changed && next.Jobs != nil {
		next.Jobs, _ = placeJobs(next.Jobs, next.Queues)
	}
	if claimsReady && s.view.stale[kindClaims] {
		volumes := c.volumes(scope)
		if !reflect.DeepEqual(volumes, next.Volumes) {
			next.Volumes = volumes
			changed = true
		}
		s.view.stale[kindClaims] = false
	}
	s.view.mu.Unlock()

	next.Conn = c.connection(scope)
	changed = changed || next.Conn.State != c.last.Conn.State || next.Conn.Error != c.last.Conn.Error
	c.last = next
	return next, changed, later
}

// complete tells whether all that the scope needs has arrived or was refused.
func (s *session) complete() bool {
	scope := s.cluster.Workspace()
	settled, _ := s.settled(scope, append(jobKinds[:], kindNodes, kindNamespaces, kindLocalQueues, kindClusterQueues, kindClaims)...)
	s.mu.Lock()
	defer s.mu.Unlock()
	return settled && !s.know.at.IsZero() && s.know.scope == scope
}

func (c *composer) connection(scope string) snapshot.Connection {
	settled, broken := c.session.settled(scope, append(jobKinds[:], kindNodes)...)
	hadData := settled || !c.last.Conn.Fresh.IsZero() && c.last.Jobs != nil
	conn := c.session.health.connection(hadData, broken, c.session.cause())
	if conn.State == snapshot.Live && !settled {
		conn.State = snapshot.Connecting // another workspace was just chosen
	}
	if conn.Fresh.IsZero() || conn.State != snapshot.Live && conn.Fresh.Before(c.last.Conn.Fresh) {
		conn.Fresh = c.last.Conn.Fresh
	}
	if conn.State == c.last.Conn.State {
		conn.Since = c.last.Conn.Since
	} else {
		conn.Since = c.session.cluster.now()
	}
	return conn
}

// refreshJobs works out anew the jobs that something changed of, and gives all rows, newest first, without their
// positions in queues; changed tells whether any differs from before. view.mu is held.
func (c *composer) refreshJobs(scope string) (rows []job.Status, changed bool) {
	v := c.session.view
	var fresh []types.NamespacedName
	same := c.sorted != nil // the same jobs, so that the order holds
	for key := range v.dirty {
		delete(v.dirty, key)
		if scope != "" && key.Namespace != scope {
			continue
		}
		status, ok := statusOf(v, key)
		old := c.jobs[key]
		if ok && old != nil && old.UID == status.UID {
			keepRun(&status, old)
		}
		switch {
		case !ok && old != nil:
			delete(c.jobs, key)
			changed, same = true, false
		case ok && old == nil:
			c.jobs[key] = &status
			changed, same = true, false
		case ok && !reflect.DeepEqual(*old, status):
			same = same && old.Created.Equal(status.Created)
			c.jobs[key] = &status
			changed = true
			fresh = append(fresh, key)
		}
	}
	switch {
	case !same:
		c.sort()
	case changed:
		c.sorted = slices.Clone(c.sorted) // the one before was handed out
		for _, key := range fresh {
			c.sorted[c.index[key]] = *c.jobs[key]
		}
	}
	return c.sorted, changed || !same
}

// keepRun keeps how long a job ran that is being stopped or is stopped: its pods, which knew, are gone.
func keepRun(now, before *job.Status) {
	if now.Started != nil {
		return
	}
	switch {
	case now.Phase == job.Stopping:
		now.Started = before.Started
	case now.Phase != job.Stopped || now.RunSeconds > 0:
	case before.Started != nil && now.Finished != nil:
		now.RunSeconds = max(int64(now.Finished.Sub(*before.Started)/time.Second), 0)
	default:
		now.RunSeconds = before.RunSeconds
	}
}

// sort puts all rows in order. Pointers are sorted: a row is large.
func (c *composer) sort() {
	rows := make([]*job.Status, 0, len(c.jobs))
	for _, status := range c.jobs {
		rows = append(rows, status)
	}
	slices.SortFunc(rows, func(a, b *job.Status) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.Workspace, b.Workspace), strings.Compare(a.Name, b.Name))
	})
	c.sorted = make([]job.Status, len(rows))
	c.index = make(map[types.NamespacedName]int, len(rows))
	for i, row := range rows {
		c.sorted[i] = *row
		c.index[types.NamespacedName{Namespace: row.Workspace, Name: row.Name}] = i
	}
}

// workspaces are the namespaces that may be chosen. A site may say by a label which are workspaces.
func (c *composer) workspaces() []string {
	label := c.last.Site.Defaults.WorkspaceLabel
	var names, labelled []string
	for _, n := range all[*corev1.Namespace](c.session.view, kindNamespaces) {
		names = append(names, n.Name)
		if _, ok := n.Labels[label]; ok && label != "" {
			labelled = append(labelled, n.Name)
		}
	}
	switch {
	case len(labelled) > 0:
		return labelled
	case len(names) > 0:
		return names
	}
	return c.session.link.known
}

// volumes are the claims of the scope, with the jobs that use them. view.mu is held.
func (c *composer) volumes(scope string) []snapshot.Volume {
	users := map[types.NamespacedName][]string{}
	for _, o := range c.session.view.kinds[kindPods] {
		pod := o.(*corev1.Pod)
		if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		name := pod.Name
		if of, ok := jobOf(kindPods, pod); ok {
			name = of.Name
		}
		for _, v := range pod.Spec.Volumes {
			key := types.NamespacedName{Namespace: pod.Namespace, Name: v.PersistentVolumeClaim.ClaimName}
			if !slices.Contains(users[key], name) {
				users[key] = append(users[key], name)
			}
		}
	}
	var out []snapshot.Volume
	for _, claim := range all[*corev1.PersistentVolumeClaim](c.session.view, kindClaims) {
		if scope != "" && claim.Namespace != scope {
			continue
		}
		out = append(out, volumeOf(c.last.Site, claim, users[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}]))
	}
	return out
}

// place is the site with what the nodes tell. view.mu is held.
func (c *composer) place(s site.Site) site.Site {
	listed := all[*corev1.Node](c.session.view, kindNodes)
	nodes := make([]corev1.Node, len(listed))
	for i, n := range listed {
		nodes[i] = *n
	}
	return site.Discover(s, nodes)
}

// count counts the stock, or names the right that lacks. view.mu is held.
func (c *composer) count(place site.Site) []stock.Stock {
	for _, k := range []*kind{kindNodes, kindPods} {
		if c.session.refused(k) {
			return stock.Unknown("list " + k.resource)
		}
	}
	v := c.session.view
	return stock.Count(place, all[*corev1.Node](v, kindNodes), anyOrder[*corev1.Pod](v, kindPods))
}

// queues are the LocalQueues of the scope. view.mu is held.
func (c *composer) queues(scope string, order positions) []queue.Queue {
	v := c.session.view
	var locals []*kueue.LocalQueue
	for _, q := range all[*kueue.LocalQueue](v, kindLocalQueues) {
		if scope == "" || q.Namespace == scope {
			locals = append(locals, q)
		}
	}
	queues := queue.From(locals, all[*kueue.ClusterQueue](v, kindClusterQueues), all[*kueue.Workload](v, kindWorkloads), order.pending)
	for i, q := range queues {
		if q.OrderKnown || order.failed[queue.Key{Workspace: q.Workspace, Name: q.Name}] {
			continue
		}
		// Its order is about to be asked for: until then that of before holds.
		for _, before := range c.last.Queues {
			if before.Workspace == q.Workspace && before.Name == q.Name && before.OrderKnown {
				queues[i].Waiting, queues[i].OrderKnown = before.Waiting, true
			}
		}
	}
	return queues
}

// placeJobs writes the jobs' positions in their queues; the rows given stay as they are.
func placeJobs(jobs []job.Status, queues []queue.Queue) ([]job.Status, bool) {
	type key struct{ workspace, name string }
	at := map[key]int{}
	for _, q := range queues {
		if !q.OrderKnown {
			continue
		}
		for _, w := range q.Waiting {
			at[key{w.Workspace, w.Job}] = w.Position
		}
	}
	out := jobs
	copied := false
	for i, j := range jobs {
		var position *int
		if n, ok := at[key{j.Workspace, j.Name}]; ok && j.Phase == job.Queued {
			position = &n
		}
		if (position == nil) == (j.QueuePosition == nil) && (position == nil || *position == *j.QueuePosition) {
			continue
		}
		if !copied {
			out, copied = slices.Clone(jobs), true
		}
		out[i].QueuePosition = position
	}
	return out, copied
}
