// Package action does things to a whole job (stop, resume, delete, clone) for the screens that offer them: it asks
// first, keeps a second press from doing it twice, and says what came of it.
package action

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// Doer does a verb to a job.
type Doer interface {
	Do(ctx context.Context, verb snapshot.Verb, workspace, name, uid string) error
}

// Detailer tells how a job was submitted.
type Detailer interface {
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

// Confirm is a question that waits for an answer. It is about the job that was selected when it was asked, whatever
// is selected meanwhile.
type Confirm struct {
	Verb            snapshot.Verb
	Workspace, Name string
	UID             string
	phase           job.Phase
	foreign         bool
}

// View draws the question in at most width × height cells.
func (c *Confirm) View(env nav.Env, width, height int) string {
	t := env.Texts
	lines := cell.Wrap(t.T("action.which", "workspace", c.Workspace, "job", c.Name, "phase", words.Phase(t, c.phase)), width-4)
	lines = append(lines, cell.Wrap(t.T("action.effect."+string(c.Verb)), width-4)...)
	if c.foreign {
		for _, line := range cell.Wrap(t.T("action.foreign"), width-4) {
			lines = append(lines, env.Styles.Warning.Render(line))
		}
	}
	k := env.Keys
	answer := env.Styles.Key.Render(k.Yes.Help().Key) + " " + env.T(k.Yes.Help().Desc) + "   " +
		env.Styles.Key.Render(k.No.Help().Key) + " " + env.T(k.No.Help().Desc)
	if height >= len(lines)+4 {
		lines = append(lines, "")
	}
	lines = append(lines[:min(len(lines), max(height-3, 0))], answer)
	return widget.Box(env.Styles, t.T("action.title."+string(c.Verb)), lines, width, height)
}

// Running are the actions that are under way. Use New.
type Running struct {
	busy map[key]bool
}

type key struct {
	verb            snapshot.Verb
	workspace, name string
}

// New returns no running actions.
func New() *Running { return &Running{busy: map[key]bool{}} }

// Ask makes the question before verb is done to a job; nil and a sentence when it makes no sense or is under way.
func (r *Running) Ask(env nav.Env, verb snapshot.Verb, s job.Status) (*Confirm, string) {
	t := env.Texts
	phase := words.Phase(t, s.Phase)
	switch {
	case r.busy[key{verb, s.Workspace, s.Name}]:
		return nil, t.T("action.busy", "verb", t.T("verb."+string(verb)), "job", s.Name)
	case verb == snapshot.Stop && s.Phase.Terminal():
		return nil, t.T("action.notRunning", "job", s.Name, "phase", phase)
	case verb == snapshot.Resume && s.Phase != job.Stopped && s.Phase != job.Stopping:
		return nil, t.T("action.notStopped", "job", s.Name, "phase", phase)
	}
	return &Confirm{Verb: verb, Workspace: s.Workspace, Name: s.Name, UID: s.UID, phase: s.Phase, foreign: s.Foreign}, ""
}

// Done is the message that an action ended.
type Done struct {
	Verb            snapshot.Verb
	Workspace, Name string
	Err             error
	owner           *Running
}

// Start does what was confirmed; a [Done] comes when it ended.
func (r *Running) Start(ctx context.Context, doer Doer, c *Confirm) tea.Cmd {
	k := key{c.Verb, c.Workspace, c.Name}
	if r.busy[k] {
		return nil
	}
	r.busy[k] = true
	return func() tea.Msg {
		err := doer.Do(ctx, c.Verb, c.Workspace, c.Name, c.UID)
		return Done{Verb: c.Verb, Workspace: c.Workspace, Name: c.Name, Err: err, owner: r}
	}
}

// Finish takes note of a Done and returns what to tell the user; false when the action was another screen's.
func (r *Running) Finish(env nav.Env, d Done) (tea.Cmd, bool) {
	if d.owner != r {
		return nil, false
	}
	delete(r.busy, key{d.Verb, d.Workspace, d.Name})
	t := env.Texts
	if d.Err != nil {
		return nav.Send(nav.Notify{Level: nav.Failed, Text: t.T("action.failed",
			"verb", t.T("verb."+string(d.Verb)), "job", d.Workspace+"/"+d.Name, "error", d.Err.Error())}), true
	}
	return nav.Send(nav.Notify{Level: nav.Done, Text: t.T("action.done."+string(d.Verb), "job", d.Name)}), true
}

// Clone fetches how a job was submitted and opens the form with it.
func Clone(ctx context.Context, env nav.Env, backend Detailer, workspace, name string) tea.Cmd {
	t := env.Texts
	return func() tea.Msg {
		details, err := backend.Details(ctx, workspace, name)
		switch {
		case err != nil:
			return nav.Notify{Level: nav.Failed, Text: t.T("clone.failed", "job", workspace+"/"+name, "error", err.Error())}
		case details.Spec == nil:
			return nav.Notify{Level: nav.Warned, Text: t.T("clone.foreign", "job", name)}
		}
		spec := *details.Spec
		return nav.NewJob{Spec: &spec, From: name}
	}
}
