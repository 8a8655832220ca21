package logview

import (
	"strconv"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// View draws the header, the rows that are on the screen, the state and the footer.
func (m *Model) View(width, height int) string {
	text := height - 2
	state := height >= 6
	if state {
		text--
	}
	if width != m.width {
		m.width = width
		m.top.row = 0
		m.redraw()
	}
	m.height = max(text, 1)
	lines := append([]string{m.header(width)}, m.body(width, m.height)...)
	if state {
		lines = append(lines, m.state(width))
	}
	lines = append(lines, m.footer(width))
	view := widget.Lines(strings.Join(lines, "\n"), width, height)
	if m.picker != nil {
		return widget.Over(view, m.picker.View(width, height), width, height)
	}
	return view
}

func (m *Model) header(width int) string {
	t, styles := m.env.Texts, m.env.Styles
	who := t.T("log.allPods")
	if m.request.Role != "" {
		who = safetext.Clean(m.request.Role)
		if m.request.Index >= 0 {
			who += "-" + strconv.Itoa(m.request.Index)
		}
	}
	if m.request.Previous {
		who += " · " + t.T("log.previous")
	}
	left := styles.Title.Render(t.T("app")) + "   " + safetext.Clean(m.request.Workspace) + " ▸ " +
		styles.Accent.Render(safetext.Clean(m.request.Job)) + " ▸ " + t.T("log.title") + " " + styles.Dim.Render(who)
	text, style := words.Connection(m.env, m.snap.Conn)
	return widget.PlaceHeader(left, styles.Accent.Render(safetext.Clean(m.request.Job)), style.Render(text), m.snap.Conn.State == snapshot.Live, width)
}

func (m *Model) body(width, height int) []string {
	t, styles := m.env.Texts, m.env.Styles
	lines := make([]string, 0, height)
	if m.filter.count(&m.store) == 0 {
		lines = append(lines, "")
		for _, line := range cell.Wrap(m.nothing(), width-4) {
			lines = append(lines, "  "+styles.Dim.Render(line))
		}
	} else {
		at := m.top
		if m.follow {
			at = m.last()
		}
		if at == m.first() && m.noted() {
			lines = append(lines, styles.Dim.Render(cell.Truncate("── "+m.beginning()+" ──", width)))
		}
		for len(lines) < height && at.line < m.store.next() {
			rows := m.rows(at.line)
			lines = append(lines, rows[min(at.row, len(rows)-1)])
			next, ok := m.after(at)
			if !ok {
				break
			}
			at = next
		}
	}
	if m.err != "" && len(lines) < height {
		for _, line := range cell.Wrap(t.T("log.failed", "error", m.err), width-2) {
			lines = append(lines, " "+styles.Error.Render(line))
		}
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines[:height]
}

// nothing says why there are no lines.
func (m *Model) nothing() string {
	t := m.env.Texts
	switch {
	case m.filter.behind(&m.store):
		return t.T("loading")
	case m.filter.pattern != nil && len(m.store.lines) > 0:
		return t.T("log.noMatch", "filter", m.filter.text)
	case m.err != "":
		return ""
	}
	text := t.T("log.waiting")
	if m.ended {
		text = t.T("log.empty")
	}
	if why := m.why(); why != "" {
		text = t.T("log.phaseAnd", "phase", why, "rest", text)
	}
	return text
}

// why is the phase of a job that does not run, with its reason: why nothing is written.
func (m *Model) why() string {
	for _, s := range m.snap.Jobs {
		if s.Workspace == m.request.Workspace && s.Name == m.request.Job && s.Phase != job.Running {
			return m.env.T("log.phase", "phase", words.Phase(m.env.Texts, s.Phase), "reason", words.Brief(m.env.Texts, s))
		}
	}
	return ""
}

// beginning says what stands before the first line.
func (m *Model) beginning() string {
	switch {
	case m.store.first > 0:
		return m.env.T("log.dropped", "count", m.store.first)
	case m.request.Tail >= 0 && len(m.store.lines) >= m.request.Tail:
		return m.env.T("log.tailOnly", "count", m.request.Tail)
	}
	return ""
}

// noted tells whether a row above the first line says what stands before it. On a screen of one row there is no room.
func (m *Model) noted() bool { return m.height > 1 && m.beginning() != "" }

// state is one line: following or not, how much, what is switched on.
func (m *Model) state(width int) string {
	t, styles := m.env.Texts, m.env.Styles
	if m.prompt != nil {
		sign := "/"
		if m.prompt.filters {
			sign = "&"
		}
		text, _ := m.prompt.line.View(max(width-4, 4))
		return cell.Truncate(" "+styles.Key.Render(sign)+" "+text+styles.FieldFocus.Render(" "), width)
	}
	var parts []string
	switch {
	case m.ended && m.err == "":
		parts = append(parts, styles.Dim.Render(t.T("log.ended")))
	case m.err != "":
		parts = append(parts, styles.Error.Render(t.T("log.broken")))
	case m.follow:
		parts = append(parts, styles.Success.Render(t.T("log.following")))
	default:
		parts = append(parts, styles.Warning.Render(t.T("log.paused")))
	}
	parts = append(parts, t.T("log.lines", "count", m.filter.written(&m.store)))
	if m.filter.pattern != nil {
		text := styles.Marked.Render("&" + safetext.Clean(m.filter.text))
		if m.filter.behind(&m.store) {
			text += percent(m.filter.next-m.store.first, len(m.store.lines))
		}
		parts = append(parts, text)
	}
	if m.search.pattern != nil {
		text := styles.Marked.Render("/" + safetext.Clean(m.search.text))
		if m.search.running != nil {
			text += percent(m.search.done, m.search.running.total())
		}
		parts = append(parts, text)
	}
	if m.wrap {
		parts = append(parts, t.T("key.wrap"))
	}
	if m.column > 0 {
		parts = append(parts, "→"+strconv.Itoa(m.column))
	}
	if m.store.first > 0 {
		parts = append(parts, styles.Warning.Render(t.T("log.droppedShort", "count", m.store.first)))
	}
	return cell.Truncate(styles.Border.Render("──")+" "+strings.Join(parts, styles.Dim.Render(" · "))+" ", width)
}

func (m *Model) footer(width int) string {
	k := m.env.Keys
	bindings := []keys.Binding{k.Follow, k.Search, k.LogFilter, k.Wrap, k.Timestamps, k.Role, k.Save, k.Back}
	if m.search.pattern != nil {
		bindings = append([]keys.Binding{k.SearchNext, k.SearchPrevious}, bindings...)
	}
	switch {
	case m.prompt != nil:
		bindings = []keys.Binding{k.Accept, k.Clear}
	case m.picker != nil:
		bindings = []keys.Binding{k.Choose, k.Cancel}
	}
	help := k.Help
	if m.Typing() {
		help = k.HelpTyping
	}
	return widget.Footer(m.env.Styles, m.env.Texts, bindings, help, width)
}
