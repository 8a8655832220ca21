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

// minFlow is the width, in cells, below which columns are dropped rather than text squeezed.
const minFlow = 20

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
	for c.least(shown) > c.width {
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

// least is the width that the columns need at least.
func (c *Columns) least(shown []int) int {
	total := gap * (len(shown) - 1)
	for _, i := range shown {
		if c.column(i).Flow == Whole {
			total += c.widths[i]
		} else {
			total += min(c.widths[i], minFlow)
		}
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
		widths[i] = min(widths[i], max(left/(len(flowing)-k), 1))
		if c.widths[i] > widths[i] {
			widths[i] = max(widths[i], min(minFlow, c.widths[i]))
		}
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
