// Package themes holds muster's colours: a palette becomes a set of styles that is passed down to every screen.
package themes

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// Style colours a piece of one line. The zero value changes nothing. It is a prefix of SGR attributes and no
// layout, so that rendering hundreds of cells a frame costs next to nothing.
type Style struct {
	attributes ansi.Style
	open       string
}

// Render returns text in this style, closed at its end. Text must not have a line break.
func (s Style) Render(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	return s.open + text + ansi.ResetStyle
}

// Over is this style drawn on top of another one, such as a phase's colour on the selected row: attributes of s win.
func (s Style) Over(base Style) Style {
	switch {
	case s.open == "":
		return base
	case base.open == "":
		return s
	}
	return newStyle(append(append(ansi.Style{}, base.attributes...), s.attributes...))
}

// Open is the sequence that switches the style on, for text that carries sequences of its own; "" when there is none.
func (s Style) Open() string { return s.open }

func newStyle(attributes ansi.Style) Style {
	if len(attributes) == 0 {
		return Style{}
	}
	return Style{attributes: attributes, open: attributes.String()}
}

// look is how a style is written down in a palette.
type look struct {
	fg, bg                          color.Color
	bold, faint, underline, reverse bool
}

func (l look) style() Style {
	var s ansi.Style
	if l.bold {
		s = s.Bold()
	}
	if l.faint {
		s = s.Faint()
	}
	if l.underline {
		s = s.Underline(true)
	}
	if l.reverse {
		s = s.Reverse(true)
	}
	if l.fg != nil {
		s = s.ForegroundColor(l.fg)
	}
	if l.bg != nil {
		s = s.BackgroundColor(l.bg)
	}
	return newStyle(s)
}
