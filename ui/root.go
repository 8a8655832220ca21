package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/dashboard"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/stream"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// The smallest terminal that a screen is drawn for, in cells.
const (
	minWidth  = 20
	minHeight = 5
)

// snapshotInterval is the least time between two snapshots on the screen.
const snapshotInterval = 250 * time.Millisecond

// noticeFor is how long a notice stays that does not wait for a key.
const noticeFor = 5 * time.Second

// Model is the root: it owns the stack of screens, language and theme, and sends messages where they belong. It
// knows nothing of what screens show.
type Model struct {
	ctx    context.Context
	config Config
	env    nav.Env
	theme  themes.Name
	isDark bool

	screens []nav.Screen
	snap    snapshot.Snapshot
	watch   *stream.Stream[snapshot.Snapshot]

	width, height int
	leaving       bool // muster ends as soon as bubbletea gets to it
	overlay       *helpOverlay
	notice        *nav.Notify
	noticeUntil   time.Time
}

// New returns the root with its first screen. Everything that it starts ends with ctx.
func New(ctx context.Context, config Config) *Model {
	if config.Now == nil {
		config.Now = time.Now
	}
	m := &Model{ctx: ctx, config: config, theme: config.Theme, isDark: true, width: config.Width, height: config.Height}
	m.snap.Conn = snapshot.Connection{State: snapshot.Connecting, Since: config.Now()}
	m.env = nav.Env{Texts: config.Texts, Keys: keys.Default(), Now: config.Now, Styles: m.styles()}
	m.screens = []nav.Screen{dashboard.New(ctx, m.env, config.Backend, m.snap)}
	return m
}

func (m *Model) styles() *themes.Styles {
	if m.theme == themes.Auto && !m.isDark {
		return themes.New(themes.Light)
	}
	return themes.New(m.theme)
}

// Init starts the watch of the cluster and the clock, and opens the screen that was asked for.
func (m *Model) Init() tea.Cmd {
	m.watch = stream.Start(m.ctx, func(ctx context.Context, emit func(snapshot.Snapshot)) error {
		return m.config.Backend.Watch(ctx, emit)
	}, stream.Options[snapshot.Snapshot]{Interval: snapshotInterval})
	cmds := []tea.Cmd{m.top().Init(), m.watch.Next(), tick()}
	if m.theme == themes.Auto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if m.config.Start != nil {
		cmds = append(cmds, m.apply(m.top(), []nav.Intent{m.config.Start}))
	}
	return tea.Batch(cmds...)
}

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(now time.Time) tea.Msg { return nav.TickMsg{Now: now} })
}

func (m *Model) top() nav.Screen { return m.screens[len(m.screens)-1] }

// Update routes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m, m.broadcast(msg)
	case tea.KeyPressMsg:
		if m.leaving {
			return m, nil // what was typed behind the key that leaves is for the shell, if for anyone
		}
		return m, m.key(msg)
	case tea.PasteMsg, tea.PasteStartMsg, tea.PasteEndMsg, tea.MouseMsg, tea.KeyReleaseMsg:
		if m.overlay != nil || m.tooSmall() || m.leaving {
			return m, nil
		}
		return m, m.toTop(msg)
	case tea.BackgroundColorMsg:
		return m, m.background(msg)
	case stream.Msg[snapshot.Snapshot]:
		return m, m.snapshot(msg)
	case nav.TickMsg:
		if m.notice != nil && !m.noticeUntil.IsZero() && m.config.Now().After(m.noticeUntil) {
			m.notice = nil
		}
		return m, tea.Batch(m.broadcast(msg), tick())
	}
	return m, m.broadcast(msg)
}

// closeAll ends what every screen started, the one on top first.
func (m *Model) closeAll() {
	for i := len(m.screens) - 1; i >= 0; i-- {
		m.screens[i].Close()
	}
	if m.watch != nil {
		m.watch.Stop()
	}
}

func (m *Model) toTop(msg tea.Msg) tea.Cmd {
	s, cmd, intents := m.deliver(len(m.screens)-1, msg)
	return tea.Batch(cmd, m.apply(s, intents))
}

// broadcast gives every screen a message, and only then does what they ask: that changes the stack.
func (m *Model) broadcast(msg tea.Msg) tea.Cmd {
	type asked struct {
		by      nav.Screen
		intents []nav.Intent
	}
	var cmds []tea.Cmd
	var all []asked
	for i := range m.screens {
		s, cmd, intents := m.deliver(i, msg)
		cmds = append(cmds, cmd)
		if len(intents) > 0 {
			all = append(all, asked{s, intents})
		}
	}
	for _, one := range all {
		cmds = append(cmds, m.apply(one.by, one.intents))
	}
	return tea.Batch(cmds...)
}

func (m *Model) deliver(i int, msg tea.Msg) (nav.Screen, tea.Cmd, []nav.Intent) {
	next, cmd := m.screens[i].Update(msg)
	m.screens[i] = next
	return next, cmd, next.Take()
}

func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := m.env.Keys
	switch {
	case keys.Matches(msg, k.Interrupt):
		if top, ok := m.top().(nav.Holder); ok && !m.tooSmall() && top.Hold() {
			m.overlay, m.notice = nil, nil
			return nil
		}
		return m.leave()
	case keys.Matches(msg, k.Suspend):
		return tea.Suspend
	case m.tooSmall():
		return nil // a key for something unseen is not meant
	case keys.Matches(msg, k.Language):
		m.env.Texts = m.env.Texts.Next()
		return m.broadcast(nav.EnvMsg{Env: m.env})
	case keys.Matches(msg, k.Theme):
		return m.nextTheme()
	case keys.Matches(msg, k.Redraw):
		return tea.ClearScreen
	}
	if m.overlay != nil {
		if !m.overlay.key(k, msg) {
			m.overlay = nil
		}
		return nil
	}
	m.notice = nil
	if keys.Matches(msg, k.Help) && (!m.top().Typing() || msg.Text == "") {
		m.overlay = &helpOverlay{}
		return nil
	}
	return m.toTop(msg)
}

func (m *Model) nextTheme() tea.Cmd {
	names := themes.Names()
	for i, name := range names {
		if name == m.theme {
			m.theme = names[(i+1)%len(names)]
			break
		}
	}
	m.env.Styles = m.styles()
	m.notify(nav.Notify{Level: nav.Info, Text: m.env.T("theme.now", "theme", m.env.T("theme."+string(m.theme)))})
	cmds := []tea.Cmd{m.broadcast(nav.EnvMsg{Env: m.env})}
	if m.theme == themes.Auto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// background takes the terminal's answer, however late it comes; screens never see it.
func (m *Model) background(msg tea.BackgroundColorMsg) tea.Cmd {
	if msg.Color == nil || m.isDark == msg.IsDark() {
		return nil
	}
	m.isDark = msg.IsDark()
	if m.theme != themes.Auto {
		return nil
	}
	m.env.Styles = m.styles()
	return m.broadcast(nav.EnvMsg{Env: m.env})
}

func (m *Model) snapshot(msg stream.Msg[snapshot.Snapshot]) tea.Cmd {
	if msg.ID != m.watch.ID() {
		return nil
	}
	var cmds []tea.Cmd
	if msg.Has {
		m.snap = msg.Value
		cmds = append(cmds, m.broadcast(nav.SnapshotMsg{Snapshot: m.snap}))
	}
	switch {
	case !msg.Done:
		cmds = append(cmds, m.watch.Next())
	case msg.Err != nil:
		m.notify(nav.Notify{Level: nav.Failed, Text: m.env.T("watch.ended", "error", words.Failure(m.env.Texts, msg.Err))})
	}
	return tea.Batch(cmds...)
}

func (m *Model) notify(n nav.Notify) {
	m.notice, m.noticeUntil = &n, time.Time{}
	if n.Level == nav.Info || n.Level == nav.Done {
		m.noticeUntil = m.config.Now().Add(noticeFor)
	}
}

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }

// View draws the screen on top, with the overlay or the notice over it.
func (m *Model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = m.title()
	if cursored, ok := m.top().(nav.Cursored); ok && m.overlay == nil && !m.tooSmall() {
		v.Cursor = cursored.Cursor()
	}
	return v
}

func (m *Model) content() string {
	if m.tooSmall() {
		text := cell.Wrap(m.env.T("tooSmall", "width", minWidth, "height", minHeight), m.width)
		return widget.Lines(strings.Join(text, "\n"), m.width, m.height)
	}
	content := m.noticed(m.top().View(m.width, m.height))
	if m.overlay != nil {
		content = widget.Over(content, m.overlay.view(m.env, m.top().Help(), m.width, m.height), m.width, m.height)
	}
	return content
}
