package jobview

import (
	"strconv"
	"strings"
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// View draws the head, the open tab and the footer.
func (m *Model) View(width, height int) string {
	m.seen = true
	lines := []string{m.header(width)}
	head := m.head(width)
	room := height - 8
	if height >= 4 {
		room = max(room, 1) // the phase is worth more than the tabs
	}
	lines = append(lines, head[:max(min(len(head), room), 0)]...)
	m.tabTop = -1
	if height >= 6 {
		m.tabTop = len(lines)
		lines = append(lines, "")
	}
	m.bodyTop = len(lines)
	lines = append(lines, strings.Split(m.body(width, height-len(lines)-1), "\n")...)
	if m.tabTop >= 0 {
		lines[m.tabTop] = m.tabLine(width)
	}
	lines = append(lines, m.footer(width))
	view := widget.Lines(strings.Join(lines, "\n"), width, height)
	return m.actions.View(m.env, view, width, height)
}

// tabLine is the tabs and, of a text that is longer than the screen, which of its lines are on it in this frame.
func (m *Model) tabLine(width int) string {
	tabs := widget.Tabs(m.env.Styles, m.tabs(), m.tab)
	pane, ok := m.mover().(*widget.Pane)
	if !ok {
		return cell.Truncate(tabs, width)
	}
	from, to, total := pane.Position()
	if from == 1 && to == total || total == 0 {
		return cell.Truncate(tabs, width)
	}
	position := m.env.T("pane.position", "from", from, "to", to, "total", total)
	return widget.Header(tabs[1:], m.env.Styles.Dim.Render(position)+" ", width)
}

func (m *Model) header(width int) string {
	text, style := words.Connection(m.env, m.snap.Conn)
	left := m.env.Styles.Title.Render(m.env.T("app")) + "   " + safetext.Clean(m.workspace) + " ▸ " +
		m.env.Styles.Accent.Render(safetext.Clean(m.name))
	return widget.PlaceHeader(left, m.env.Styles.Accent.Render(safetext.Clean(m.name)), style.Render(text), m.snap.Conn.State == snapshot.Live, width)
}

// head is the phase and its reason, and what kind of job it is.
func (m *Model) head(width int) []string {
	t, styles, s := m.env.Texts, m.env.Styles, m.status
	var lines []string
	switch {
	case !m.found:
		return []string{" " + styles.Dim.Render(cell.Truncate(t.T("job.unseen"), width-1))}
	case m.gone:
		lines = append(lines, styles.Warning.Render(t.T("job.gone", "job", m.name)))
	}
	phase := styles.Phase(s.Phase).Render(words.Phase(t, s.Phase)) + " " + styles.Dim.Render("· "+words.PhaseMeaning(t, s.Phase))
	if ran := words.Ran(t, s, m.env.Now()); ran != words.None {
		phase += styles.Dim.Render(" · ") + t.T("job.ran", "time", ran)
	}
	if s.Restarts > 0 {
		phase += styles.Dim.Render(" · ") + styles.Warning.Render(t.T("job.restarts", "count", s.Restarts))
	}
	lines = append(lines, phase)
	if reason := m.reason(); reason != "" {
		style := styles.Text
		if s.Phase == job.Failed || s.Phase == job.TimedOut {
			style = styles.Error
		}
		lines = append(lines, style.Render(reason))
	}
	for i, text := range words.Message(t, s, 2) {
		room := headLines - len(lines)
		if i == 0 && room > 1 && s.ExitCode != nil {
			room-- // the last thing that a program wrote is the most telling
		}
		for _, line := range widget.Paragraph(text, width-2, room) {
			lines = append(lines, styles.Dim.Render(line))
		}
	}
	lines = append(lines, styles.Dim.Render(m.facts()))
	for i, line := range lines {
		lines[i] = " " + cell.Truncate(line, width-1)
	}
	return lines
}

// headLines is how many lines the head of the view has at most.
const headLines = 5

// reason adds the node of the pod that failed.
func (m *Model) reason() string {
	text := words.Reason(m.env.Texts, m.status)
	for _, row := range m.rows {
		if text != "" && row.pod.Name == m.status.FailedPod && row.pod.Name != "" && row.pod.Node != "" {
			return m.env.T("job.onNode", "reason", text, "node", row.pod.Node)
		}
	}
	return text
}

func (m *Model) facts() string {
	t, s := m.env.Texts, m.status
	parts := []string{}
	add := func(texts ...string) {
		for _, text := range texts {
			if text != "" {
				parts = append(parts, safetext.Clean(text))
			}
		}
	}
	if s.DisplayName != s.Name {
		add(s.DisplayName)
	}
	if s.Foreign {
		add(t.T("job.foreign"))
	}
	add(words.Framework(t, s.Framework), words.Size(s))
	if s.Queue != "" {
		queue := s.Queue
		if s.QueuePosition != nil {
			queue += " #" + strconv.Itoa(*s.QueuePosition)
		}
		add(t.T("job.inQueue", "queue", queue))
	}
	if s.Priority != "" && s.Priority != job.Normal {
		add(t.T("priority." + string(s.Priority)))
	}
	add(s.Engine, s.User, t.T("job.made", "time", clock(s.Created, m.env.Now())), s.Image)
	return strings.Join(parts, " · ")
}

// clock is a moment in the user's own time zone: the hour today, with the date on other days.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04")
}

func (m *Model) body(width, height int) string {
	switch m.tab {
	case eventsTab:
		return m.events.View(width, height)
	case manifestTab:
		return m.manifest.View(width, height)
	case specTab:
		return m.spec.View(width, height)
	}
	if len(m.rows) == 0 {
		text := m.env.T("pods.none")
		if m.status.Phase == job.Queued {
			text = m.env.T("pods.queued")
		}
		return widget.Lines("\n  "+m.env.Styles.Dim.Render(cell.Truncate(text, width-2)), width, height)
	}
	table := height
	if m.tail.open && height >= 6 {
		table = min(len(m.rows)+1, max(height/2, 3))
	}
	block := m.pods.View(width, table)
	if table < height {
		block += "\n" + m.tailView(width, height-table)
	}
	return block
}

func (m *Model) tailView(width, height int) string {
	t, styles := m.env.Texts, m.env.Styles
	title := t.T("tail.title", "pod", m.tail.row.label())
	lines := []string{
		styles.Border.Render("──") + " " + styles.Heading.Render(title) + " " +
			widget.Rule(styles, max(width-cell.Width(title)-4, 0)),
	}
	room := height - 1
	switch {
	case m.tail.gone:
		lines = append(lines, " "+styles.Warning.Render(cell.Truncate(t.T("tail.gone"), width-1)))
		room--
	case m.tail.err != "":
		lines = append(lines, " "+styles.Error.Render(cell.Truncate(t.T("tail.failed", "error", m.tail.err), width-1)))
		room--
	}
	switch {
	case len(m.tail.lines) > 0:
		for _, line := range m.tail.lines[max(len(m.tail.lines)-max(room, 0), 0):] {
			line = cell.Truncate(line, width-1)
			if !styles.Coloured() {
				line = safetext.Clean(line)
			}
			lines = append(lines, " "+line)
		}
	case m.tail.err != "" && m.tail.row.pod.Message != "": // what Kubernetes kept of the log
		kept := strings.Split(strings.TrimRight(safetext.CleanLines(m.tail.row.pod.Message), "\n"), "\n")
		for _, line := range kept[max(len(kept)-max(room, 0), 0):] {
			lines = append(lines, " "+cell.Truncate(line, width-1))
		}
	case m.tail.loaded:
		lines = append(lines, " "+styles.Dim.Render(t.T("tail.empty")))
	case m.tail.err == "" && !m.tail.gone:
		lines = append(lines, " "+styles.Dim.Render(t.T("loading")))
	}
	return widget.Lines(strings.Join(lines, "\n"), width, height)
}

func (m *Model) footer(width int) string {
	k := m.env.Keys
	bindings := []keys.Binding{k.Logs, k.PodLogs, k.Tail}
	if m.tab != podsTab {
		bindings = []keys.Binding{k.Down, k.PageDown, k.NextTab, k.Back, k.Logs, k.Up, k.Bottom}
	}
	switch {
	case m.actions.Asking():
		bindings = []keys.Binding{k.Yes, k.No}
		return widget.Footer(m.env.Styles, m.env.Texts, bindings, k.HelpTyping, width)
	case m.tab != podsTab:
		return widget.Footer(m.env.Styles, m.env.Texts, bindings, k.Help, width)
	case m.status.Phase == job.Stopped:
		bindings = append(bindings, k.Resume)
	case m.found && !m.status.Phase.Terminal():
		bindings = append(bindings, k.Stop)
	}
	bindings = append(bindings, k.Clone, k.Back, k.Delete, k.NextTab)
	return widget.Footer(m.env.Styles, m.env.Texts, bindings, k.Help, width)
}
