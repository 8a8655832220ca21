package action

import (
	"muster.dev/muster/backend/job"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/nav"
	"muster.dev/muster/ui/widget"
	"muster.dev/muster/ui/words"
)

// confirm is a question that waits for an answer. It is about the very job that was selected when it was asked, by
// UID, whatever is selected meanwhile.
type confirm struct {
	about   target
	phase   job.Phase
	foreign bool
}

// View draws the open question over a screen of width × height cells; without one it returns the screen.
func (a *Actions) View(env nav.Env, screen string, width, height int) string {
	if a.confirm == nil {
		return screen
	}
	return widget.Over(screen, a.confirm.view(env, width, height), width, height)
}

func (c *confirm) view(env nav.Env, width, height int) string {
	t := env.Texts
	lines := cell.Wrap(t.T("action.which", "workspace", c.about.workspace, "job", c.about.name, "phase", words.Phase(t, c.phase)), width-4)
	lines = append(lines, cell.Wrap(t.T("action.effect."+string(c.about.verb)), width-4)...)
	if c.foreign {
		for _, line := range cell.Wrap(t.T("action.foreign"), width-4) {
			lines = append(lines, env.Styles.Warning.Render(line))
		}
	}
	k := env.Keys
	answer := env.Styles.Key.Render(k.Yes.Help().Key) + " " + env.T(k.Yes.Help().Desc) + "   " +
		env.Styles.Key.Render(k.No.Help().Key) + " " + env.T(k.No.Help().Desc)
	if height >= len(lines)+4 {
		lines = append(lines, "")
	}
	lines = append(lines[:min(len(lines), max(height-3, 0))], answer)
	return widget.Box(env.Styles, t.T("action.title."+string(c.about.verb)), lines, width, height)
}
