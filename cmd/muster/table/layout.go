package table

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// Column says what a column does when the lines do not fit the width.
type Column struct {
	Drop int // columns go in the order of this number, the greatest first; 0 = the column stays
	Flow Flow
}

// Flow says what a cell does that is wider than its column may be.
type Flow int

const (
	// Whole cells are never cut: names are copied from a table.
	Whole Flow = iota
	// Cut cells end with an ellipsis.
	Cut
	// Wrap cells go on in the lines below, under their column.
	Wrap
)

// The widths, in cells, below which columns are dropped rather than text squeezed: what is cut is lost, what is wrapped
// is not.
const (
	minCut  = 24
	minWrap = 10
)

// least is how narrow a column may be at least.
func (c *Columns) least(i int) int {
	switch c.column(i).Flow {
	case Cut:
		return min(c.widths[i], minCut)
	case Wrap:
		return min(c.widths[i], minWrap)
	}
	return c.widths[i]
}

// Fit makes the columns of one table for lines of at most width cells; 0 = no limit. What can neither be dropped nor
// flow makes lines longer than that.
func (c *Columns) Fit(width int, columns []Column) *Columns {
	c.width, c.columns = width, columns
	return c
}

// Dropped are the numbers of the columns that were left out for want of width.
func (c *Columns) Dropped() []int {
	var out []int
	for i, dropped := range c.dropped {
		if dropped {
			out = append(out, i)
		}
	}
	return out
}

func (c *Columns) column(i int) Column {
	if i < len(c.columns) {
		return c.columns[i]
	}
	return Column{}
}

// layout decides which columns are shown and how wide each is. A column that was dropped stays so: the rows above it
// do not have it either.
func (c *Columns) layout() (shown []int, widths []int) {
	widths = slices.Clone(c.widths)
	for len(c.dropped) < len(widths) {
		c.dropped = append(c.dropped, false)
	}
	for i := range widths {
		if !c.dropped[i] {
			shown = append(shown, i)
		}
	}
	if c.width <= 0 || c.style == Tabs {
		return shown, widths
	}
	for c.leastOf(shown) > c.width {
		drop := -1
		for k, i := range shown {
			if c.column(i).Drop > 0 && (drop < 0 || c.column(i).Drop > c.column(shown[drop]).Drop) {
				drop = k
			}
		}
		if drop < 0 {
			break
		}
		c.dropped[shown[drop]] = true
		shown = slices.Delete(shown, drop, drop+1)
	}
	c.share(shown, widths)
	return shown, widths
}

// leastOf is the width that columns need at least.
func (c *Columns) leastOf(shown []int) int {
	total := gap * (len(shown) - 1)
	for _, i := range shown {
		total += c.least(i)
	}
	return total
}

// share gives the columns that flow what the others leave, the narrow ones first what they need.
func (c *Columns) share(shown []int, widths []int) {
	left := c.width - gap*(len(shown)-1)
	var flowing []int
	for _, i := range shown {
		if c.column(i).Flow == Whole {
			left -= widths[i]
		} else {
			flowing = append(flowing, i)
		}
	}
	slices.SortStableFunc(flowing, func(a, b int) int { return c.widths[a] - c.widths[b] })
	for k, i := range flowing {
		rest := 0 // what the wider ones need at least
		for _, wider := range flowing[k+1:] {
			rest += c.least(wider)
		}
		widths[i] = min(widths[i], max(min(left/(len(flowing)-k), left-rest), c.least(i)))
		left -= widths[i]
	}
}

// flow makes the lines of one cell.
func flow(cell string, how Flow, width int) []string {
	if displaywidth.String(cell) <= width {
		return []string{cell}
	}
	switch how {
	case Cut:
		return []string{ansi.Truncate(cell, width, "…")}
	case Wrap:
		lines := strings.Split(ansi.Wrap(cell, width, ""), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		return lines
	}
	return []string{cell}
}

// Fits tells whether rows fit a width, in cells, with every column whole; 0 = no limit.
func Fits(width int, rows ...[]string) bool {
	c := New(Spaces)
	for _, row := range rows {
		c.measure(row)
	}
	total := gap * (len(c.widths) - 1)
	for _, w := range c.widths {
		total += w
	}
	return width <= 0 || total <= width
}
