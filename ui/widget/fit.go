package widget

// Fit shares width cells among columns that would like to have wanted cells each, with a gap between two. Columns
// are left out (0) by their priority until the rest have at least their Min; what is missing then is taken from the
// widest ones.
func Fit(columns []Column, wanted []int, width int) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = max(wanted[i], c.Min)
		if c.Max > 0 {
			widths[i] = min(widths[i], max(c.Max, c.Min))
		}
	}
	for least(columns, widths) > width {
		last := -1
		for i, c := range columns {
			if widths[i] > 0 && c.Priority > 0 && (last < 0 || c.Priority >= columns[last].Priority) {
				last = i
			}
		}
		if last < 0 {
			break
		}
		widths[last] = 0
	}
	for over := total(widths) - width; over > 0; over-- {
		widest := -1
		for i, c := range columns {
			if widths[i] > max(min(c.Min, widths[i]), 1) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// least is what the columns that are still there need.
func least(columns []Column, widths []int) int {
	n := -gap
	for i, w := range widths {
		if w > 0 {
			n += min(max(columns[i].Min, 1), w) + gap
		}
	}
	return n
}

func total(widths []int) int {
	n := -gap
	for _, w := range widths {
		if w > 0 {
			n += w + gap
		}
	}
	return n
}
