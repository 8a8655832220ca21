package kube

import (
	"context"
	"sync"
	"time"

	"muster.dev/muster/backend/snapshot"
)

// emitEvery is the shortest time between two snapshots.
const emitEvery = 250 * time.Millisecond

// Watch keeps a view of the workspace up to date (SetWorkspace changes it) and hands it to emit: at once, with what
// is known without the network, then on change and at each sign of life, at most four times a second, always from
// the calling goroutine. It returns nil when ctx ends, and leaves no goroutine behind.
//
// It never gives up. When the server is gone the last data stay, Stale, and it is back within two seconds of the
// server; with 401 it waits for the kubeconfig, or a file that it names, to change; without a usable kubeconfig it
// waits for one.
func (c *Cluster) Watch(ctx context.Context, emit func(snapshot.Snapshot)) error {
	var last snapshot.Snapshot
	for ctx.Err() == nil {
		l, err := c.connected()
		if err != nil {
			last = c.noConfig(ctx, last, err, emit)
			continue
		}
		last = c.follow(ctx, l, last, emit)
	}
	return nil
}

// noConfig says that there is no usable kubeconfig and waits until its files change.
func (c *Cluster) noConfig(ctx context.Context, last snapshot.Snapshot, err error, emit func(snapshot.Snapshot)) snapshot.Snapshot {
	last.Conn = snapshot.Connection{State: snapshot.NoConfig, Since: c.now(), Fresh: last.Conn.Fresh, Error: plain(err)}
	if e, ok := err.(*Error); ok {
		p := e.Problem()
		last.Conn.Problem = &p
	}
	last.Facts.Context, last.Facts.Workspace = c.Context(), c.Workspace()
	emit(last)
	for ctx.Err() == nil {
		sleep(ctx, time.Second)
		c.mu.Lock()
		changed := c.files.changed()
		c.mu.Unlock()
		if changed {
			break
		}
	}
	return last
}

// begin starts a session over one link. stop ends it, with the context that is its own, and returns when all of it has
// ended.
func (c *Cluster) begin(ctx context.Context, l *link) (inner context.Context, s *session, stop func()) {
	inner, cancel := context.WithCancel(ctx)
	s = newSession(c, l)
	var group sync.WaitGroup
	s.start(inner, &group)
	return inner, s, func() {
		cancel()
		group.Wait()
	}
}

// follow watches over one link until ctx ends or there is another link; it returns the last snapshot.
func (c *Cluster) follow(ctx context.Context, l *link, last snapshot.Snapshot, emit func(snapshot.Snapshot)) snapshot.Snapshot {
	ctx, s, stop := c.begin(ctx, l)
	defer stop()

	maker := newComposer(s, last)
	files := time.NewTicker(time.Second)
	defer files.Stop()
	again := time.NewTimer(0) // compose at once, and later when something was put off
	defer again.Stop()
	var emitted time.Time
	for {
		beat := false
		select {
		case <-ctx.Done():
			return maker.last
		case <-s.view.notify:
		case <-again.C:
		case <-s.beats:
			beat = true
		case <-files.C:
			// Credentials are refused: a renewed file may help. While there is no answer at all the file may name
			// another server by now.
			if state := maker.last.Conn.State; state != snapshot.Live && c.reload() {
				return maker.last
			}
			continue
		}
		if wait := emitEvery - time.Since(emitted); wait > 0 && !emitted.IsZero() {
			sleep(ctx, wait)
			if ctx.Err() != nil {
				return maker.last
			}
		}
		snap, changed, later := maker.compose()
		if later > 0 {
			again.Reset(later)
		}
		if changed || beat || emitted.IsZero() {
			emitted = time.Now()
			emit(snap)
		}
	}
}

// Snapshot gives one complete view of the workspace.
func (c *Cluster) Snapshot(ctx context.Context) (snapshot.Snapshot, error) {
	l, err := c.connected()
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	ctx, s, stop := c.begin(ctx, l)
	defer stop()
	if err := s.waitSettled(ctx); err != nil {
		return snapshot.Snapshot{}, err
	}
	s.orderNow(ctx)
	snap, _, _ := newComposer(s, snapshot.Snapshot{}).compose()
	return snap, nil
}
