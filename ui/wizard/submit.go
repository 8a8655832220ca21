package wizard

import (
	"context"
	"errors"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/submit"
	"muster.dev/muster/forms"
	"muster.dev/muster/forms/train"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/words"
)

// How long an answer may take. Afterwards it is not known whether the job was created; trying again is safe, because
// the name stays.
const (
	dryRunTimeout = 30 * time.Second
	createTimeout = 60 * time.Second
)

// refusal is what the cluster did not accept, at the fields where it stands.
type refusal struct {
	problems []job.Problem
	values   map[string]string // what the field held then: a problem goes when its field changes
}

func (r *refusal) expire(d *forms.Draft) {
	var kept []job.Problem
	for _, p := range r.problems {
		if d.Get(p.Path) == r.values[p.Path] {
			kept = append(kept, p)
		}
	}
	r.problems = kept
}

// stage is how far a submission is.
type stage int

const (
	checking stage = iota // the server dry-run runs
	ready                 // the server would take it
	creating
	failed // no answer, or one that is no refusal
)

// submission is the dialog that asks for the last word.
type submission struct {
	request submit.Request
	// What the dialog shows is what would be created: the request's spec with the site's values, as they were at the
	// place where the server was asked.
	resolved job.Spec
	place    place
	moved    bool // the place has changed since the dialog opened
	asked    int  // dry-runs that were begun; answers to older ones are too late
	stage    stage
	checked  bool // the dry-run was answered: a failure concerns the creation
	wanted   bool // confirmed while the dry-run still ran
	notes    []string
	engine   string
	err      error
}

// place is what a spec is resolved and created with, beside itself.
type place struct {
	context, workspace string
	site               site.Site
}

func (m *Model) here() place {
	view := m.context.Snapshot
	return place{view.Facts.Context, view.Facts.Workspace, view.Site}
}

type checkedMsg struct {
	of     *submission
	asked  int
	result submit.Result
	err    error
}

type createdMsg struct {
	of     *submission
	result submit.Result
	err    error
}

// submit shows what is wrong, or asks for the last word while the server checks.
func (m *Model) submit() tea.Cmd {
	m.refusal = refusal{}
	m.check()
	v := m.form.Verdict
	if !v.OK() {
		m.showFirst(v.Errors, "form.submit.errors")
		return nil
	}
	s := &submission{
		request:  submit.Request{Spec: v.Spec, Secrets: train.SecretValues(m.draft, m.options.Getenv)},
		resolved: v.Resolved, place: m.here(),
	}
	m.dialog, m.asked = s, s
	return m.dryRun(s)
}

// recheck asks the server again, and the user for another last word, when the cluster under an open dialog is not what
// it was: another context, workspace or site makes another job of the same draft. What is being created stays.
func (m *Model) recheck() tea.Cmd {
	s, now := m.asked, m.here()
	if s == nil || s.stage == creating || reflect.DeepEqual(now, s.place) {
		return nil
	}
	v := m.form.Verdict
	if !v.OK() {
		m.dialog, m.asked = nil, nil
		m.showFirst(v.Errors, "form.submit.errors")
		return nil
	}
	m.dialog = s // a manifest that stands over it is of before
	s.request.Spec, s.resolved, s.place, s.moved = v.Spec, v.Resolved, now, true
	s.checked, s.wanted, s.notes = false, false, nil
	return m.dryRun(s)
}

// showFirst goes to the first of some errors, or to the review where no field has it.
func (m *Model) showFirst(problems []job.Problem, key string) {
	if to, ok := m.form.Schema.FirstOf(m.draft, problems); ok {
		m.enter(to)
	} else {
		m.section(len(m.form.Schema.Sections) - 1)
	}
	m.flash = said{m.env.T(key, "count", len(problems)), forms.Bad}
}

func (m *Model) dryRun(s *submission) tea.Cmd {
	s.stage, s.err = checking, nil
	s.asked++
	asked, request := s.asked, s.request
	request.DryRun = submit.Server
	submitter, alive := m.options.Submitter, m.alive
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(alive, dryRunTimeout)
		defer cancel()
		result, err := submitter.Submit(ctx, request)
		return checkedMsg{s, asked, result, err}
	}
}

func (m *Model) create(s *submission) tea.Cmd {
	s.stage, s.err = creating, nil
	// The name must not change when the answer is lost and the draft is submitted again, by another muster too.
	if m.draft.Get("name") == "" {
		m.draft.Set("name", s.request.Spec.Name)
	}
	request, submitter, alive := s.request, m.options.Submitter, m.alive
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(alive, createTimeout)
		defer cancel()
		result, err := submitter.Submit(ctx, request)
		return createdMsg{s, result, err}
	}
}

func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case checkedMsg:
		s := msg.of
		if m.asked != s || msg.asked != s.asked {
			return nil // left meanwhile, or asked again
		}
		if m.failed(s, msg.err) {
			return nil
		}
		s.checked, s.stage, s.notes, s.engine = true, ready, msg.result.Notes, msg.result.Engine
		if s.wanted {
			return m.create(s)
		}
	case createdMsg:
		s := msg.of
		if m.asked != s {
			return nil
		}
		if m.failed(s, msg.err) {
			return m.recheck() // the place may have changed while it was created
		}
		return m.created(msg.result)
	}
	return nil
}

// failed handles an answer that is an error.
func (m *Model) failed(s *submission, err error) bool {
	if err == nil {
		return false
	}
	s.wanted = false
	var refused *submit.Refused
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		s.stage, s.err = failed, err
		return true
	}
	m.dialog, m.asked = nil, nil
	m.refusal = refusal{problems: refused.Problems, values: map[string]string{}}
	for _, p := range refused.Problems {
		m.refusal.values[p.Path] = m.draft.Get(p.Path)
	}
	m.check()
	m.showFirst(refused.Problems, "form.submit.refused")
	return true
}

// created leaves the form for the job's view; the draft has served.
func (m *Model) created(r submit.Result) tea.Cmd {
	m.dialog, m.asked, m.finished = nil, nil, true
	key := "form.submit.created"
	if r.Existed {
		key = "form.submit.existed"
	}
	notice := nav.Notify{Level: nav.Done, Text: m.env.T(key, "name", r.Name, "workspace", r.Workspace)}
	if err := m.saver.forget(m); err != nil {
		notice = nav.Notify{Level: nav.Warned, Text: m.env.T("form.draft.kept", "error", safetext.Clean(err.Error()))}
	}
	m.Send(nav.OpenJob{Workspace: r.Workspace, Name: r.Name, Replace: true})
	return m.Send(notice)
}

func (s *submission) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keys.Matches(k, m.keys.Cancel):
		if s.stage != creating { // what is under way can't be taken back here
			m.dialog, m.asked = nil, nil
		}
	case keys.Matches(k, m.keys.Confirm):
		switch {
		case s.stage == checking:
			s.wanted = true
		case s.stage == ready, s.stage == failed && s.checked:
			return m.create(s)
		case s.stage == failed:
			return m.dryRun(s)
		}
	case keys.Matches(k, m.keys.Manifest):
		m.showManifest()
	}
	return nil
}

func (s *submission) paste(*Model, string) {}

func (s *submission) view(m *Model, width, height int) (string, []string) {
	t, styles := m.env.T, m.env.Styles
	spec := s.resolved
	nodes, cards := train.Size(spec)
	var lines []string
	wrap := func(text string, style func(string) string) {
		for _, line := range cell.Wrap(text, width) {
			lines = append(lines, style(line))
		}
	}
	plain := func(s string) string { return s }
	if s.moved {
		wrap(t("form.confirm.moved"), styles.Warning.Render)
	}
	lines = append(lines, styles.Accent.Render(cell.Truncate(spec.Name, width)))
	what := "form.confirm.what"
	if cards == 0 {
		what = "form.confirm.whatCPU"
	}
	wrap(t(what, "workspace", spec.Workspace, "count", nodes, "cards", cards, "cardType", spec.CardType), plain)
	if spec.Submission.Mode == job.Queue {
		wrap(t("form.confirm.queue", "queue", spec.Submission.Queue), plain)
	} else {
		wrap(t("form.confirm.standalone"), plain)
	}
	if n := len(m.form.Verdict.Warnings); n > 0 {
		wrap(t("form.confirm.warnings", "count", n), styles.Warning.Render)
		for _, p := range m.form.Verdict.Warnings[:min(n, 3)] {
			wrap(warningMark+m.problemText(p), styles.Warning.Render)
		}
	}
	about := lines
	lines = nil
	switch s.stage {
	case checking:
		key := "form.confirm.checking"
		if s.wanted {
			key = "form.confirm.checkingWanted"
		}
		wrap(t(key), styles.Info.Render)
	case ready:
		wrap(t("form.confirm.ready", "engine", s.engine), styles.Success.Render)
	case creating:
		wrap(t("form.confirm.creating"), styles.Info.Render)
	case failed:
		key := "form.confirm.failed"
		if s.checked {
			key = "form.confirm.unanswered"
		}
		wrap(t(key, "error", words.Failure(m.env.Texts, s.err)), styles.Error.Render)
	}
	for _, note := range s.notes {
		wrap(t("form.confirm.note", "note", note), styles.Warning.Render)
	}
	if room := height - len(lines); len(about)+1 <= room {
		about = append(about, "")
	} else { // how far it is matters more than what is known from the form
		about = about[:min(max(room, 1), len(about))]
	}
	return t("form.confirm.title"), append(about, lines...)
}

func (s *submission) bindings(m *Model) []keys.Binding {
	switch s.stage {
	case creating:
		return nil
	case failed:
		return []keys.Binding{relabel(m.keys.Confirm, "key.form.retry"), m.keys.Cancel, m.keys.Manifest}
	}
	return []keys.Binding{m.keys.Confirm, m.keys.Cancel, m.keys.Manifest}
}

func relabel(b keys.Binding, help string) keys.Binding {
	b.SetHelp(b.Help().Key, help)
	return b
}
