package themes

import (
	"fmt"
	"strings"

	"muster.dev/muster/backend/job"
)

// Name is one of the themes.
type Name string

// The themes. Auto is dark or light, as the terminal's background is; Sixteen takes the terminal's own 16 colours;
// None has no colour at all.
const (
	Auto    Name = "auto"
	Dark    Name = "dark"
	Light   Name = "light"
	Sixteen Name = "16"
	None    Name = "none"
)

// Names returns the themes that --theme takes, in the order in which they are switched through.
func Names() []Name { return []Name{Auto, Dark, Light, Sixteen, None} }

// Styles is all that screens draw with.
type Styles struct {
	Name Name

	Text     Style // plain
	Dim      Style // less important: units, hints, ages
	Title    Style // the product's and a screen's name
	Accent   Style // what is looked for: the current section, a value
	Heading  Style // a table's head, a group's title
	Border   Style // lines
	Selected Style // the row under the cursor
	Marked   Style // a match of a search
	Key      Style // a key in footer and help
	Tab      Style // a tab that is not open
	TabOpen  Style

	Error   Style
	Warning Style
	Success Style
	Info    Style

	Field       Style // a form field
	FieldFocus  Style // the field that has the keyboard
	Placeholder Style // a hint where nothing is typed
	Hint        Style // help below a field

	Series []Style // colours that tell roles and pods of one log apart, used in turn

	phases map[job.Phase]Style
}

// Phase is the style of a phase's name.
func (s *Styles) Phase(p job.Phase) Style { return s.phases[p] }

// Coloured tells whether the theme has colours; where it has none, colours in logs are dropped too.
func (s *Styles) Coloured() bool { return s.Name != None }

// New returns the styles of a theme. Auto is taken as dark until the terminal has said what its background is.
func New(name Name) *Styles {
	switch name {
	case Light:
		return light().styles(Light)
	case Sixteen:
		return sixteen().styles(Sixteen)
	case None:
		return none().styles(None)
	}
	return dark().styles(Dark)
}

// Choose says which theme a session begins with. What the user names (flag, else MUSTER_THEME) wins, then NO_COLOR
// with any value that is not empty, then what the terminal can do. The error names a theme that does not exist.
func Choose(flag string, getenv func(string) string) (Name, error) {
	asked, from := flag, "--theme"
	if asked == "" {
		asked, from = getenv("MUSTER_THEME"), "MUSTER_THEME"
	}
	if asked != "" {
		for _, name := range Names() {
			if strings.EqualFold(asked, string(name)) {
				return name, nil
			}
		}
		return Auto, fmt.Errorf("%s: there is no theme %q: take one of auto, dark, light, 16, none", from, asked)
	}
	term := getenv("TERM")
	switch {
	case getenv("NO_COLOR") != "", term == "dumb":
		return None, nil
	case getenv("COLORTERM") != "", strings.Contains(term, "256color"), strings.Contains(term, "direct"),
		strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"), strings.Contains(term, "alacritty"):
		return Auto, nil
	}
	return Sixteen, nil
}
