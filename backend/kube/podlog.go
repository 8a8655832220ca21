package kube

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

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
			if end.err != nil && !final {
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
		p.broke(end.err)
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

// again waits until the container runs once more; false when it will not.
func (p *podLog) again(ctx context.Context, instance int32) bool {
	for ctx.Err() == nil {
		pod, known := p.current()
		if !known {
			p.follower.awaitChange(ctx, time.Second)
			continue
		}
		if pod == nil || pod.UID != p.pod.UID || pod.DeletionTimestamp != nil ||
			pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed ||
			pod.Spec.RestartPolicy == corev1.RestartPolicyNever {
			return false
		}
		if s := containerStatus(pod, p.container); s != nil && s.RestartCount > instance {
			return true
		}
		p.follower.awaitChange(ctx, 5*time.Second)
	}
	return false
}

// current is the pod as the view has it, nil when it is gone; known is false while there is no view.
func (p *podLog) current() (pod *corev1.Pod, known bool) {
	s := p.follower.session.Load()
	o := s.view.get(kindPods, types.NamespacedName{Namespace: p.pod.Namespace, Name: p.pod.Name})
	pod, _ = o.(*corev1.Pod)
	if pod != nil {
		return pod, true
	}
	settled, broken := s.settled(p.pod.Namespace, kindPods)
	return nil, settled && !broken
}

func (p *podLog) state() corev1.ContainerStatus {
	pod, _ := p.current()
	if pod == nil || pod.UID != p.pod.UID {
		pod = p.pod
	}
	if s := containerStatus(pod, p.container); s != nil {
		return *s
	}
	return corev1.ContainerStatus{}
}

// look asks the server how the container stands: the view may be behind the stream. gone: the pod is no more, or is
// another one of the same name. All nil: there was no answer.
func (p *podLog) look(ctx context.Context) (status *corev1.ContainerStatus, gone bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var pod corev1.Pod
	err := p.follower.api().client.Get(ctx, types.NamespacedName{Namespace: p.pod.Namespace, Name: p.pod.Name}, &pod)
	switch {
	case apierrors.IsNotFound(err), err == nil && pod.UID != p.pod.UID:
		return nil, true
	case apierrors.IsForbidden(err):
		// The right to read logs without that to get pods: go by the view.
		seen, known := p.current()
		if !known {
			return nil, false
		}
		if seen == nil || seen.UID != p.pod.UID {
			return nil, true
		}
		return containerStatus(seen, p.container), false
	case err != nil:
		return nil, false
	}
	return containerStatus(&pod, p.container), false
}

func ended(s *corev1.ContainerStatus) bool { return s.State.Running == nil && terminated(s) != nil }

func terminated(s *corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	if s.State.Terminated != nil {
		return s.State.Terminated
	}
	return s.LastTerminationState.Terminated
}

// refusal tells whether asking again is of no use.
func (p *podLog) refusal(end ending) (logs.Mark, string) {
	err := end.err
	switch {
	case err == nil:
		return "", ""
	case apierrors.IsForbidden(err) && p.doubtful():
	case apierrors.IsForbidden(err):
		return logs.Refused, p.follower.clean(err)
	case apierrors.IsBadRequest(err) && p.follower.request.Previous:
		return logs.Refused, p.follower.clean(err)
	case apierrors.IsNotFound(err) && !p.follower.request.Follow:
		return logs.Gap, "the pod is gone"
	case errors.Is(err, errNoLog) && (end.final || !p.follower.request.Follow):
		return logs.Refused, strings.TrimPrefix(err.Error(), errNoLog.Error()+": ")
	}
	return "", ""
}

// doubtful tells whether a 403 is not to be believed yet, as for feeds.
func (p *podLog) doubtful() bool {
	if !p.opened {
		return false
	}
	if p.refused.IsZero() {
		p.refused = time.Now()
	}
	return time.Since(p.refused) < doubt
}

// broke marks a cut, once for a row of failures.
func (p *podLog) broke(err error) {
	p.mu.Lock()
	was := p.cut
	p.cut = true
	p.mu.Unlock()
	if was {
		return
	}
	text := ""
	if err != nil {
		text = p.follower.clean(err)
	}
	p.mark(logs.Cut, text)
}

func (p *podLog) resume() {
	p.mu.Lock()
	p.cursor.Resume()
	p.mu.Unlock()
}

// mark hands a mark on, in its place after the lines before it.
func (p *podLog) mark(mark logs.Mark, text string) {
	if p.last.IsZero() {
		p.last = p.pod.CreationTimestamp.Time
		if s := p.state(); s.State.Running != nil {
			p.last = s.State.Running.StartedAt.Time
		}
	}
	p.source.Send([]logs.Line{{Time: p.last, Role: p.role, Index: p.index, Pod: p.pod.Name, Text: text, Mark: mark}})
}
