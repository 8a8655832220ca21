package widget

import (
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

	version                 int
	cacheVersion            int
	cacheWidth, cacheHeight int
	cache                   string
}

// SetLines changes the text; the place in it stays.
func (p *Pane) SetLines(lines []string) {
	p.lines, p.wrapped = lines, nil
	p.version++
}

// SetWrap breaks lines that are too long instead of cutting them, with the rest of a line indented.
func (p *Pane) SetWrap(on bool, indent int) {
	p.wrap, p.indent, p.wrapped = on, indent, nil
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

// View draws exactly height lines of at most width cells.
func (p *Pane) View(width, height int) string {
	if p.version > 0 && p.cacheVersion == p.version && p.cacheWidth == width && p.cacheHeight == height {
		return p.cache
	}
	p.page = height
	lines := p.lines
	if p.wrap {
		if p.wrapped == nil || p.wrappedWidth != width {
			p.wrapped, p.wrappedWidth = nil, width
			for _, line := range p.lines {
				if cell.Width(line) <= width {
					p.wrapped = append(p.wrapped, line)
					continue
				}
				for i, row := range cell.Wrap(line, max(width-p.indent, 1)) {
					if i > 0 {
						row = cell.Spaces(p.indent) + row
					}
					p.wrapped = append(p.wrapped, row)
				}
			}
		}
		lines = p.wrapped
	}
	p.offset = max(min(p.offset, len(lines)-height), 0)
	end := min(p.offset+max(height, 0), len(lines))
	p.cache = Lines(strings.Join(lines[p.offset:end], "\n"), width, height)
	p.cacheVersion, p.cacheWidth, p.cacheHeight = p.version, width, height
	return p.cache
}
