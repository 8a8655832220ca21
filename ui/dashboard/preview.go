package dashboard

import (
	"strings"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// previewView is the selected job in a few lines.
func (m *Model) previewView(width, height int) string {
	s, ok := m.jobs.selected()
	if !ok {
		return widget.Lines("", width, height)
	}
	t, styles := m.env.Texts, m.env.Styles
	name := safetext.Clean(s.Name)
	if s.DisplayName != "" && s.DisplayName != s.Name {
		name += " · " + safetext.Clean(s.DisplayName)
	}
	first := styles.Accent.Render(name) + "  " + styles.Phase(s.Phase).Render(words.Phase(t, s.Phase)) + " " +
		styles.Dim.Render("· "+words.PhaseMeaning(t, s.Phase))
	if s.Restarts > 0 {
		first += styles.Dim.Render(" · ") + styles.Warning.Render(t.T("job.restarts", "count", s.Restarts))
	}
	lines := []string{first}
	if text := words.Reason(t, s); text != "" {
		lines = append(lines, reasonStyle(styles, s).Render(text))
	}
	origin := styles.Dim.Render(m.origin(s))
	message := words.Message(t, s, 2)
	if len(message) == 1 {
		message = widget.Paragraph(message[0], width-2, max(height-len(lines)-2, 1))
	}
	for _, line := range message {
		lines = append(lines, styles.Dim.Render(line))
	}
	if len(lines)+2 <= height { // what is wrong is worth more than how many are ready
		lines = append(lines, m.roles(s))
	}
	lines = append(lines, origin)
	for i, line := range lines {
		lines[i] = " " + cell.Truncate(line, width-1)
	}
	return widget.Lines(strings.Join(lines, "\n"), width, height)
}

func (m *Model) roles(s job.Status) string {
	parts := make([]string, 0, len(s.Roles))
	for _, role := range s.Roles {
		parts = append(parts, m.env.T("preview.role", "role", role.Name, "ready", role.Ready, "count", role.Replicas))
	}
	return strings.Join(parts, " · ")
}

func (m *Model) origin(s job.Status) string {
	t := m.env.Texts
	parts := []string{t.T("preview.age", "age", words.Running(t, s.Created, m.env.Now()))}
	if s.User != "" {
		parts = append(parts, safetext.Clean(s.User))
	}
	for _, text := range []string{s.Engine, s.Cluster, s.Image} {
		if text != "" {
			parts = append(parts, safetext.Clean(text))
		}
	}
	return strings.Join(parts, " · ")
}
