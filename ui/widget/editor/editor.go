// Package editor is a text field of many lines. What is typed, pasted or read from a file stays as it is, byte for
// byte: tabs, trailing spaces, control characters (shown by pictures). A paste's line breaks, which terminals send
// as returns, become "\n"; a file's CR stays. Long lines scroll sideways. It holds no texts for people.
package editor

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/widget/textline"
)

// MaxBytes is the most that a text may hold. Kubernetes takes objects of about 1.5 MB; a spec must fit beside it.
const MaxBytes = 512 << 10

// Model is one editor. [New] makes it.
type Model struct {
	// Numbers shows line numbers.
	Numbers bool
	// Placeholder is shown dimmed while the text is empty.
	Placeholder string

	buffer buffer
	cursor position
	goal   int // column that up and down aim for; -1: the cursor's own
	top    int // first visible row
	left   int // first visible column
	page   int // rows of the last frame
	undo   []edit
	redo   []edit
	typing bool
}

const (
	undoDepth = 1000
	undoBytes = 8 << 20
)

// Styles are what the editor is drawn with.
type Styles struct {
	Text, Placeholder, Odd, Number themes.Style
}

// New returns an editor with a text, the cursor at its start.
func New(text string) Model {
	return Model{buffer: newBuffer(text), goal: -1, page: 10}
}

// Value is the text, byte for byte.
func (m *Model) Value() string { return m.buffer.text() }

// Lines counts the lines.
func (m *Model) Lines() int { return len(m.buffer.lines) }

// Row is the line of the cursor, from 0.
func (m *Model) Row() int { return m.cursor.row }

// SetValue replaces the whole text; it can be undone.
func (m *Model) SetValue(text string) {
	if text == m.Value() {
		return
	}
	last := len(m.buffer.lines) - 1
	m.change(position{}, position{last, len(m.buffer.lines[last].Text())}, text, false)
	m.cursor, m.goal = position{}, -1
}

// CursorStart and CursorEnd put the cursor at an end of the text.
func (m *Model) CursorStart() { m.cursor, m.goal = position{}, -1 }

// CursorEnd puts the cursor behind the text.
func (m *Model) CursorEnd() {
	last := len(m.buffer.lines) - 1
	m.cursor, m.goal = position{last, len(m.buffer.lines[last].Text())}, -1
}

// Key handles a key press. It returns false for what it has no use for: tab and esc, which belong to the form, and
// up on the first and down on the last line, which leave the field.
func (m *Model) Key(k tea.KeyPressMsg) bool {
	stroke := k.Keystroke()
	if handled, ok := m.vertical(stroke); ok {
		return handled
	}
	if to, ok := m.moved(stroke); ok {
		m.cursor, m.goal, m.typing = to, -1, false
		return true
	}
	m.goal = -1
	switch stroke {
	case "enter", "shift+enter", "alt+enter", "ctrl+j":
		m.insert("\n", false)
	case "ctrl+t":
		m.insert("\t", true)
	case "backspace", "shift+backspace", "ctrl+h":
		m.remove(m.before(), m.cursor)
	case "delete", "ctrl+d":
		m.remove(m.cursor, m.next())
	case "ctrl+u":
		m.remove(position{m.cursor.row, 0}, m.cursor)
	case "ctrl+k":
		end := position{m.cursor.row, len(m.line().Text())}
		if end == m.cursor {
			end = m.next()
		}
		m.remove(m.cursor, end)
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		m.remove(m.wordLeft(), m.cursor)
	case "alt+d", "ctrl+delete":
		m.remove(m.cursor, m.wordRight())
	case "ctrl+_", "ctrl+/", "alt+z":
		m.undoLast()
	case "ctrl+y", "alt+y":
		m.redoLast()
	default:
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
			return false
		}
		clean, _ := textline.Text(k.Text)
		m.insert(clean, true)
	}
	return true
}

// Paste puts a pasted text in at the cursor; see [textline.Text].
func (m *Model) Paste(text string) textline.Note {
	clean, note := textline.Text(text)
	m.goal = -1
	note.Cut = m.insert(clean, false)
	return note
}

func (m *Model) line() textline.Line { return m.buffer.lines[m.cursor.row] }

func (m *Model) before() position {
	if m.cursor.offset == 0 && m.cursor.row > 0 {
		return position{m.cursor.row - 1, len(m.buffer.lines[m.cursor.row-1].Text())}
	}
	return position{m.cursor.row, m.line().Prev(m.cursor.offset)}
}

func (m *Model) next() position {
	if m.cursor.offset >= len(m.line().Text()) && m.cursor.row < len(m.buffer.lines)-1 {
		return position{m.cursor.row + 1, 0}
	}
	return position{m.cursor.row, m.line().Next(m.cursor.offset)}
}

func (m *Model) wordLeft() position {
	if m.cursor.offset == 0 {
		return m.before()
	}
	return position{m.cursor.row, m.line().WordLeft(m.cursor.offset)}
}

func (m *Model) wordRight() position {
	if m.cursor.offset >= len(m.line().Text()) {
		return m.next()
	}
	return position{m.cursor.row, m.line().WordRight(m.cursor.offset)}
}

func (m *Model) moved(stroke string) (position, bool) {
	switch stroke {
	case "left":
		return m.before(), true
	case "right":
		return m.next(), true
	case "home", "ctrl+a":
		return position{m.cursor.row, 0}, true
	case "end":
		return position{m.cursor.row, len(m.line().Text())}, true
	case "ctrl+left", "alt+left", "alt+b":
		return m.wordLeft(), true
	case "ctrl+right", "alt+right", "alt+f":
		return m.wordRight(), true
	case "ctrl+home":
		return position{}, true
	case "ctrl+end":
		last := len(m.buffer.lines) - 1
		return position{last, len(m.buffer.lines[last].Text())}, true
	}
	return position{}, false
}

func (m *Model) vertical(stroke string) (handled, known bool) {
	rows := 0
	switch stroke {
	case "up":
		rows = -1
	case "down":
		rows = 1
	case "pgup":
		rows = -max(m.page-1, 1)
	case "pgdown":
		rows = max(m.page-1, 1)
	default:
		return false, false
	}
	row := min(max(m.cursor.row+rows, 0), len(m.buffer.lines)-1)
	if row == m.cursor.row {
		return false, true
	}
	if m.goal < 0 {
		m.goal = m.line().Column(m.cursor.offset)
	}
	m.typing = false
	m.cursor = position{row, m.buffer.lines[row].At(m.goal)}
	return true, true
}

// insert returns how many characters found no room.
func (m *Model) insert(text string, typed bool) int {
	cut := 0
	if room := MaxBytes - m.buffer.bytes; len(text) > room {
		whole := []rune(text)
		keep := 0
		for n := 0; keep < len(whole); keep++ {
			if n += len(string(whole[keep])); n > room {
				break
			}
		}
		cut = len(whole) - keep
		text = string(whole[:keep])
	}
	if text != "" {
		m.change(m.cursor, m.cursor, text, typed)
	}
	return cut
}

func (m *Model) remove(from, to position) {
	if from != to {
		m.change(from, to, "", false)
	}
}

func (m *Model) change(from, to position, text string, typed bool) {
	e := edit{from: from, removed: m.buffer.between(from, to), inserted: text, before: m.cursor}
	end := m.buffer.replace(from, to, text)
	m.cursor = position{end.row, m.buffer.lines[end.row].RoundUp(end.offset)}
	e.after = m.cursor
	m.redo = nil
	if n := len(m.undo); typed && m.typing && n > 0 && behind(m.undo[n-1].from, m.undo[n-1].inserted) == from {
		m.undo[n-1].inserted += text
		m.undo[n-1].after = e.after
		return
	}
	m.typing = typed
	m.undo = append(m.undo, e)
	size := 0
	for i := len(m.undo) - 1; i >= 0; i-- {
		size += len(m.undo[i].removed) + len(m.undo[i].inserted)
		if size > undoBytes || len(m.undo)-i > undoDepth {
			m.undo = append([]edit(nil), m.undo[i+1:]...)
			return
		}
	}
}

func (m *Model) undoLast() {
	m.typing = false
	n := len(m.undo)
	if n == 0 {
		return
	}
	e := m.undo[n-1]
	m.undo, m.redo = m.undo[:n-1], append(m.redo, e)
	m.buffer.replace(e.from, behind(e.from, e.inserted), e.removed)
	m.cursor = e.before
}

func (m *Model) redoLast() {
	m.typing = false
	n := len(m.redo)
	if n == 0 {
		return
	}
	e := m.redo[n-1]
	m.redo, m.undo = m.redo[:n-1], append(m.undo, e)
	m.buffer.replace(e.from, behind(e.from, e.removed), e.inserted)
	m.cursor = e.after
}

// View draws height lines of exactly width cells, and tells the cursor's cell and line in them. An unfocused editor
// shows the start of its text.
func (m *Model) View(width, height int, focused bool, s Styles) (rows []string, x, y int) {
	if width <= 0 || height <= 0 {
		return nil, 0, 0
	}
	m.page = height
	gutter := 0
	if m.Numbers && width >= 20 {
		gutter = len(strconv.Itoa(len(m.buffer.lines))) + 1
	}
	body := width - gutter
	top, left := 0, 0
	if focused {
		m.follow(body, height)
		top, left = m.top, m.left
	}
	empty := len(m.buffer.lines) == 1 && m.buffer.lines[0].Text() == ""
	for r := top; r < top+height; r++ {
		var b strings.Builder
		switch {
		case empty && r == 0:
			b.WriteString(number(gutter, 1, s))
			textline.Write(&b, textline.New(m.Placeholder).Window(0, body), s.Placeholder, s.Placeholder)
		case r < len(m.buffer.lines):
			b.WriteString(number(gutter, r+1, s))
			m.draw(&b, m.buffer.lines[r], left, body, s)
		default:
			b.WriteString(strings.Repeat(" ", width))
		}
		rows = append(rows, b.String())
	}
	if !focused {
		return rows, 0, 0
	}
	return rows, gutter + m.line().Column(m.cursor.offset) - m.left, m.cursor.row - m.top
}

func (m *Model) draw(b *strings.Builder, l textline.Line, left, width int, s Styles) {
	from, cells := left, width
	if left > 0 && width > 2 && l.Width() > 0 {
		b.WriteString(s.Placeholder.Render("‹"))
		from, cells = left+1, width-1
	}
	more := width > 2 && l.Width() > left+width
	if more {
		cells--
	}
	textline.Write(b, l.Window(from, cells), s.Text, s.Odd)
	if more {
		b.WriteString(s.Placeholder.Render("›"))
	}
}

// follow scrolls so that the cursor is in view, off the marks at both edges.
func (m *Model) follow(width, height int) {
	m.top = min(m.top, max(len(m.buffer.lines)-height, 0))
	m.top = min(max(m.top, m.cursor.row-height+1), m.cursor.row)
	column := m.line().Column(m.cursor.offset)
	mark := 0
	if width > 4 {
		mark = 1
	}
	switch {
	case column < width-mark:
		m.left = 0
	case column-mark < m.left, column+mark >= m.left+width:
		m.left = max(column-width/2, 0)
	}
}

func number(gutter, n int, s Styles) string {
	if gutter == 0 {
		return ""
	}
	text := strconv.Itoa(n)
	return s.Number.Render(strings.Repeat(" ", gutter-1-len(text)) + text + " ")
}
