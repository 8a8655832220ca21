package widget

import (
	"slices"
	"strings"

	"muster.dev/muster/ui/cell"
)

// Pane scrolls through lines of text. Lines may be styled; they are clean.
type Pane struct {
	lines  []string
	offset int
	page   int
	wrap   bool
	indent int // of the rows after the first one of a wrapped line

	wrapped      []string
	wrappedWidth int
	broken       map[string][]string // lines that are longer than wrappedWidth, in rows

	version                 int
	cacheVersion            int
	cacheWidth, cacheHeight int
	cache                   string
}

// SetLines changes the text; the place in it stays. The same text again changes nothing.
func (p *Pane) SetLines(lines []string) {
	if p.version > 0 && slices.Equal(p.lines, lines) {
		return
	}
	p.lines, p.wrapped = lines, nil
	p.version++
}

// SetWrap breaks lines that are too long instead of cutting them, with the rest of a line indented.
func (p *Pane) SetWrap(on bool, indent int) {
	p.wrap, p.indent, p.wrapped, p.broken = on, indent, nil, nil
	p.version++
}

// Move scrolls n lines down (up when negative).
func (p *Pane) Move(n int) { p.offset += n; p.version++ }

// Top goes to the first line, Bottom to the last.
func (p *Pane) Top() { p.offset = 0; p.version++ }

// Bottom goes to the last line.
func (p *Pane) Bottom() { p.offset = len(p.lines) * 1000; p.version++ }

// Page is how many lines were visible in the last View, at least 1.
func (p *Pane) Page() int { return max(p.page, 1) }

// Position is which rows were on the screen in the last View, from 1, and how many there are.
func (p *Pane) Position() (from, to, total int) {
	total = len(p.lines)
	if p.wrap {
		total = len(p.wrapped)
	}
	if total == 0 {
		return 0, 0, 0
	}
	return min(p.offset+1, total), min(p.offset+p.page, total), total
}

// View draws exactly height lines of at most width cells.
func (p *Pane) View(width, height int) string {
	if p.version > 0 && p.cacheVersion == p.version && p.cacheWidth == width && p.cacheHeight == height {
		return p.cache
	}
	p.page = height
	lines := p.lines
	if p.wrap {
		if p.wrapped == nil || p.wrappedWidth != width {
			p.rewrap(width)
		}
		lines = p.wrapped
	}
	p.offset = max(min(p.offset, len(lines)-height), 0)
	end := min(p.offset+max(height, 0), len(lines))
	p.cache = Lines(strings.Join(lines[p.offset:end], "\n"), width, height)
	p.cacheVersion, p.cacheWidth, p.cacheHeight = p.version, width, height
	return p.cache
}

// rewrap breaks the lines. Those that were there before are not broken again: of a text that is fetched every few
// seconds most stays as it is.
func (p *Pane) rewrap(width int) {
	before := p.broken
	if p.wrappedWidth != width {
		before = nil
	}
	p.wrapped, p.wrappedWidth, p.broken = make([]string, 0, len(p.lines)), width, map[string][]string{}
	for _, line := range p.lines {
		if len(line) <= width || cell.Width(line) <= width {
			p.wrapped = append(p.wrapped, line)
			continue
		}
		rows, ok := before[line]
		if !ok {
			rows = cell.Wrap(line, max(width-p.indent, 1))
			for i := 1; i < len(rows); i++ {
				rows[i] = cell.Spaces(p.indent) + rows[i]
			}
		}
		p.broken[line] = rows
		p.wrapped = append(p.wrapped, rows...)
	}
}
