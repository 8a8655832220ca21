// Package logview shows the merged log of a job's pods as it is written.
package logview

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/logs"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/stream"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// Backend reads logs: Logs emits batches in the order of time until the log or ctx ends.
type Backend interface {
	Logs(ctx context.Context, request logs.Request, emit func([]logs.Line)) error
}

// batch is what came since the last message.
type batch struct {
	lines []logs.Line
	size  int // bytes of text
}

// merge puts what came next behind what waits, in whose array there is room for more of it: a source may bring its
// lines one by one.
func merge(waiting, next batch) batch {
	return batch{lines: append(waiting.lines, next.lines...), size: waiting.size + next.size}
}

// How much waits for the screen before the streams must wait, and how often the screen takes it.
const (
	fullLines    = 20_000
	fullBytes    = 8 << 20
	takeInterval = 100 * time.Millisecond
)

// leastTail and mostTail bound how many last lines of each pod are asked for at first.
const (
	leastTail = 500
	mostTail  = 20_000
)

// Model is the log view.
type Model struct {
	nav.Outbox

	env     nav.Env
	backend Backend
	ctx     context.Context
	cancel  context.CancelFunc
	snap    snapshot.Snapshot

	request logs.Request
	stream  *stream.Stream[batch]
	ended   bool
	err     string

	store  store
	filter filter
	search search
	prompt *prompt
	picker *widget.Picker

	follow     bool
	wrap       bool
	timestamps bool
	top        place // the first line on the screen while not following
	column     int   // first cell shown of lines that are not wrapped

	labels        map[pod]string
	roles         map[string]int // order of appearance, for colours
	labelWidth    int
	width, height int // of the text area, as last drawn
	drawn         map[int][]string
	saveDir       func() (string, error)
	saving        bool
}

// New returns the log view of what open names.
func New(ctx context.Context, env nav.Env, backend Backend, snap snapshot.Snapshot, open nav.OpenLogs) *Model {
	ctx, cancel := context.WithCancel(ctx)
	m := &Model{
		env: env, backend: backend, ctx: ctx, cancel: cancel, snap: snap, follow: true, wrap: false,
		request: logs.Request{Workspace: open.Workspace, Job: open.Job, Role: open.Role, Index: open.Index, Previous: open.Previous},
		saveDir: saveDir, width: 80, height: 20,
	}
	m.request.Tail = m.tailFor()
	m.reset()
	return m
}

// tailFor shares what is held among the pods, so that opening a large job does not read what is dropped at once.
func (m *Model) tailFor() int {
	pods := 0
	for _, s := range m.snap.Jobs {
		if s.Workspace == m.request.Workspace && s.Name == m.request.Job {
			for _, role := range s.Roles {
				pods += role.Replicas
			}
		}
	}
	return max(min(maxLines/2/max(pods, 1), mostTail), leastTail)
}

func (m *Model) reset() {
	m.store = newStore()
	m.labels, m.roles, m.labelWidth = map[pod]string{}, map[string]int{}, 0
	m.filter.clear()
	m.search.running, m.search.found = nil, false
	m.ended, m.err = false, ""
	m.top = place{}
	m.redraw()
}

// Init begins to read.
func (m *Model) Init() tea.Cmd { return m.start() }

// start reads from anew.
func (m *Model) start() tea.Cmd {
	if m.stream != nil {
		m.stream.Stop()
	}
	m.reset()
	request := m.request
	request.Follow = !request.Previous
	backend := m.backend
	m.stream = stream.Start(m.ctx, func(ctx context.Context, emit func(batch)) error {
		return backend.Logs(ctx, request, func(lines []logs.Line) {
			b := batch{lines: slices.Clip(lines)} // what lies behind them in memory may be the source's
			for i := range lines {
				b.size += len(lines[i].Text)
			}
			emit(b)
		})
	}, stream.Options[batch]{
		Merge:    merge,
		Full:     func(b batch) bool { return len(b.lines) >= fullLines || b.size >= fullBytes },
		Interval: takeInterval,
	})
	return m.stream.Next()
}

// Close stops reading.
func (m *Model) Close() { m.cancel() }

// Typing is true while a search, a filter or a choice is typed.
func (m *Model) Typing() bool { return m.prompt != nil || m.picker != nil }

// Update handles one message.
func (m *Model) Update(msg tea.Msg) (nav.Screen, tea.Cmd) {
	switch msg := msg.(type) {
	case stream.Msg[batch]:
		return m, m.received(msg)
	case nav.SnapshotMsg:
		m.snap = msg.Snapshot
	case nav.EnvMsg:
		m.env = msg.Env
		m.redraw()
		if m.picker != nil {
			m.picker.SetTexts(m.env.Styles, m.env.T("log.choose"), "")
			m.picker.SetChoices(m.choices())
		}
	case savedMsg:
		return m, m.saved(msg)
	case foundMsg:
		return m, m.found(msg)
	case siftedMsg:
		return m, m.sifted(msg)
	case tea.PasteMsg:
		switch {
		case m.picker != nil:
			return m, m.pick(msg)
		case m.prompt != nil:
			m.prompt.line.Update(msg)
		}
	case tea.KeyPressMsg:
		return m, m.key(msg)
	case tea.MouseWheelMsg:
		if !m.Typing() {
			switch msg.Button {
			case tea.MouseWheelUp:
				m.Move(-3)
			case tea.MouseWheelDown:
				m.Move(3)
			}
		}
	}
	return m, nil
}

func (m *Model) received(msg stream.Msg[batch]) tea.Cmd {
	if m.stream == nil || msg.ID != m.stream.ID() {
		return nil
	}
	var cmd tea.Cmd
	if msg.Has {
		cmd = m.add(msg.Value.lines)
	}
	if !msg.Done {
		return tea.Batch(cmd, m.stream.Next())
	}
	m.ended = true
	if msg.Err != nil {
		m.err = words.Failure(m.env.Texts, msg.Err)
	}
	return cmd
}

// add takes new lines.
func (m *Model) add(lines []logs.Line) tea.Cmd {
	for i := range lines {
		m.meet(&lines[i])
	}
	m.store.add(lines)
	if m.top.line < m.store.first {
		m.top = place{line: m.store.first}
	}
	return m.sift()
}

func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := m.env.Keys
	switch {
	case m.picker != nil:
		return m.pick(msg)
	case m.prompt != nil:
		return m.promptKey(msg)
	case msg.String() == "esc" && m.search.running != nil:
		m.search.running = nil
	case msg.String() == "esc" && (m.filter.pattern != nil || m.search.pattern != nil):
		m.setFilter("", nil)
		m.search = search{}
		m.redraw()
	case keys.Matches(msg, k.Back):
		return m.Send(nav.Close{})
	case keys.Matches(msg, k.Follow):
		m.setFollow(!m.follow)
	case keys.Matches(msg, k.Search):
		m.prompt = &prompt{}
	case keys.Matches(msg, k.LogFilter):
		m.prompt = &prompt{filters: true}
		m.prompt.line.Set(m.filter.text)
	case keys.Matches(msg, k.SearchNext):
		return m.findNext(1)
	case keys.Matches(msg, k.SearchPrevious):
		return m.findNext(-1)
	case keys.Matches(msg, k.Wrap):
		m.wrap = !m.wrap
		m.column, m.top.row = 0, 0
		m.redraw()
	case keys.Matches(msg, k.Timestamps):
		m.timestamps = !m.timestamps
		m.redraw()
	case keys.Matches(msg, k.Role):
		m.openPicker()
	case keys.Matches(msg, k.PreviousLog):
		m.request.Previous = !m.request.Previous
		return m.start()
	case keys.Matches(msg, k.All):
		m.request.Tail = -1
		return m.start()
	case keys.Matches(msg, k.Reload):
		return m.start()
	case keys.Matches(msg, k.Save):
		return m.save()
	case keys.Matches(msg, k.LineStart):
		m.slide(-m.column)
	case keys.Matches(msg, k.Left):
		m.slide(-8)
	case keys.Matches(msg, k.Right):
		m.slide(8)
	default:
		widget.Move(m, k, msg)
	}
	return nil
}

// slide moves sideways through lines that are not wrapped.
func (m *Model) slide(cells int) {
	if !m.wrap {
		m.column = max(m.column+cells, 0)
		m.redraw()
	}
}

// redraw forgets every line as it was drawn.
func (m *Model) redraw() { m.drawn = map[int][]string{} }

// Help tells the keys of the log view.
func (m *Model) Help() keys.Help {
	k := m.env.Keys
	return keys.Help{Title: "logview.help", Groups: []keys.Group{
		{Title: "help.log", Bindings: []keys.Binding{
			k.Follow, k.Search, k.SearchNext, k.SearchPrevious, k.LogFilter, k.Wrap, k.Left, k.Right, k.LineStart,
			k.Timestamps, k.Role, k.PreviousLog, k.All, k.Reload, k.Save, k.Back,
		}},
		k.Movement(),
		k.Everywhere(),
	}}
}
