// Package action does things to a whole job (stop, resume, delete, clone) for the screens that offer them: it asks
// first, keeps a second press from doing it twice, and says what came of it.
package action

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/words"
)

// Backend does a verb to a job, and tells how a job was submitted.
type Backend interface {
	// Do does the verb to the job with the UID, and fails when another one has its name by now.
	Do(ctx context.Context, verb snapshot.Verb, workspace, name, uid string) error
	Details(ctx context.Context, workspace, name string) (snapshot.Details, error)
}

// Verb is the verb that a key press asks for.
func Verb(k keys.Map, msg tea.KeyPressMsg) (snapshot.Verb, bool) {
	switch {
	case keys.Matches(msg, k.Stop):
		return snapshot.Stop, true
	case keys.Matches(msg, k.Resume):
		return snapshot.Resume, true
	case keys.Matches(msg, k.Delete):
		return snapshot.Delete, true
	}
	return "", false
}

// Actions are the question that is open on a screen and the actions that are under way. Use New.
type Actions struct {
	backend Backend
	out     *nav.Outbox
	confirm *confirm
	busy    map[target]bool
}

type target struct {
	verb                 snapshot.Verb
	workspace, name, uid string
}

// New returns no actions. What there is to say goes to out, the screen's own.
func New(backend Backend, out *nav.Outbox) *Actions {
	return &Actions{backend: backend, out: out, busy: map[target]bool{}}
}

// Asking tells whether a question is open: keys are its answer then.
func (a *Actions) Asking() bool { return a.confirm != nil }

// Ask opens the question before verb is done to a job, or says why it makes no sense.
func (a *Actions) Ask(env nav.Env, verb snapshot.Verb, s job.Status) {
	t := env.Texts
	about := target{verb, s.Workspace, s.Name, s.UID}
	phase := words.Phase(t, s.Phase)
	refusal := ""
	switch {
	case a.busy[about]:
		refusal = t.T("action.busy", "verb", t.T("verb."+string(verb)), "job", s.Name)
	case verb == snapshot.Stop && s.Phase.Terminal():
		refusal = t.T("action.notRunning", "job", s.Name, "phase", phase)
	case verb == snapshot.Resume && s.Phase != job.Stopped && s.Phase != job.Stopping:
		refusal = t.T("action.notStopped", "job", s.Name, "phase", phase)
	default:
		a.confirm = &confirm{about: about, phase: s.Phase, foreign: s.Foreign}
		return
	}
	a.out.Send(nav.Notify{Level: nav.Warned, Text: refusal})
}

// Key answers the question. Only the key for yes does anything to a job; enter and every key for no close it.
func (a *Actions) Key(ctx context.Context, env nav.Env, msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case a.confirm == nil:
	case keys.Matches(msg, env.Keys.Yes):
		about := a.confirm.about
		a.confirm = nil
		return a.start(ctx, about)
	case keys.Matches(msg, env.Keys.No):
		a.confirm = nil
	}
	return nil
}

// SetSnapshot closes the question when its job is gone, also when another has its name.
func (a *Actions) SetSnapshot(env nav.Env, snap snapshot.Snapshot) {
	if a.confirm == nil || snap.Conn.State != snapshot.Live {
		return
	}
	about := a.confirm.about
	for i := range snap.Jobs {
		if s := &snap.Jobs[i]; s.Workspace == about.workspace && s.Name == about.name && s.UID == about.uid {
			a.confirm.phase = s.Phase
			return
		}
	}
	a.confirm = nil
	a.out.Send(nav.Notify{Level: nav.Warned, Text: env.T("action.left", "job", about.name)})
}

// Done is the message that an action ended.
type Done struct {
	about target
	err   error
	owner *Actions
}

func (a *Actions) start(ctx context.Context, about target) tea.Cmd {
	if a.busy[about] {
		return nil
	}
	a.busy[about] = true
	backend := a.backend
	return func() tea.Msg {
		err := backend.Do(ctx, about.verb, about.workspace, about.name, about.uid)
		return Done{about: about, err: err, owner: a}
	}
}

// Finish takes note of a Done and says what came of it, unless the action was another screen's.
func (a *Actions) Finish(env nav.Env, d Done) {
	if d.owner != a {
		return
	}
	delete(a.busy, d.about)
	t := env.Texts
	if d.err != nil {
		a.out.Send(nav.Notify{Level: nav.Failed, Text: t.T("action.failed",
			"verb", t.T("verb."+string(d.about.verb)), "job", d.about.workspace+"/"+d.about.name, "error", words.Failure(t, d.err))})
		return
	}
	a.out.Send(nav.Notify{Level: nav.Done, Text: t.T("action.done."+string(d.about.verb), "job", d.about.name)})
}

// Details is the message that tells how a job that is to be cloned was submitted.
type Details struct {
	workspace, name string
	details         snapshot.Details
	err             error
	owner           *Actions
}

// Clone fetches how a job was submitted; a [Details] comes.
func (a *Actions) Clone(ctx context.Context, workspace, name string) tea.Cmd {
	backend := a.backend
	return func() tea.Msg {
		details, err := backend.Details(ctx, workspace, name)
		return Details{workspace: workspace, name: name, details: details, err: err, owner: a}
	}
}

// Cloned opens the form with what was fetched, or says why not. While the user types (or answers a question) the form
// does not open: it would take the keys that were meant for something else.
func (a *Actions) Cloned(env nav.Env, d Details, typing bool) {
	if d.owner != a {
		return
	}
	t := env.Texts
	switch {
	case d.err != nil:
		a.out.Send(nav.Notify{Level: nav.Failed, Text: t.T("clone.failed", "job", d.workspace+"/"+d.name, "error", words.Failure(t, d.err))})
	case len(d.details.Unreadable) > 0:
		a.out.Send(nav.Notify{Level: nav.Failed, Text: t.T("clone.unreadable", "job", d.name, "error", t.Problem(d.details.Unreadable[0]))})
	case d.details.Spec == nil:
		a.out.Send(nav.Notify{Level: nav.Warned, Text: t.T("clone.foreign", "job", d.name)})
	case !typing:
		spec := *d.details.Spec
		a.out.Send(nav.NewJob{Spec: &spec, From: d.name})
	}
}
