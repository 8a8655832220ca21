// Package wizard is the create form's screen: it shows the sections and fields of forms/train, edits a draft, keeps
// it on disk as one types, and submits it. Nothing that was typed is lost, whatever the cluster answers.
package wizard

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/backend/submit"
	"muster.dev/muster/forms"
	"muster.dev/muster/forms/train"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget/editor"
	"muster.dev/muster/ui/widget/input"
	"muster.dev/muster/ui/widget/textline"
)

// Submitter creates jobs.
type Submitter interface {
	// Submit creates the job, or with a dry-run asks whether it would be created. *submit.Refused is the error for what
	// is not accepted.
	Submit(context.Context, submit.Request) (submit.Result, error)
}

// Options are what the form is opened with.
type Options struct {
	Env       nav.Env
	Snapshot  snapshot.Snapshot
	Submitter Submitter
	// Render makes the manifest of a resolved spec for the preview; nil: there is no preview.
	Render func(job.Spec, snapshot.Snapshot) (manifest string, problems []job.Problem)
	// Store keeps drafts; nil: they can't be kept, StoreError says why.
	Store      *forms.Store
	StoreError error
	Getenv     func(string) string
	// Random gives a number that differs from form to form.
	Random func() uint64
	// Spec is what the form begins with; nil: an empty form, or a draft that was left. From is the job it is a copy of;
	// "" with a Spec: it is a file's, whose name is kept.
	Spec *job.Spec
	From string
}

// Model is the screen.
type Model struct {
	nav.Outbox

	env     nav.Env
	keys    keys.Form
	options Options
	context *train.Context
	form    *train.Form

	draft    *forms.Draft
	finished bool // the job is created: the root is about to close this screen, and no key counts any more
	pristine bool // nothing was typed yet: leaving keeps nothing
	focus    forms.Stop
	input    input.Model
	editors  map[string]*editor.Model
	problems forms.Placed // errors and warnings at their fields
	errors   []int        // errors of each section
	refusal  refusal
	flash    said // what the last key or paste came to; gone with the next
	reviewAt int  // the problem chosen in the review; behind the last: the summary
	scroll   map[int]int
	dialog   dialog
	asked    *submission // the last one that was begun; answers to others are too late
	saver    saver
	cancel   context.CancelFunc
	alive    context.Context //nolint:containedctx // the screen's life, which its commands share

	frame frame
	dirty bool
}

// said is a text with its weight.
type said struct {
	text  string
	level forms.Level
}

// New returns the form's screen.
func New(o Options) *Model {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	m := &Model{env: o.Env, keys: keys.DefaultForm(), options: o, dirty: true}
	m.alive, m.cancel = context.WithCancel(context.Background())
	m.context = &train.Context{Snapshot: o.Snapshot, Render: o.Render, Getenv: o.Getenv}
	m.form = train.NewForm(m.context)
	now := o.Env.Now()
	if o.Spec == nil {
		m.open(train.New(m.newID(), now, o.Random()))
		return m
	}
	spec := *o.Spec
	if o.From != "" {
		spec.Name = "" // a copy is a job of its own
	}
	m.open(train.FromSpec(spec, m.newID(), now, o.Random()))
	m.pristine = o.From == "" // a copy is worth keeping: it took a decision
	return m
}

func (m *Model) newID() string {
	return m.env.Now().Format("20060102-150405") + "-" + strconv.FormatUint(m.options.Random()%1_000_000, 36)
}

// open shows a draft.
func (m *Model) open(d *forms.Draft) {
	m.draft, m.pristine = d, true
	m.saver = newSaver(m.options)
	m.editors, m.scroll = map[string]*editor.Model{}, map[int]int{}
	m.refusal, m.flash, m.reviewAt = refusal{}, said{}, 0
	m.check()
	m.enter(m.form.Schema.First(d, 0))
}

// Init offers the drafts that were left.
func (m *Model) Init() tea.Cmd {
	if m.options.Store == nil {
		return nil
	}
	store, now := m.options.Store, m.env.Now()
	return func() tea.Msg {
		kept, aside, err := store.List(now)
		return draftsMsg{of: m, kept: kept, aside: aside, err: err}
	}
}

type draftsMsg struct {
	of    *Model
	kept  []forms.Kept
	aside []forms.Aside
	err   error
}

// Typing is always true: letters are text here.
func (m *Model) Typing() bool { return true }

// Close keeps the draft for another time and ends what runs.
func (m *Model) Close() {
	m.cancel()
	m.saver.flush(m)
}

// Update handles a message.
func (m *Model) Update(msg tea.Msg) (nav.Screen, tea.Cmd) {
	if m.finished {
		return m, nil
	}
	before := m.draft.Revision()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.dirty = true
		m.flash = said{}
		cmd = m.key(msg)
	case tea.PasteMsg:
		m.dirty = true
		m.paste(msg.Content)
	case tea.MouseClickMsg:
		m.dirty = true
		cmd = m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		m.dirty = true
		m.wheel(msg.Mouse())
	case nav.SnapshotMsg:
		m.dirty = true
		m.context.Snapshot = msg.Snapshot
		m.check()
		cmd = m.recheck()
	case nav.EnvMsg:
		m.dirty = true
		m.env = msg.Env
		m.check()
	case nav.TickMsg:
		if m.context.Snapshot.Conn.State != snapshot.Live {
			m.dirty = true // its age is shown
		}
	case draftsMsg:
		if msg.of == m {
			m.dirty = true
			m.offer(msg)
		}
	case saveMsg, savedMsg:
		m.dirty = true
		cmd = m.saver.update(m, msg)
	case checkedMsg, createdMsg:
		m.dirty = true
		cmd = m.answered(msg)
	case editor.ExternalMsg:
		m.dirty = true
		cmd = m.external(msg)
	}
	if m.draft.Revision() != before {
		m.pristine = false
		m.check()
		m.focus = m.form.Schema.Settle(m.draft, m.focus)
		cmd = tea.Batch(cmd, m.saver.soon())
	}
	return m, cmd
}

// check judges the draft anew and puts what is wrong at its fields.
func (m *Model) check() {
	m.form.Check(m.draft)
	v := m.form.Verdict
	m.refusal.expire(m.draft)
	errors := append(append([]job.Problem(nil), v.Errors...), m.refusal.problems...)
	placed := m.form.Schema.Place(m.draft, errors)
	m.errors = placed.Sections
	m.problems = m.form.Schema.Place(m.draft, append(errors, v.Warnings...))
	m.errors[len(m.errors)-1] += len(placed.Elsewhere)
	m.draft.Title = m.title()
	if facts := m.context.Snapshot.Facts; facts.Context != "" { // else nobody knows yet, and what the draft says stays
		m.draft.Place = forms.Place{Context: facts.Context, User: facts.User, Workspace: v.Spec.Workspace}
	}
}

func (m *Model) title() string {
	if name := m.draft.Get("displayName"); name != "" {
		return textline.Safe(name)
	}
	return m.form.Verdict.Spec.Name
}

// isError tells whether a problem keeps the draft from being submitted or was the answer to a submission.
func (m *Model) isError(p job.Problem) bool {
	for _, list := range [][]job.Problem{m.form.Verdict.Errors, m.refusal.problems} {
		for _, e := range list {
			if e.Path == p.Path && e.Code == p.Code {
				return true
			}
		}
	}
	return false
}

// field is the field that has the focus, and its column in a table; nil in the review.
func (m *Model) field() (*forms.Field, *forms.Column) {
	f, _ := m.form.Schema.Field(m.focus.Field)
	if f == nil || m.focus.Row < 0 {
		return f, nil
	}
	return f, f.Column(m.focus.Column)
}

// kind is the kind of what has the focus.
func (m *Model) kind() forms.Kind {
	f, c := m.field()
	switch {
	case f == nil, f.Kind == forms.Table && c == nil:
		return forms.Computed
	case c != nil:
		return c.Kind
	}
	return f.Kind
}

// oneLine tells whether text is typed into the input line.
func oneLine(k forms.Kind) bool {
	return k == forms.Text || k == forms.Suggest || k == forms.Number || k == forms.Secret
}

// enter moves the focus.
func (m *Model) enter(to forms.Stop) {
	m.focus, m.dirty = to, true
	m.load()
	if m.short() {
		m.input.Select() // 3 typed at Nodes 1 means 3, not 13
	}
}

// short tells whether what has the focus is typed anew rather than edited.
func (m *Model) short() bool {
	f, c := m.field()
	return m.kind() == forms.Number || m.kind() == forms.Text && (f.Short && c == nil || c != nil && c.Right)
}

// load takes the text of what has the focus into its widget.
func (m *Model) load() {
	k := m.kind()
	path := m.focus.Path()
	switch {
	case oneLine(k):
		m.input = input.Model{Mask: k == forms.Secret}
		text := m.draft.Get(path)
		if k == forms.Secret {
			text = m.draft.Secret(path)
		}
		m.input.SetValue(text)
	case k == forms.Multiline:
		m.editorOf(m.focus.Field)
	}
}

func (m *Model) editorOf(field string) *editor.Model {
	e := m.editors[field]
	text := m.draft.Get(field)
	if e == nil {
		made := editor.New(text)
		e = &made
		m.editors[field] = e
	} else {
		e.SetValue(text)
	}
	return e
}

// set changes the text at the focus and what follows from it.
func (m *Model) set(text string) { m.setAt(m.focus.Path(), text) }

func (m *Model) setAt(path, text string) {
	before := m.draft.Get(path)
	m.draft.Set(path, text)
	if before != text {
		train.Changed(m.draft, path, before)
	}
}
