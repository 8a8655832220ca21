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
	lines := []string{first}
	if text := reason(m.env, s); text != "" {
		lines = append(lines, reasonStyle(styles, s).Render(text))
	}
	if s.Message != "" && s.Phase.Terminal() {
		lines = append(lines, styles.Dim.Render(safetext.Clean(s.Message)))
	}
	lines = append(lines, m.roles(s), styles.Dim.Render(m.origin(s)))
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
