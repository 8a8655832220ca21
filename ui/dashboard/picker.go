package dashboard

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/safetext"
	"muster.dev/muster/ui/widget"
)

// picker chooses a workspace from those known, or by typing the name of one that can't be listed.
type picker struct {
	env    nav.Env
	known  []string
	names  []string // "" is all workspaces
	prompt widget.Prompt
	table  widget.Table
}

func newPicker(env nav.Env, snap snapshot.Snapshot) *picker {
	p := &picker{env: env}
	p.table.SetStyles(env.Styles)
	p.table.SetHeadless(true)
	p.table.SetColumns([]widget.Column{{Min: 4}})
	p.set(snap)
	p.table.Select(snap.Facts.Workspace)
	return p
}

func (p *picker) set(snap snapshot.Snapshot) {
	p.known = snap.Workspaces
	p.arrange()
}

func (p *picker) update(msg tea.Msg) {
	if p.prompt.Update(msg) {
		p.arrange()
		p.table.MoveTo(0)
	}
}

func (p *picker) arrange() {
	text := strings.TrimSpace(p.prompt.Text())
	if text == "" {
		p.names = append([]string{""}, p.known...)
	} else {
		p.names = nil
		exact := false
		for _, match := range fuzzy.Find(text, p.known) {
			p.names = append(p.names, match.Str)
			exact = exact || match.Str == text
		}
		if !exact {
			p.names = append(p.names, text)
		}
	}
	names := p.names
	p.table.SetRows(names, func(i int) []widget.Cell {
		if names[i] == "" {
			return []widget.Cell{{Text: p.env.T("workspace.all"), Style: p.env.Styles.Dim}}
		}
		return []widget.Cell{{Text: safetext.Clean(names[i]), Style: themes.Style{}}}
	})
}

func (p *picker) view(width, height int) string {
	inner := max(min(width-4, 48), 1)
	text, _ := p.prompt.View(inner - 2)
	lines := []string{p.env.Styles.Key.Render("/") + " " + text + p.env.Styles.Selected.Render(" ")}
	rows := min(len(p.names), max(height-5, 0), 12)
	if rows > 0 {
		lines = append(lines, strings.Split(p.table.View(inner, rows), "\n")...)
	}
	if height > 6 {
		lines = append(lines, p.env.Styles.Dim.Render(cell.Truncate(p.env.T("workspace.hint"), inner)))
	}
	return widget.Box(p.env.Styles, p.env.T("workspace.title"), lines, width, height)
}

func (m *Model) pickerKey(msg tea.KeyPressMsg) tea.Cmd {
	p := m.picker
	switch msg.String() {
	case "esc":
		m.picker = nil
	case "up", "ctrl+p":
		p.table.Move(-1)
	case "down", "ctrl+n":
		p.table.Move(1)
	case "pgup":
		p.table.Move(-p.table.Page())
	case "pgdown":
		p.table.Move(p.table.Page())
	case "enter":
		m.picker = nil
		if i := p.table.Index(); i >= 0 && i < len(p.names) {
			return nav.Send(nav.SetWorkspace{Name: p.names[i]})
		}
	default:
		p.update(msg)
	}
	return nil
}
