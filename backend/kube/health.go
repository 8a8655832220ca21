package kube

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"muster.dev/muster/backend/snapshot"
)

// The heartbeat: a request that costs the server next to nothing, sent only while nothing else shows that it is
// there. It decides within seconds what a silent watch would hide for minutes.
const (
	beatEvery   = 4 * time.Second
	beatBroken  = time.Second
	beatTimeout = 3 * time.Second
	// As many beats in a row without any answer mean a connection that died without a word; all are then closed,
	// so that new ones are made.
	beatsLost = 2
)

// health is what is known of the link, from every request's outcome.
type health struct {
	link *link
	now  func() time.Time
	wake func()

	mu      sync.Mutex
	fresh   time.Time // of the last sign of life
	failing bool
	refused bool // 401
	err     error
}

// ok files a sign of life.
func (h *health) ok() {
	h.mu.Lock()
	was := h.failing
	h.fresh, h.failing, h.refused, h.err = h.now(), false, false, nil
	h.mu.Unlock()
	if was {
		h.wake()
	}
}

// failed files a request that got no answer, or that the server did not let in.
func (h *health) failed(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	refused := apierrors.IsUnauthorized(err) || credentials(err)
	h.mu.Lock()
	changed := !h.failing || h.refused != refused
	h.failing, h.refused, h.err = true, refused, err
	h.mu.Unlock()
	if changed {
		h.wake()
	}
}

// beat runs the heartbeat until ctx ends.
func (h *health) beat(ctx context.Context, beaten func()) {
	lost := 0
	for ctx.Err() == nil {
		h.mu.Lock()
		failing, quiet := h.failing, h.now().Sub(h.fresh) >= beatEvery-time.Second
		h.mu.Unlock()
		if failing || quiet {
			err := h.link.alive(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				h.ok()
				lost = 0
			default:
				h.failed(err)
				if errors.Is(err, context.DeadlineExceeded) {
					if lost++; lost >= beatsLost {
						h.link.tracker.CloseAll()
						lost = 0
					}
				}
			}
			h.mu.Lock()
			failing = h.failing
			h.mu.Unlock()
		}
		if !failing {
			beaten()
		}
		pause := beatEvery
		if failing {
			pause = beatBroken
		}
		sleep(ctx, pause+rand.N(pause/8))
	}
}

// alive asks the server whether it is there and ready to answer. Whether the user may ask that does not matter.
func (l *link) alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	var status int
	err := l.core.Get().AbsPath("/readyz").Do(ctx).StatusCode(&status).Error()
	if status == http.StatusForbidden || status == http.StatusNotFound {
		return nil
	}
	return err
}

// connection is the state as a value. synced tells that a first whole view has arrived, broken that some feed has
// no connection, and cause what that feed last heard: the last request of all may have been answered.
func (h *health) connection(synced, broken bool, cause error) snapshot.Connection {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := snapshot.Connection{Fresh: h.fresh}
	switch {
	case h.refused:
		c.State = snapshot.Unauthorized
	case (h.failing || broken) && synced:
		c.State = snapshot.Stale
	case h.failing || broken || !synced:
		c.State = snapshot.Connecting
	default:
		c.State = snapshot.Live
	}
	err := h.err
	if err == nil {
		err = cause
	}
	if err != nil && c.State != snapshot.Live {
		c.Error = h.link.clean(err)
		if e := new(Error); errors.As(h.link.explain(err, target{}), &e) {
			p := e.Problem()
			c.Problem = &p
		}
	}
	return c
}
