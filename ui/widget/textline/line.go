// Package textline is one line of text as an editor needs it: cut into grapheme clusters, with the cell that each
// of them stands in, and a way to draw any part of it that no text can break. Positions are byte offsets of
// cluster boundaries.
package textline

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// TabWidth is the distance of tab stops in cells.
const TabWidth = 4

// Line is one line of text; it does not change. The zero value is the empty line.
type Line struct {
	text  string
	ends  []int32 // byte offset behind each cluster; nil when the text is printable ASCII
	cells []int32 // column behind each cluster
}

// New cuts a text into clusters. It takes any bytes: those that are no UTF-8 are clusters of their own, shown by a
// placeholder. A line break has no meaning here and is shown by its picture.
func New(text string) Line {
	l := Line{text: text}
	if plain(text) {
		return l
	}
	l.ends = make([]int32, 0, len(text)/2)
	l.cells = make([]int32, 0, len(text)/2)
	column, offset := 0, 0
	for rest := text; rest != ""; {
		c := first(rest)
		rest = rest[len(c):]
		offset += len(c)
		column += width(c, column)
		l.ends = append(l.ends, int32(offset))
		l.cells = append(l.cells, int32(column))
	}
	return l
}

// first is the leading cluster of a text that is not empty. Control characters are always alone, and so is a byte
// that is no UTF-8.
func first(s string) string {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1] // no mark of ASCII joins its neighbour, except CR LF, which is two characters here
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 || Hostile(r) {
		return s[:size]
	}
	if ideograph(r) {
		if next, _ := utf8.DecodeRuneInString(s[size:]); size == len(s) || next < utf8.RuneSelf || ideograph(next) {
			return s[:size]
		}
	}
	c := displaywidth.StringGraphemes(s)
	if !c.Next() {
		return s[:size]
	}
	v := c.Value()
	for i, r := range v { // a cluster never reaches over bytes that are no UTF-8
		if i > 0 && r == utf8.RuneError && v[i] != 0xef {
			return v[:i]
		}
	}
	return v
}

// ideograph is true for the common Chinese characters: two cells each, and none joins another. It only saves time.
func ideograph(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

func width(cluster string, column int) int {
	if cluster == "\t" {
		return TabWidth - column%TabWidth
	}
	return Draw(cluster).Width
}

// Text is the line's text, byte for byte.
func (l Line) Text() string { return l.text }

// Len counts the clusters.
func (l Line) Len() int {
	if l.ends == nil {
		return len(l.text)
	}
	return len(l.ends)
}

// Width is the line's width in cells.
func (l Line) Width() int { return l.Column(len(l.text)) }

// index is the number of clusters that end at or before offset.
func (l Line) index(offset int) int {
	if l.ends == nil {
		return min(max(offset, 0), len(l.text))
	}
	return sort.Search(len(l.ends), func(i int) bool { return int(l.ends[i]) > offset })
}

func (l Line) offset(index int) int {
	switch {
	case index <= 0:
		return 0
	case l.ends == nil:
		return min(index, len(l.text))
	case index >= len(l.ends):
		return len(l.text)
	}
	return int(l.ends[index-1])
}

// Round gives the cluster boundary at or before offset.
func (l Line) Round(offset int) int { return l.offset(l.index(offset)) }

// RoundUp gives the cluster boundary at or behind offset.
func (l Line) RoundUp(offset int) int {
	r := l.Round(offset)
	if r < offset {
		return l.Next(r)
	}
	return r
}

// Next and Prev are the boundaries beside offset.
func (l Line) Next(offset int) int { return l.offset(l.index(offset) + 1) }

// Prev is the boundary before offset.
func (l Line) Prev(offset int) int {
	i := l.index(offset)
	if l.offset(i) < offset {
		return l.offset(i)
	}
	return l.offset(i - 1)
}

// Column is the cell in which the cluster at offset begins.
func (l Line) Column(offset int) int {
	i := l.index(offset)
	switch {
	case l.ends == nil:
		return i
	case i == 0:
		return 0
	}
	return int(l.cells[i-1])
}

// At is the boundary of the cluster that covers a cell; behind the end, the end.
func (l Line) At(column int) int {
	if column <= 0 {
		return 0
	}
	if l.ends == nil {
		return min(column, len(l.text))
	}
	return l.offset(sort.Search(len(l.cells), func(i int) bool { return int(l.cells[i]) > column }))
}

// WordLeft is the start of the word at or before offset: spaces first, then letters and digits, else signs.
func (l Line) WordLeft(offset int) int {
	at := l.Round(offset)
	class := -1
	for at > 0 {
		p := l.Prev(at)
		c := classOf(l.text[p:at])
		switch {
		case class < 0 && c == 0:
		case class < 0:
			class = c
		case c != class:
			return at
		}
		at = p
	}
	return at
}

// WordRight is the end of the word at or behind offset.
func (l Line) WordRight(offset int) int {
	at := l.Round(offset)
	class := -1
	for at < len(l.text) {
		n := l.Next(at)
		c := classOf(l.text[at:n])
		switch {
		case class < 0 && c == 0:
		case class < 0:
			class = c
		case c != class:
			return at
		}
		at = n
	}
	return at
}

func classOf(cluster string) int {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', unicode.Is(unicode.M, r):
		return 1
	}
	return 2
}

// Span is a run of cells of one kind.
type Span struct {
	Text  string
	Plain bool // false: Text stands for characters that are not shown as they are
}

// Window draws the cells from column left on, exactly width of them, cut at cluster boundaries: half of a wide
// character at either edge is a space.
func (l Line) Window(left, width int) []Span {
	if width <= 0 {
		return nil
	}
	if l.ends == nil {
		text := ""
		if left < len(l.text) {
			text = l.text[left:min(left+width, len(l.text))]
		}
		return []Span{{Text: text + strings.Repeat(" ", width-len(text)), Plain: true}}
	}
	w := window{}
	column := left
	if i := l.index(l.At(left)); i < len(l.ends) {
		for ; i < len(l.ends) && column < left+width; i++ {
			from, start := l.offset(i), 0
			if i > 0 {
				start = int(l.cells[i-1])
			}
			end := int(l.cells[i])
			cluster := l.text[from:int(l.ends[i])]
			if start < left || end > left+width || cluster == "\t" {
				n := min(end, left+width) - column
				w.add(strings.Repeat(" ", n), cluster != "\t")
				column += n
				continue
			}
			c := Draw(cluster)
			w.add(c.Text, c.Plain)
			column = end
		}
	}
	if column < left+width {
		w.add(strings.Repeat(" ", left+width-column), true)
	}
	return w.done()
}

// window joins runs of one kind.
type window struct {
	spans []Span
	run   strings.Builder
	plain bool
}

func (w *window) add(text string, plain bool) {
	if w.run.Len() > 0 && plain != w.plain {
		w.spans = append(w.spans, Span{Text: w.run.String(), Plain: w.plain})
		w.run.Reset()
	}
	w.plain = plain
	w.run.WriteString(text)
}

func (w *window) done() []Span {
	if w.run.Len() > 0 {
		w.spans = append(w.spans, Span{Text: w.run.String(), Plain: w.plain})
	}
	return w.spans
}
