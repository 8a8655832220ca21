package kube

import (
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"muster.dev/muster/backend/logs"
)

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
