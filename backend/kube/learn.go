package kube

import (
	"context"
	"time"

	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/queue"
)

// knowledge is what a session knows beside the objects it follows.
type knowledge struct {
	at       time.Time // when it was learnt; zero: not yet
	server   string
	user     string
	groups   served
	engines  []string
	denied   []string
	problems []job.Problem
	site     loadedSite
	scope    string // workspace for which the rights were asked
}

// How often knowledge is renewed: when the connection came back, when the workspace changed, and at this pace.
const (
	learnEvery  = 5 * time.Minute
	learnFailed = 2 * time.Second
)

// learn keeps knowledge up to date until ctx ends.
func (s *session) learn(ctx context.Context) {
	for ctx.Err() == nil {
		scope, moved := s.cluster.watched()
		known, err := s.ask(ctx, scope)
		pause := learnEvery
		if err != nil {
			pause = learnFailed
			s.health.failed(err)
		} else {
			s.health.ok()
			s.mu.Lock()
			s.know = known
			s.mu.Unlock()
			s.view.mu.Lock()
			s.view.stale[kindNodes] = true // the site is discovered anew
			s.view.mu.Unlock()
			s.view.wake()
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-moved:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// ask asks the server all of it. An error is a lost connection; what is refused is part of the answer.
func (s *session) ask(ctx context.Context, scope string) (knowledge, error) {
	k := knowledge{at: s.cluster.now(), scope: scope}
	workspace := scope
	if workspace == "" {
		workspace = s.link.namespace
	}
	var err error
	if k.user, err = s.link.user(ctx); lost(err) {
		return k, err
	}
	var refused *Error
	if asError(err, &refused) {
		k.problems = append(k.problems, refused.Problem())
	}
	if k.server, err = s.link.version(ctx); lost(err) {
		return k, err
	}
	if k.groups, err = s.link.served(ctx); lost(err) {
		return k, err
	}
	if k.engines, k.denied, err = s.link.engines(ctx, k.groups, workspace); lost(err) {
		return k, err
	}
	missing, err := s.link.workspaceMissing(ctx, workspace)
	if lost(err) {
		return k, err
	}
	if missing {
		k.problems = append(k.problems, problem("workspace", CodeNamespaceNotFound, "workspace", workspace))
	}
	if k.site, err = s.cluster.siteFile(ctx, s.link); lost(err) {
		return k, err
	}
	k.problems = append(k.problems, k.site.problems...)
	return k, nil
}

// lost tells whether an error means that the server is not there or does not know the user, rather than that one
// thing is refused.
func lost(err error) bool {
	e, ok := err.(*Error)
	if !ok {
		return err != nil
	}
	switch e.Code {
	case CodeUnreachable, CodeCertificate, CodeTimedOut, CodeUnauthorized:
		return true
	}
	return false
}

// positions are the orders of the queues, as the visibility API last gave them.
type positions struct {
	pending map[queue.Key]*visibility.PendingWorkloadsSummary // missing: not known
	failed  map[queue.Key]bool                                // asked for in vain
	version int                                               // counts changes
}
