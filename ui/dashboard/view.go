package dashboard

import (
	"strconv"
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/keys"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// View draws header, tabs, the open tab and the footer.
func (m *Model) View(width, height int) string {
	lines := []string{m.header(width)}
	if height >= 4 {
		lines = append(lines, m.tabLine(width))
	}
	lines = append(lines, m.connectionHelp(width, height)...)
	m.bodyTop = len(lines)
	body := height - len(lines) - 1
	lines = append(lines, strings.Split(m.body(width, body), "\n")...)
	lines = append(lines, m.footer(width))
	view := widget.Lines(strings.Join(lines, "\n"), width, height)
	if m.picker != nil {
		return widget.Over(view, m.picker.View(width, height), width, height)
	}
	return m.actions.View(m.env, view, width, height)
}

func (m *Model) header(width int) string {
	t, styles := m.env.Texts, m.env.Styles
	left := styles.Title.Render(t.T("app")) + "   " + words.Where(t, m.snap.Facts)
	text, style := words.Connection(m.env, m.snap.Conn)
	right := style.Render(text)
	if engines := m.engines(); engines != "" && cell.Width(left)+cell.Width(engines)+cell.Width(text)+8 <= width {
		right = styles.Dim.Render(engines+" · ") + right
	}
	return widget.PlaceHeader(left, styles.Accent.Render(words.Workspace(t, m.snap.Facts.Workspace)), right, m.snap.Conn.State == snapshot.Live, width)
}

func (m *Model) engines() string {
	parts := make([]string, 0, len(m.snap.Facts.Engines)+1)
	for _, engine := range m.snap.Facts.Engines {
		parts = append(parts, safetext.Clean(engine))
	}
	if m.snap.Facts.Kueue {
		parts = append(parts, "kueue")
	}
	return strings.Join(parts, " + ")
}

func (m *Model) tabs() []widget.Tab {
	t := m.env.Texts
	jobs := strconv.Itoa(len(m.jobs.all))
	if len(m.jobs.shown) != len(m.jobs.all) {
		jobs = strconv.Itoa(len(m.jobs.shown)) + "/" + jobs
	}
	return []widget.Tab{
		{Title: t.T("tab.jobs"), Count: jobs},
		{Title: t.T("tab.queues"), Count: strconv.Itoa(len(m.snap.Queues))},
		{Title: t.T("tab.stock")},
	}
}

func (m *Model) tabLine(width int) string {
	t, styles := m.env.Texts, m.env.Styles
	left := widget.Tabs(styles, m.tabs(), m.tab)
	if m.tab != jobsTab {
		return cell.Truncate(left, width)
	}
	if m.jobs.typing {
		room := max(width-cell.Width(left)-6, 8)
		text, _ := m.jobs.prompt.View(room)
		return widget.Header(left[1:], styles.Key.Render("/")+" "+text+styles.Selected.Render(" ")+" ", width)
	}
	var right []string
	if filter := m.jobs.prompt.Text(); filter != "" {
		right = append(right, styles.Marked.Render("/"+filter))
	}
	right = append(right, t.T(m.jobs.sort.name()))
	if m.jobs.mine {
		right = append(right, t.T("jobs.mine"))
	} else {
		right = append(right, t.T("jobs.all"))
	}
	return widget.Header(left[1:], styles.Dim.Render(strings.Join(right, "   "))+" ", width)
}

// connectionHelp stands below the tabs while something is the matter with the connection and there is room.
func (m *Model) connectionHelp(width, height int) []string {
	if len(m.jobs.all) == 0 || height < 16 {
		return nil // the empty body says it
	}
	var lines []string
	for _, sentence := range words.ConnectionHelp(m.env.Texts, m.snap.Conn) {
		for _, line := range cell.Wrap(sentence, width-2) {
			lines = append(lines, " "+m.env.Styles.Warning.Render(line))
		}
	}
	return lines[:min(len(lines), 4)]
}

func (m *Model) body(width, height int) string {
	switch m.tab {
	case queuesTab:
		return m.queues.view(width, height)
	case stockTab:
		return m.stock.view(width, height)
	}
	if len(m.jobs.shown) == 0 {
		return m.noJobs(width, height)
	}
	preview := 0
	if m.jobs.preview && height >= 12 {
		preview = 5
		if height >= 20 {
			preview = 6
		}
	}
	block := m.jobs.table.View(width, height-preview)
	if preview > 0 {
		block += "\n" + widget.Rule(m.env.Styles, width) + "\n" + m.previewView(width, preview-1)
	}
	return block
}

// noJobs says why there is nothing to see, and what would change it.
func (m *Model) noJobs(width, height int) string {
	t := m.env.Texts
	if len(m.jobs.all) > 0 {
		if m.jobs.prompt.Text() != "" {
			return empty(m.env, t.T("jobs.noMatch", "filter", m.jobs.prompt.Text()), width, height)
		}
		return empty(m.env, t.T("jobs.noneMine"), width, height)
	}
	if help := words.ConnectionHelp(t, m.snap.Conn); help != nil {
		return empty(m.env, strings.Join(help, "\n"), width, height)
	}
	if m.snap.Conn.State == snapshot.Connecting {
		return empty(m.env, t.T("jobs.loading"), width, height)
	}
	sentences := t.T("jobs.none", "workspace", words.Workspace(t, m.snap.Facts.Workspace))
	if why := notSeen(m.env, m.snap, "jobs.denied", "jobs.batch", "jobsets.jobset.x-k8s.io", "pods"); why != "" {
		sentences = why
	}
	return empty(m.env, sentences, width, height)
}

// notSeen says why nothing of the resources can be seen where the view looks: that there is no such workspace, or the
// rights that lack, in the catalogue's words of the key. It is "" when there is no such cause.
func notSeen(env nav.Env, snap snapshot.Snapshot, key string, resources ...string) string {
	facts := snap.Facts
	for _, problem := range facts.Problems {
		if problem.Path == "workspace" && facts.Workspace != "" {
			return env.T("workspace.missing", "workspace", safetext.Clean(facts.Workspace))
		}
	}
	missing := facts.Unlisted(resources...)
	if len(missing) == 0 || facts.Workspace == "" && snap.SeesAny(resources[0]) {
		return ""
	}
	text := env.T(key, "rights", strings.Join(missing, ", "))
	if facts.Workspace != "" && len(facts.Unlisted("jobs.batch", "pods")) == 2 && len(snap.Queues) == 0 {
		text += "\n" + env.T("workspace.perhapsMissing", "workspace", safetext.Clean(facts.Workspace))
	}
	return text
}

// empty shows sentences where a list would be.
func empty(env nav.Env, sentences string, width, height int) string {
	var lines []string
	if height > 4 {
		lines = append(lines, "")
	}
	for _, sentence := range strings.Split(sentences, "\n") {
		for _, line := range cell.Wrap(sentence, width-4) {
			lines = append(lines, "  "+line)
		}
	}
	return widget.Lines(strings.Join(lines, "\n"), width, height)
}

func (m *Model) footer(width int) string {
	k := m.env.Keys
	var bindings []keys.Binding
	switch {
	case m.picker != nil:
		bindings = []keys.Binding{k.Choose, k.Cancel}
	case m.actions.Asking():
		bindings = []keys.Binding{k.Yes, k.No}
	case m.jobs.typing:
		bindings = []keys.Binding{k.Accept, k.Clear}
	case m.tab != jobsTab:
		bindings = []keys.Binding{k.NextTab, k.Workspace, k.New, k.Quit}
	default:
		s, ok := m.jobs.selected()
		if ok {
			bindings = []keys.Binding{k.Open, k.Logs}
		}
		bindings = append(bindings, k.New)
		if ok {
			bindings = append(bindings, k.Clone)
			switch {
			case s.Phase == job.Stopped:
				bindings = append(bindings, k.Resume)
			case !s.Phase.Terminal():
				bindings = append(bindings, k.Stop)
			}
			bindings = append(bindings, k.Delete)
		}
		bindings = append(bindings, k.Filter, k.NextTab, k.Workspace, k.Quit)
	}
	help := k.Help
	if m.Typing() {
		help = k.HelpTyping
	}
	return widget.Footer(m.env.Styles, m.env.Texts, bindings, help, width)
}
