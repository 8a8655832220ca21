package jobview

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/words"
)

// eventsEvery is after how many seconds the events of a job that goes on are asked for again while they are shown.
const eventsEvery = 5

// details is what is fetched beside the status.
type details struct {
	value   snapshot.Details
	loaded  bool
	err     string
	running bool
	again   bool // it changed while a request was under way
	age     int  // ticks since the last answer
}

type detailsMsg struct {
	owner *Model
	value snapshot.Details
	err   error
}

func (m *Model) fetchDetails() tea.Cmd {
	if m.details.running {
		m.details.again = true
		return nil
	}
	m.details.running = true
	ctx, backend, workspace, name := m.ctx, m.backend, m.workspace, m.name
	return func() tea.Msg {
		value, err := backend.Details(ctx, workspace, name)
		return detailsMsg{owner: m, value: value, err: err}
	}
}

func (m *Model) gotDetails(msg detailsMsg) tea.Cmd {
	if msg.owner != m {
		return nil
	}
	m.details.running, m.details.age = false, 0
	if msg.err != nil {
		m.details.err = words.Failure(m.env.Texts, msg.err) // what was known stays
	} else {
		m.details.value, m.details.err, m.details.loaded = msg.value, "", true
	}
	m.fillTexts()
	if m.details.again {
		m.details.again = false
		return m.fetchDetails()
	}
	return nil
}

// fillTexts makes the lines of events, manifest and spec.
func (m *Model) fillTexts() {
	m.events.SetLines(m.eventLines())
	manifest := m.wait()
	if m.details.value.Manifest != "" {
		manifest = yamlLines(m, m.details.value.Manifest)
	}
	m.manifest.SetLines(manifest)
	spec := m.wait()
	switch {
	case m.details.value.Spec != nil:
		if data, err := job.Encode(*m.details.value.Spec); err != nil {
			spec = []string{" " + safetext.Clean(err.Error())}
		} else {
			spec = yamlLines(m, string(data))
		}
	case m.details.loaded:
		spec = []string{"", "  " + m.env.T("spec.foreign")}
	}
	m.spec.SetLines(spec)
}

// wait says why there is nothing yet.
func (m *Model) wait() []string {
	if m.details.err != "" {
		return []string{"", "  " + m.env.Styles.Error.Render(m.env.T("details.failed", "error", m.details.err))}
	}
	return []string{"", "  " + m.env.Styles.Dim.Render(m.env.T("loading"))}
}

func yamlLines(m *Model, text string) []string {
	lines := strings.Split(strings.TrimRight(safetext.CleanLines(text), "\n"), "\n")
	for i, line := range lines {
		if key, value, ok := strings.Cut(line, ":"); ok && (value == "" || value[0] == ' ') && !strings.ContainsAny(key, "\"'|#{") {
			line = m.env.Styles.Accent.Render(key+":") + value
		}
		lines[i] = " " + line
	}
	return lines
}

func (m *Model) eventLines() []string {
	t, styles := m.env.Texts, m.env.Styles
	events := m.details.value.Events
	if !m.details.loaded {
		return m.wait()
	}
	if len(events) == 0 {
		return []string{"", "  " + styles.Dim.Render(t.T("events.none"))}
	}
	var lines []string
	for i := len(events) - 1; i >= 0; i-- { // newest first
		e := events[i]
		style := styles.Dim
		if e.Type == "Warning" {
			style = styles.Warning
		}
		reason := safetext.Clean(e.Reason)
		if key := "event." + e.Reason; t.Has(key) {
			reason = t.T(key) + " (" + reason + ")"
		}
		head := words.Ago(t, m.env.Now().Sub(e.Last))
		if e.Count > 1 {
			head += " ×" + strconv.Itoa(e.Count)
		}
		lines = append(lines,
			" "+styles.Dim.Render(head)+"  "+style.Render(reason)+"  "+styles.Dim.Render(safetext.Clean(e.Object)),
			"   "+safetext.Clean(e.Message))
	}
	return lines
}
