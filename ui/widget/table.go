// Package widget holds the pieces that screens are built of. None of them knows the cluster or asks for anything:
// they are given values and draw lines of exactly the width they are told.
package widget

import (
	"slices"
	"strings"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui/cell"
)

// gap is the number of cells between two columns.
const gap = 2

// measured is how many rows decide the widths of the columns besides those on the screen.
const measured = 300

// Column is one column of a table. Widths are in cells.
type Column struct {
	Title    string
	Min      int  // it never has less when its text needs more, and is left out instead; 0 = never less than its text needs
	Max      int  // it never takes more; 0 = no limit
	Room     int  // it takes so much also when its texts are shorter: for those that grow while one looks
	Priority int  // 0 stays always; of the others the greatest number is left out first
	Right    bool // aligned to the right
	Middle   bool // a text that is too long loses its middle, not its end
	Sorted   int  // 1 ascending, -1 descending: marked in the head
}

// Cell is one cell; its texts are clean. When it is too long, Text is cut and Tail stays.
type Cell struct {
	Text  string
	Tail  string
	Style themes.Style
}

// Table shows rows under a head. Rows are asked for only when they are on the screen, and the selection stays with
// its row, not with its place, when rows change. Its zero value is an empty table.
type Table struct {
	styles  *themes.Styles
	columns []Column
	ids     []string
	cells   func(i int) []Cell

	selected   int
	selectedID string
	offset     int
	headless   bool

	widths                  []int // of the texts as measured, before fitting; nil: to be measured
	version                 int
	cacheWidth, cacheHeight int
	cacheVersion, pageSize  int
	cache                   string
}

// SetStyles changes the colours.
func (t *Table) SetStyles(s *themes.Styles) { t.styles = s; t.changed() }

// SetColumns changes what is shown of each row.
func (t *Table) SetColumns(columns []Column) { t.columns = columns; t.widths = nil; t.changed() }

// SetHeadless leaves the head out.
func (t *Table) SetHeadless(on bool) { t.headless = on; t.changed() }

// SetRows changes the rows. ids names them; cells makes the cells of row i, one for each column. The selection goes
// with its id; when that is gone, the row at its place is selected.
func (t *Table) SetRows(ids []string, cells func(i int) []Cell) {
	t.ids, t.cells, t.widths = ids, cells, nil
	if t.selected >= len(ids) || t.selected < 0 || ids[t.selected] != t.selectedID {
		for i, id := range ids {
			if id == t.selectedID {
				t.offset += i - t.selected // the row stays where the eye is
				t.selected = i
				break
			}
		}
	}
	t.clamp()
	t.changed()
}

// Refresh draws again with the same rows, as when time went on.
func (t *Table) Refresh() { t.changed() }

// Len is the number of rows.
func (t *Table) Len() int { return len(t.ids) }

// Selected is the id of the selected row, "" when there is none.
func (t *Table) Selected() string { return t.selectedID }

// Index is the place of the selected row, -1 when there is none.
func (t *Table) Index() int {
	if len(t.ids) == 0 {
		return -1
	}
	return t.selected
}

// Select selects the row with that id, if there is one.
func (t *Table) Select(id string) bool {
	for i, other := range t.ids {
		if other == id {
			t.MoveTo(i)
			return true
		}
	}
	return false
}

// Move selects the row that is n further down (up when negative), at most the last or first.
func (t *Table) Move(n int) { t.MoveTo(t.selected + n) }

// MoveTo selects row i, at most the last or first.
func (t *Table) MoveTo(i int) {
	t.selected = i
	t.clamp()
	t.changed()
}

// Top selects the first row.
func (t *Table) Top() { t.MoveTo(0) }

// Bottom selects the last row.
func (t *Table) Bottom() { t.MoveTo(len(t.ids) - 1) }

// Page is how many rows were visible in the last View, at least 1.
func (t *Table) Page() int { return max(t.pageSize, 1) }

// RowAt is the row drawn in line y of the last View, -1 for none.
func (t *Table) RowAt(y int) int {
	if !t.headless {
		y--
	}
	if i := t.offset + y; y >= 0 && y < t.pageSize && i < len(t.ids) {
		return i
	}
	return -1
}

func (t *Table) clamp() {
	t.selected = max(min(t.selected, len(t.ids)-1), 0)
	t.selectedID = ""
	if len(t.ids) > 0 {
		t.selectedID = t.ids[t.selected]
	}
}

func (t *Table) changed() { t.version++ }

// View draws head and rows in exactly height lines of width cells.
func (t *Table) View(width, height int) string {
	if t.cacheVersion == t.version && t.cacheWidth == width && t.cacheHeight == height && t.version > 0 {
		return t.cache
	}
	t.cache = t.draw(width, height)
	t.cacheVersion, t.cacheWidth, t.cacheHeight = t.version, width, height
	return t.cache
}

func (t *Table) draw(width, height int) string {
	if width <= 0 || height <= 0 || t.styles == nil {
		return ""
	}
	rows := height
	if !t.headless {
		rows--
	}
	t.pageSize = rows
	t.scroll(rows)
	visible := make([][]Cell, 0, max(rows, 0))
	for i := t.offset; i < len(t.ids) && i < t.offset+rows; i++ {
		visible = append(visible, t.cells(i))
	}
	widths := t.fit(width, visible)
	lines := make([]string, 0, height)
	if !t.headless {
		lines = append(lines, t.head(widths, width))
	}
	for i, cells := range visible {
		lines = append(lines, t.row(cells, widths, width, t.offset+i == t.selected))
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return strings.Join(lines[:height], "\n")
}

func (t *Table) scroll(rows int) {
	if rows <= 0 {
		t.offset = t.selected
		return
	}
	t.offset = min(t.offset, t.selected)
	t.offset = max(t.offset, t.selected-rows+1)
	t.offset = max(min(t.offset, len(t.ids)-rows), 0)
}

func (t *Table) head(widths []int, width int) string {
	cells := make([]Cell, len(t.columns))
	for i, c := range t.columns {
		title := c.Title
		switch {
		case c.Sorted > 0:
			title += "↑"
		case c.Sorted < 0:
			title += "↓"
		}
		cells[i] = Cell{Text: title, Style: t.styles.Heading}
	}
	return t.line(cells, widths, width, themes.Style{})
}

func (t *Table) row(cells []Cell, widths []int, width int, selected bool) string {
	var under themes.Style
	if selected {
		under = t.styles.Selected
	}
	return t.line(cells, widths, width, under)
}

func (t *Table) line(cells []Cell, widths []int, width int, under themes.Style) string {
	var b strings.Builder
	left := width
	put := func(s string, style themes.Style) {
		w := cell.Width(s)
		if w > left {
			s = cell.Pad(s, left)
			w = left
		}
		left -= w
		b.WriteString(style.Over(under).Render(s))
	}
	put(" ", themes.Style{})
	first := true
	for i, w := range widths {
		if w == 0 || i >= len(cells) {
			continue
		}
		if !first {
			put(cell.Spaces(gap), themes.Style{})
		}
		first = false
		text, cut := cells[i].Text, cell.Truncate
		if t.columns[i].Middle {
			cut = cell.Middle
		}
		text = cut(text, max(w-cell.Width(cells[i].Tail), 0)) + cells[i].Tail
		if t.columns[i].Right {
			put(cell.PadLeft(text, w), cells[i].Style)
		} else {
			put(cell.Pad(text, w), cells[i].Style)
		}
	}
	if left > 0 && under.Open() != "" {
		put(cell.Spaces(left), themes.Style{})
	}
	return b.String()
}

// fit gives every column its width; 0 leaves it out.
func (t *Table) fit(width int, visible [][]Cell) []int {
	if t.widths == nil {
		t.widths = make([]int, len(t.columns))
		for i := 0; i < len(t.ids) && i < measured; i++ {
			t.measure(t.cells(i))
		}
	}
	for _, cells := range visible {
		t.measure(cells)
	}
	columns, wanted := slices.Clone(t.columns), slices.Clone(t.widths)
	for i, c := range columns {
		title := cell.Width(c.Title)
		if c.Sorted != 0 {
			title++
		}
		wanted[i] = max(wanted[i], title, c.Room)
		if c.Min > 0 {
			columns[i].Min = max(c.Min, title) // a head is not cut
		}
	}
	if total(wanted) > width-1 { // a column without a text is no use to anybody
		for i, c := range columns {
			if c.Priority > 0 && t.widths[i] == 0 && len(t.ids) > 0 {
				wanted[i] = 0
			}
		}
	}
	return Fit(columns, wanted, width-1)
}

func (t *Table) measure(cells []Cell) {
	for i := range min(len(cells), len(t.columns)) {
		w := cell.Width(cells[i].Text) + cell.Width(cells[i].Tail)
		if limit := t.columns[i].Max; limit > 0 {
			w = min(w, limit)
		}
		t.widths[i] = max(t.widths[i], w)
	}
}
