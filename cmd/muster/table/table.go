// Package table writes rows of short texts in columns that line up in terminal cells, CJK text included.
package table

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"muster.dev/muster/ui/safetext"
)

// Style says what stands between the columns.
type Style int

const (
	// Spaces pads with spaces, two between columns: for people on a terminal.
	Spaces Style = iota
	// Tabs puts exactly one tab between columns and pads nothing, so that the n-th field is the n-th for cut and awk
	// alike, and no value has spaces behind it: for pipes. For the eye, `column -t -s $'\t'` lines it up.
	Tabs
)

const gap = 2 // spaces between columns

// Columns formats rows: the widths of earlier rows are kept, so that a later part of the same table
// (rows of a watch) lines up with them as far as it fits.
type Columns struct {
	style   Style
	width   int // of the terminal in cells; 0 = no limit
	columns []Column
	widths  []int // of the widest cell so far
	dropped []bool
}

// New makes the columns of one table.
func New(style Style) *Columns { return &Columns{style: style} }

// Write writes the rows. A cell that is empty becomes "-", so that every row has the same number of fields; what
// must not reach a terminal is taken out, and a line break inside a cell, which would make a row that is none, becomes
// a space. The last cell of a row is not padded.
func (c *Columns) Write(w io.Writer, rows [][]string) error {
	clean := make([][]string, len(rows))
	for i, row := range rows {
		clean[i] = c.measure(row)
	}
	shown, widths := c.layout()
	var b strings.Builder
	for _, row := range clean {
		c.row(&b, row, shown, widths)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// measure cleans a row and widens the columns to it.
func (c *Columns) measure(row []string) []string {
	clean := make([]string, len(row))
	for k, cell := range row {
		clean[k] = oneLine(cell)
		if k == len(c.widths) {
			c.widths = append(c.widths, 0)
		}
		c.widths[k] = max(c.widths[k], displaywidth.String(clean[k]))
	}
	return clean
}

// row writes one row, which takes several lines when a cell of it flows.
func (c *Columns) row(b *strings.Builder, row []string, shown, widths []int) {
	if c.style == Tabs {
		b.WriteString(strings.Join(row, "\t"))
		b.WriteByte('\n')
		return
	}
	var cells [][]string
	height := 1
	for _, i := range shown {
		if i >= len(row) {
			break
		}
		lines := flow(row[i], c.column(i).Flow, widths[i])
		cells = append(cells, lines)
		height = max(height, len(lines))
	}
	for n := range height {
		blank := 0 // what is to be written before the next text
		for k, lines := range cells {
			text := ""
			if n < len(lines) {
				text = lines[n]
			}
			if text != "" {
				b.WriteString(strings.Repeat(" ", blank))
				b.WriteString(text)
				blank = 0
			}
			blank += max(widths[shown[k]]-displaywidth.String(text), 0) + gap
		}
		b.WriteByte('\n')
	}
}

func oneLine(s string) string {
	if s = strings.TrimSpace(safetext.Clean(s)); s == "" {
		return "-"
	}
	return s
}
