package widget

import (
	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/ui/keys"
)

// Mover is what can be scrolled or moved in.
type Mover interface {
	Move(n int)
	Top()
	Bottom()
	Page() int
}

// Move handles the keys of movement; it tells whether msg was one.
func Move(m Mover, k keys.Map, msg tea.KeyPressMsg) bool {
	switch {
	case keys.Matches(msg, k.Up):
		m.Move(-1)
	case keys.Matches(msg, k.Down):
		m.Move(1)
	case keys.Matches(msg, k.HalfUp):
		m.Move(-max(m.Page()/2, 1))
	case keys.Matches(msg, k.HalfDown):
		m.Move(max(m.Page()/2, 1))
	case keys.Matches(msg, k.PageUp):
		m.Move(-m.Page())
	case keys.Matches(msg, k.PageDown):
		m.Move(m.Page())
	case keys.Matches(msg, k.Top):
		m.Top()
	case keys.Matches(msg, k.Bottom):
		m.Bottom()
	default:
		return false
	}
	return true
}
