package kube

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"muster.dev/muster/backend/logs"
)

// podLog is the log of one pod's main container, over all its instances.
type podLog struct {
	follower  *logFollower
	pod       *corev1.Pod
	role      string
	index     int
	container string
	source    *logs.Source
	ended     chan struct{} // closed when all is read

	mu     sync.Mutex // guards cursor and heard: the watchdog looks at them
	cursor logs.Cursor
	heard  time.Time // when a line came last
	cut    bool      // a Cut mark stands, and no Resumed mark after it
	last   time.Time // stamp of what was handed on last

	opened  bool      // the log could be read once
	refused time.Time // since when it cannot, for want of a right
}

// succeedWait is how long a pod's log waits for the end of that of the pod whose place it takes. The node of that one
// may be gone.
const succeedWait = 5 * time.Second

// succeed begins the log of a pod that takes the place of another, after the other's last line if that comes in time.
func (p *podLog) succeed(ctx context.Context, before *podLog) {
	timer := time.NewTimer(succeedWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	case <-before.ended:
		p.last = before.last
	}
	if s := p.state(); s.State.Running != nil && s.State.Running.StartedAt.After(p.last) {
		p.last = s.State.Running.StartedAt.Time
	}
	p.mark(logs.Restarted, p.pod.Name)
}

// ending is how one read of a log ended.
type ending struct {
	err   error // nil: in good order
	final bool  // it was begun after the container had ended, so that nothing can lack
}

// run reads until the container will not run again.
func (p *podLog) run(ctx context.Context) {
	request := p.follower.request
	if request.Previous {
		p.previous(ctx)
		return
	}
	instance := p.state().RestartCount
	final := false
	backOff := retryFirst
	for ctx.Err() == nil {
		began := time.Now()
		end := p.read(ctx, logRequest{follow: request.Follow && !final, final: final})
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > 5*time.Second {
			backOff = retryFirst
		}
		if end.err == nil && !request.Follow {
			return
		}
		if code, message := p.refusal(end); code != "" {
			p.mark(code, message)
			return
		}
		now, gone := p.look(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case gone:
			if why := p.whyGone(ctx); why != logs.Gap {
				p.mark(why, "")
			} else if end.err != nil && !final {
				p.mark(logs.Gap, "the pod is gone")
			} else {
				p.mark(logs.Ended, "")
			}
			return
		case now == nil:
			// The server does not answer: below.
		case now.RestartCount > instance:
			p.missed(ctx, now, instance, final && end.err == nil)
			instance, final = now.RestartCount, false
			p.restart()
			backOff = retryFirst
			continue
		case ended(now) && final && end.err == nil:
			p.finish(terminated(now))
			if !p.again(ctx, instance) {
				return
			}
			now := p.state()
			instance, final = now.RestartCount, false
			p.restart()
			continue
		case ended(now):
			// What came so far was read while it ran: read once more to the end.
			final = true
			if end.err == nil {
				p.resume()
				continue
			}
		}
		if end.err != nil || !p.terminating() { // else it ended in good order, a little before its status
			p.broke(end.err)
		}
		p.resume()
		sleep(ctx, backOff+rand.N(backOff/2))
		backOff = min(backOff*2, retryMost)
	}
}

// previous reads the log of the instance before, once.
func (p *podLog) previous(ctx context.Context) {
	for ctx.Err() == nil {
		end := p.read(ctx, logRequest{previous: true, final: true})
		if end.err == nil || ctx.Err() != nil {
			return
		}
		if code, message := p.refusal(end); code != "" {
			p.mark(code, message)
			return
		}
		p.broke(end.err)
		p.resume()
		sleep(ctx, retryMost)
	}
}

// missed reads what an instance wrote last when it was replaced before that could be read; whole: it was.
func (p *podLog) missed(ctx context.Context, now *corev1.ContainerStatus, instance int32, whole bool) {
	switch {
	case whole:
	case now.RestartCount == instance+1:
		p.resume()
		if end := p.read(ctx, logRequest{previous: true, final: true}); end.err != nil && ctx.Err() == nil {
			p.mark(logs.Gap, p.follower.clean(end.err))
		}
	default:
		p.mark(logs.Gap, "restarted more than once")
	}
	var end *corev1.ContainerStateTerminated
	if now.RestartCount == instance+1 {
		end = now.LastTerminationState.Terminated
	}
	p.finish(end)
}

// finish marks the end of an instance at the time when it ended, which may be long after its last line. end is nil
// when nothing is known of it.
func (p *podLog) finish(end *corev1.ContainerStateTerminated) {
	if end == nil {
		p.mark(logs.Ended, "")
		return
	}
	if end.FinishedAt.After(p.last) { // it is of whole seconds: the last line may be later
		p.last = end.FinishedAt.Time
	}
	p.mark(logs.Ended, strconv.Itoa(int(end.ExitCode)))
}

// restart begins a new instance.
func (p *podLog) restart() {
	p.mu.Lock()
	p.cursor = logs.Cursor{}
	p.cut = false
	p.mu.Unlock()
	p.mark(logs.Restarted, p.pod.Name)
}
