// Package input is a one-line text field. It edits by grapheme clusters, knows the cell its cursor stands in, and
// takes any paste without harm. It holds no texts for people: what it did to a paste is told as a note.
package input

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/widget/textline"
)

// Model is one field. The zero value is an empty one, ready for use.
type Model struct {
	// Limit is the greatest number of characters (grapheme clusters) that can be typed; 0 means 100,000.
	Limit int
	// Mask shows a dot for each character: for secrets.
	Mask bool
	// Placeholder is shown dimmed while the field is empty.
	Placeholder string

	line   textline.Line
	cursor int // byte offset of a cluster boundary
	left   int // first visible column
	undo   []state
	redo   []state
	typing bool // the last change was typing, which one undo takes back together

	selected bool // the whole text is: what is typed or pasted next takes its place
}

type state struct {
	text   string
	cursor int
}

const (
	defaultLimit = 100_000
	undoDepth    = 200
	undoBytes    = 4 << 20
)

// Styles are what a field is drawn with.
type Styles struct {
	Text, Placeholder, Odd themes.Style // Odd: pictures of characters that are not shown as they are
	Selected               themes.Style // the text that the next letter replaces
}

// Value is the text, byte for byte.
func (m *Model) Value() string { return m.line.Text() }

// SetValue puts a text in and the cursor behind it. It forgets what could be undone.
func (m *Model) SetValue(text string) {
	m.line = textline.New(text)
	m.cursor = len(text)
	m.left = 0
	m.undo, m.redo, m.typing = nil, nil, false
	m.selected = false
}

// Select marks the whole text: a letter or a paste replaces it, any other key edits it as it is.
func (m *Model) Select() { m.selected = m.line.Text() != "" }

// CursorStart and CursorEnd move the cursor to an end of the text.
func (m *Model) CursorStart() { m.cursor = 0 }

// CursorEnd moves the cursor behind the text.
func (m *Model) CursorEnd() { m.cursor = len(m.line.Text()) }

// AtStart and AtEnd tell where the cursor stands.
func (m *Model) AtStart() bool { return m.cursor == 0 }

// AtEnd tells whether the cursor stands behind the text.
func (m *Model) AtEnd() bool { return m.cursor >= len(m.line.Text()) }

// Key handles a key press. It returns false for a key that means nothing here: enter, tab, up, down and the like
// belong to the form.
func (m *Model) Key(k tea.KeyPressMsg) bool {
	if move, ok := m.moved(k.Keystroke()); ok {
		m.cursor = move
		m.typing, m.selected = false, false
		return true
	}
	text, selected := m.line.Text(), m.selected
	m.selected = false
	switch k.Keystroke() {
	case "backspace", "shift+backspace", "ctrl+h":
		m.remove(m.line.Prev(m.cursor), m.cursor)
	case "delete", "ctrl+d":
		m.remove(m.cursor, m.line.Next(m.cursor))
	case "ctrl+u":
		m.remove(0, m.cursor)
	case "ctrl+k":
		m.remove(m.cursor, len(text))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		m.remove(m.line.WordLeft(m.cursor), m.cursor)
	case "alt+d", "ctrl+delete":
		m.remove(m.cursor, m.line.WordRight(m.cursor))
	case "ctrl+_", "ctrl+/", "alt+z":
		m.step(&m.undo, &m.redo)
	case "ctrl+y", "alt+y":
		m.step(&m.redo, &m.undo)
	default:
		m.selected = selected
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
			return false
		}
		clean, _ := textline.OneLine(k.Text)
		m.insert(clean, true)
	}
	return true
}

// Moves tells whether a key moves the cursor.
func (m *Model) Moves(k tea.KeyPressMsg) bool {
	_, ok := m.moved(k.Keystroke())
	return ok
}

func (m *Model) moved(keystroke string) (int, bool) {
	switch keystroke {
	case "left":
		return m.line.Prev(m.cursor), true
	case "right":
		return m.line.Next(m.cursor), true
	case "home", "ctrl+a":
		return 0, true
	case "end", "ctrl+e":
		return len(m.line.Text()), true
	case "ctrl+left", "alt+left", "alt+b":
		return m.line.WordLeft(m.cursor), true
	case "ctrl+right", "alt+right", "alt+f":
		return m.line.WordRight(m.cursor), true
	}
	return 0, false
}

// Paste puts a pasted text in at the cursor: see [textline.OneLine] for what is done to it. It never acts as keys.
func (m *Model) Paste(text string) textline.Note {
	clean, note := textline.OneLine(text)
	note.Cut += m.insert(clean, false)
	return note
}

func (m *Model) limit() int {
	if m.Limit > 0 {
		return m.Limit
	}
	return defaultLimit
}

// insert returns how many characters found no room.
func (m *Model) insert(s string, typed bool) int {
	if s == "" {
		return 0
	}
	cut, length := 0, m.line.Len()
	if m.selected {
		length = 0
	}
	if room := m.limit() - length; len(s) > room {
		part := textline.New(s)
		end, n := 0, 0
		for end < len(s) && n < room {
			end = part.Next(end)
			n++
		}
		cut = part.Len() - n
		s = s[:end]
	}
	if s == "" {
		return cut
	}
	text := m.line.Text()
	m.remember(typed)
	if m.selected {
		text, m.cursor, m.left, m.selected = "", 0, 0, false
	}
	line := textline.New(text[:m.cursor] + s + text[m.cursor:])
	m.cursor = line.RoundUp(m.cursor + len(s))
	m.line = line
	return cut
}

func (m *Model) remove(from, to int) {
	if from >= to {
		return
	}
	m.remember(false)
	text := m.line.Text()
	m.line = textline.New(text[:from] + text[to:])
	m.cursor = m.line.RoundUp(from)
}

// remember keeps the state before a change; letters typed one after another count as one change.
func (m *Model) remember(typed bool) {
	m.redo = nil
	if typed && m.typing && len(m.undo) > 0 {
		return
	}
	m.typing = typed
	m.undo = append(m.undo, state{m.line.Text(), m.cursor})
	size := 0
	for i := len(m.undo) - 1; i >= 0; i-- {
		size += len(m.undo[i].text)
		if size > undoBytes || len(m.undo)-i > undoDepth {
			m.undo = append([]state(nil), m.undo[i+1:]...)
			return
		}
	}
}

func (m *Model) step(from, to *[]state) {
	m.typing = false
	if len(*from) == 0 {
		return
	}
	*to = append(*to, state{m.line.Text(), m.cursor})
	last := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	m.line, m.cursor = textline.New(last.text), last.cursor
}

// View draws the field in exactly width cells and tells in which of them the cursor stands; the part around the
// cursor is shown. An unfocused field shows its start.
func (m *Model) View(width int, focused bool, s Styles) (string, int) {
	if width <= 0 {
		return "", 0
	}
	line, cursor := m.line, m.cursor
	if m.Mask {
		line = textline.New(strings.Repeat("*", m.line.Len()))
		cursor = textline.New(m.line.Text()[:m.cursor]).Len()
	}
	if line.Text() == "" {
		var b strings.Builder
		textline.Write(&b, textline.New(m.Placeholder).Window(0, width), s.Placeholder, s.Placeholder)
		return b.String(), 0
	}
	var b strings.Builder
	if !focused {
		if line.Width() <= width {
			textline.Write(&b, line.Window(0, width), s.Text, s.Odd)
			return b.String(), 0
		}
		textline.Write(&b, line.Window(0, width-1), s.Text, s.Odd)
		b.WriteString(s.Placeholder.Render("…"))
		return b.String(), 0
	}
	if m.selected {
		s.Text = s.Selected
	}
	column := line.Column(cursor)
	m.left = scroll(m.left, column, line.Width(), width)
	textline.Write(&b, line.Window(m.left, width), s.Text, s.Odd)
	return b.String(), column - m.left
}

// scroll keeps the cursor in view, with a cell for it behind the last character.
func scroll(left, column, total, width int) int {
	left = min(left, max(total+1-width, 0))
	switch {
	case column < left:
		left = max(column-width/4, 0)
	case column >= left+width:
		left = column - width + 1 + min(width/4, max(total-column, 0))
	}
	return max(left, 0)
}
