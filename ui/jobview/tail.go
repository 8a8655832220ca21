package jobview

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/words"
)

// tailLines is how many last lines of a pod are asked for.
const tailLines = 200

// tailEvery is after how many seconds the last lines of a pod that still runs are asked for again.
const tailEvery = 3

// tail is the last lines of one pod, shown below the table.
type tail struct {
	row     podRow
	open    bool
	lines   []string
	err     string
	loaded  bool
	running bool // a request is under way
	age     int  // ticks since the last answer
	final   bool // they were asked for after the pod had ended: nothing more can come
	gone    bool // there is nothing to ask of any more
	pinned  bool // of the pod that failed: no other takes its place
	auto    string
}

type tailMsg struct {
	owner *Model
	pod   string
	lines []string
	err   error
}

// autoTail opens the last lines of the pod that made the job fail, once for each such pod.
func (m *Model) autoTail() tea.Cmd {
	s := m.status
	if s.FailedPod == "" || s.Phase != job.Failed && s.Phase != job.TimedOut && s.Phase != job.Restarting || m.tail.auto == s.FailedPod+strconv.Itoa(s.Restarts) {
		return nil
	}
	for _, row := range m.rows {
		if row.pod.Name == s.FailedPod {
			m.tail.auto = s.FailedPod + strconv.Itoa(s.Restarts)
			m.pods.Select(row.role + "/" + strconv.Itoa(row.pod.Index))
			cmd := m.openTail(row)
			m.tail.pinned = true
			return cmd
		}
	}
	return nil
}

func (m *Model) toggleTail() tea.Cmd {
	row, ok := m.selectedPod()
	switch {
	case !ok:
		return m.Send(nav.Notify{Level: nav.Warned, Text: m.env.T("pods.none")})
	case m.tab != podsTab:
		m.tab = podsTab
	case m.tail.open && m.tail.row.pod.Name == row.pod.Name:
		m.tail.open = false
		return nil
	}
	return m.openTail(row)
}

func (m *Model) openTail(row podRow) tea.Cmd {
	m.tail = tail{row: row, open: true, auto: m.tail.auto}
	return m.fetchTail()
}

func (m *Model) fetchTail() tea.Cmd {
	m.tail.running = true
	m.tail.final = m.tail.row.ended()
	ctx, backend, workspace, pod := m.ctx, m.backend, m.workspace, m.tail.row.pod.Name
	return func() tea.Msg {
		lines, err := backend.Tail(ctx, workspace, pod, tailLines)
		return tailMsg{owner: m, pod: pod, lines: lines, err: err}
	}
}

func (m *Model) gotTail(msg tailMsg) {
	if msg.owner != m || msg.pod != m.tail.row.pod.Name {
		return
	}
	m.tail.running, m.tail.age = false, 0
	if msg.err != nil {
		m.tail.err = words.Failure(m.env.Texts, msg.err) // lines that were had stay
		return
	}
	m.tail.err, m.tail.loaded = "", true
	m.tail.lines = m.tail.lines[:0:0]
	for _, line := range msg.lines {
		m.tail.lines = append(m.tail.lines, safetext.CleanLog(line))
	}
	for len(m.tail.lines) > 0 && m.tail.lines[len(m.tail.lines)-1] == "" {
		m.tail.lines = m.tail.lines[:len(m.tail.lines)-1]
	}
}

// ended tells whether the pod writes nothing more.
func (r podRow) ended() bool { return r.pod.Finished != nil || r.pod.ExitCode != nil }

// followPod goes on with the pod that took the place of the one whose lines are shown. fresh: there is one.
func (m *Model) followPod() (fresh bool) {
	now := &m.tail
	for _, row := range m.rows {
		if row.role != now.row.role || row.pod.Index != now.row.pod.Index || m.gone {
			continue
		}
		fresh = row.pod.Name != now.row.pod.Name
		if fresh && (now.pinned || row.pod.Name == "") {
			break
		}
		now.row, now.gone = row, false
		if fresh {
			now.err, now.loaded = "", false // the lines stay until it has some
		}
		return fresh
	}
	now.gone = true
	return false
}

// tick asks again for what goes on changing, while it is seen.
func (m *Model) tick() tea.Cmd {
	seen := m.seen
	m.seen = false
	m.tail.age++
	m.details.age++
	if !seen {
		return nil
	}
	var cmds []tea.Cmd
	if m.tail.open {
		fresh := m.followPod()
		whole := m.tail.final && m.tail.row.ended() && m.tail.loaded && m.tail.err == ""
		due := m.tail.age >= tailEvery && !m.tail.running && !m.tail.gone && !whole
		if fresh || due {
			cmds = append(cmds, m.fetchTail())
		}
	}
	if m.tab == eventsTab && m.details.age >= eventsEvery && !m.status.Phase.Terminal() {
		cmds = append(cmds, m.fetchDetails())
	}
	return tea.Batch(cmds...)
}
