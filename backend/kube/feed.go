package kube

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// How fast a feed comes back. client-go's own reflector waits up to a minute, which is what users of its consumers
// know as a screen that stays dead after the server is back.
const (
	retryFirst = 250 * time.Millisecond
	retryMost  = 2 * time.Second
	// A kind that is forbidden or not served is asked for again, soon at first, as the answer may be that of a server
	// that is starting, then at this pace: a right may be given while muster runs.
	deniedFirst = 3 * time.Second
	deniedRetry = 45 * time.Second
	// What was allowed and is refused is believed after so long.
	doubt = 15 * time.Second
)

// feed keeps one kind of one namespace ("" = all) in a view.
type feed struct {
	link      *link
	view      *view
	health    *health
	kind      *kind
	namespace string
	selector  string // label selector

	mu     sync.Mutex
	state  feedState
	synced bool // a whole list has arrived once
	denied *Error
	broken error // what broke the connection, while there is none

	refused time.Time // since when a kind that was allowed is refused
}

type feedState int

const (
	feedStarting feedState = iota
	feedSynced             // a whole list arrived, and changes come
	feedBroken             // there is no connection; the objects of before stay
	feedDenied             // forbidden, or not served
)

func (f *feed) status() (feedState, *Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.denied
}

func (f *feed) set(state feedState, denied *Error) {
	f.mu.Lock()
	changed := f.state != state
	f.state, f.denied = state, denied
	if state != feedBroken {
		f.broken = nil
	}
	f.synced = (f.synced || state == feedSynced) && state != feedDenied
	f.mu.Unlock()
	if changed {
		f.view.wake()
	}
}

// lose files that there is no connection, and why.
func (f *feed) lose(err error) {
	f.mu.Lock()
	f.broken = err
	f.mu.Unlock()
	f.set(feedBroken, nil)
}

// run keeps the feed going until ctx ends. With leave it returns when the kind is denied.
func (f *feed) run(ctx context.Context, leave bool) {
	// The reflector logs each break of a connection; the state says it.
	ctx = klog.NewContext(ctx, logr.Discard())
	quiet := logr.Discard()
	synced := func() {
		f.set(feedSynced, nil)
		f.health.ok()
	}
	backOff, denial := retryFirst, deniedFirst
	for ctx.Err() == nil {
		s := &store{view: f.view, kind: f.kind, namespace: f.namespace, onSync: synced, onEvent: f.health.ok}
		started := time.Now()
		var last error
		var mu sync.Mutex
		note := func(err error) {
			mu.Lock()
			last = err
			mu.Unlock()
			f.note(ctx, err)
		}
		reflector := cache.NewReflectorWithOptions(f.source(note), f.kind.object(), s, cache.ReflectorOptions{
			Logger: &quiet, Name: f.kind.resource, TypeDescription: f.kind.resource,
			Backoff: &wait.Backoff{Duration: retryFirst, Factor: 2, Jitter: 0.3, Steps: 10, Cap: retryMost},
		})
		err := reflector.ListAndWatchWithContext(ctx)
		if ctx.Err() != nil {
			return
		}
		mu.Lock()
		if err == nil {
			err = last
		}
		mu.Unlock()
		if time.Since(started) > 10*retryMost {
			backOff = retryFirst
		}
		pause := backOff + rand.N(backOff/2)
		backOff = min(backOff*2, retryMost)
		if state, _ := f.status(); state == feedDenied {
			if leave {
				return
			}
			pause = denial + rand.N(denial/4)
			denial = min(4*denial, deniedRetry)
		} else if err == nil && time.Since(started) > retryMost {
			// A watch that ended in good order: no reason to wait.
			pause, backOff = 0, retryFirst
		}
		sleep(ctx, pause)
	}
}

// note files what a request told about the kind and about the connection.
func (f *feed) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		f.health.ok()
		f.mu.Lock()
		f.refused = time.Time{}
		back, synced := f.state == feedBroken, f.synced
		f.mu.Unlock()
		switch {
		case back && synced:
			f.set(feedSynced, nil)
		case back:
			f.set(feedStarting, nil)
		}
	case ctx.Err() != nil, errors.Is(err, io.EOF):
	case apierrors.IsForbidden(err), apierrors.IsMethodNotSupported(err), meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		f.health.ok() // an answer all the same
		if f.doubtful() {
			f.lose(err)
			return
		}
		about := target{verb: "list", resource: f.kind.resource, workspace: f.namespace}
		var denied *Error
		errors.As(f.link.explain(err, about), &denied)
		f.view.purge(f.kind, f.namespace)
		f.set(feedDenied, denied)
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		f.health.ok()
	default:
		f.health.failed(err)
		f.lose(err)
	}
}

// doubtful tells whether a refusal is not to be believed yet: the kind was allowed before, and an API server that
// starts refuses all until it has read who may do what, and does not know resources until it has read their
// definitions.
func (f *feed) doubtful() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.synced {
		return false
	}
	if f.refused.IsZero() {
		f.refused = time.Now()
	}
	return time.Since(f.refused) < doubt
}

// source lists and watches through the client.
func (f *feed) source(note func(error)) *cache.ListWatch {
	options := func(raw metav1.ListOptions) *client.ListOptions {
		raw.LabelSelector = f.selector
		// The client overwrites Raw's paging with its own fields.
		return &client.ListOptions{Namespace: f.namespace, Limit: raw.Limit, Continue: raw.Continue, Raw: &raw}
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, raw metav1.ListOptions) (runtime.Object, error) {
			ctx, cancel := context.WithTimeout(ctx, 2*unaryTimeout) // pages of a large cluster
			defer cancel()
			list := f.kind.list()
			err := f.link.client.List(ctx, list, options(raw))
			note(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, raw metav1.ListOptions) (watch.Interface, error) {
			w, err := f.link.client.Watch(ctx, f.kind.list(), options(raw))
			note(err)
			return w, err
		},
	}
}

// sleep waits, or ends with ctx.
func sleep(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
