package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/rivo/uniseg"

	"muster.dev/muster/ui/cell"
	"muster.dev/muster/ui/safetext"
)

// promptLimit is how much a prompt takes, in bytes: it is for a few words, and what is pasted by mistake is cut.
const promptLimit = 1024

// Prompt is the line for a search or a filter: text is typed at its end. The zero value is empty and ready.
type Prompt struct {
	text string
}

// Text is what was typed.
func (p *Prompt) Text() string { return p.text }

// Set replaces the text.
func (p *Prompt) Set(text string) { p.text = ""; p.add(text) }

// Update takes a key press or a paste; it tells whether the text changed.
func (p *Prompt) Update(msg tea.Msg) bool {
	before := p.text
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.add(msg.Content)
	case tea.KeyPressMsg:
		switch msg.String() {
		case "backspace", "ctrl+h":
			p.text = p.text[:len(p.text)-lastCluster(p.text)]
		case "ctrl+u":
			p.text = ""
		case "ctrl+w", "alt+backspace":
			trimmed := strings.TrimRight(p.text, " ")
			p.text = trimmed[:strings.LastIndexByte(trimmed, ' ')+1]
		default:
			p.add(msg.Text)
		}
	}
	return p.text != before
}

func (p *Prompt) add(text string) {
	text = safetext.Clean(text)
	if room := promptLimit - len(p.text); len(text) > room {
		text = strings.ToValidUTF8(text[:max(room, 0)], "")
	}
	p.text += text
}

// View shows the end of the text in at most width cells, and the column of the cursor.
func (p *Prompt) View(width int) (string, int) {
	text, w := p.text, cell.Width(p.text)
	if w > width-1 {
		text = cell.Cut(text, w-max(width-1, 0), w)
	}
	return text, min(cell.Width(text), max(width-1, 0))
}

func lastCluster(s string) int {
	n := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		n = len(g.Bytes())
	}
	return n
}
