package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/safetext"
)

// Choice is one thing to pick.
type Choice struct {
	ID    string
	Label string
}

// Picker is a dialog that finds one of many by typing a few of its letters.
type Picker struct {
	styles      *themes.Styles
	title, hint string
	choices     []Choice
	shown       []Choice
	free        bool
	prompt      Prompt
	table       Table
}

// NewPicker returns a picker with one of the choices selected. With free, what is typed can be picked too, as an ID.
func NewPicker(styles *themes.Styles, title, hint string, choices []Choice, selected string, free bool) *Picker {
	p := &Picker{styles: styles, title: title, hint: hint, free: free}
	p.table.SetStyles(styles)
	p.table.SetHeadless(true)
	p.table.SetColumns([]Column{{Min: 4}})
	p.SetChoices(choices)
	for i, c := range p.shown {
		if c.ID == selected {
			p.table.MoveTo(i)
		}
	}
	return p
}

// SetTexts changes colours and words, as when theme or language change while it is open.
func (p *Picker) SetTexts(styles *themes.Styles, title, hint string) {
	p.styles, p.title, p.hint = styles, title, hint
	p.table.SetStyles(styles)
}

// SetChoices changes what there is to pick.
func (p *Picker) SetChoices(choices []Choice) {
	p.choices = choices
	p.arrange()
}

func (p *Picker) arrange() {
	text := strings.TrimSpace(p.prompt.Text())
	p.shown = p.choices
	if text != "" {
		labels := make([]string, len(p.choices))
		exact := false
		for i, c := range p.choices {
			labels[i] = c.Label
			exact = exact || c.ID == text
		}
		p.shown = nil
		for _, match := range fuzzy.Find(text, labels) {
			p.shown = append(p.shown, p.choices[match.Index])
		}
		if p.free && !exact {
			p.shown = append(p.shown, Choice{ID: text, Label: text})
		}
	}
	shown := p.shown
	ids := make([]string, len(shown))
	for i, c := range shown {
		ids[i] = c.ID + "\x00" + c.Label
	}
	p.table.SetRows(ids, func(i int) []Cell { return []Cell{{Text: safetext.Clean(shown[i].Label)}} })
}

// Update takes a key press or a paste. When done is true the picker is to be closed; picked tells whether something
// was chosen.
func (p *Picker) Update(msg tea.Msg) (choice Choice, picked, done bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			return Choice{}, false, true
		case "enter":
			if i := p.table.Index(); i >= 0 {
				return p.shown[i], true, true
			}
			return Choice{}, false, false
		case "up", "ctrl+p":
			p.table.Move(-1)
			return Choice{}, false, false
		case "down", "ctrl+n":
			p.table.Move(1)
			return Choice{}, false, false
		case "pgup":
			p.table.Move(-p.table.Page())
			return Choice{}, false, false
		case "pgdown":
			p.table.Move(p.table.Page())
			return Choice{}, false, false
		}
	}
	if p.prompt.Update(msg) {
		p.arrange()
		p.table.MoveTo(0)
	}
	return Choice{}, false, false
}

// View draws the dialog in at most width × height cells.
func (p *Picker) View(width, height int) string {
	inner := max(min(width-4, 52), 1)
	text, _ := p.prompt.View(inner - 2)
	lines := []string{p.styles.Key.Render("/") + " " + text + p.styles.FieldFocus.Render(" ")}
	room := height - 5
	if height < 8 {
		room = max(height-3, 1) // without the hint; what there is to choose matters most
	}
	rows := min(len(p.shown), room, 14)
	if rows > 0 {
		lines = append(lines, strings.Split(p.table.View(inner, rows), "\n")...)
	}
	if height == 3 && rows > 0 {
		lines = lines[1:] // inside the frame one line has room
	}
	if height >= 8 && p.hint != "" {
		lines = append(lines, p.styles.Dim.Render(cell.Truncate(p.hint, inner)))
	}
	return Box(p.styles, p.title, lines, width, height)
}
