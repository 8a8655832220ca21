// Package table writes rows of short texts in columns that line up in terminal cells, CJK text included.
package table

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"
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
	style  Style
	widths []int
}

// New makes the columns of one table.
func New(style Style) *Columns { return &Columns{style: style} }

// Write writes the rows. A cell that is empty becomes "-", so that every row has the same number of fields; control
// characters become spaces, since a line break inside a cell would make a row that is none. The last cell of a row
// is not padded.
func (c *Columns) Write(w io.Writer, rows [][]string) error {
	clean := make([][]string, len(rows))
	for i, row := range rows {
		clean[i] = make([]string, len(row))
		for k, cell := range row {
			clean[i][k] = oneLine(cell)
			if k == len(c.widths) {
				c.widths = append(c.widths, 0)
			}
			c.widths[k] = max(c.widths[k], displaywidth.String(clean[i][k]))
		}
	}
	var b strings.Builder
	for _, row := range clean {
		for k, cell := range row {
			b.WriteString(cell)
			if k < len(row)-1 {
				c.pad(&b, displaywidth.String(cell), c.widths[k])
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Columns) pad(b *strings.Builder, have, width int) {
	if c.style == Tabs {
		b.WriteByte('\t')
		return
	}
	b.WriteString(strings.Repeat(" ", width-have+gap))
}

func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	if s = strings.TrimSpace(s); s == "" {
		return "-"
	}
	return s
}
