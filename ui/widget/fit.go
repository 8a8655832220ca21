package widget

import "slices"

// Fit shares width cells among columns that would like to have wanted cells each, with a gap between two. Columns
// are left out (0) by their priority until the rest have at least their Min, and those of them that fit nevertheless are
// taken back; what is missing then is taken from the widest of those that have more. When even the columns that always
// stay do not fit, they share what there is.
func Fit(columns []Column, wanted []int, width int) []int {
	widths, least := make([]int, len(columns)), make([]int, len(columns))
	for i, c := range columns {
		widths[i] = wanted[i]
		if c.Max > 0 {
			widths[i] = min(widths[i], c.Max)
		}
		least[i] = widths[i]
		if c.Min > 0 {
			least[i] = min(c.Min, widths[i])
		}
	}
	full, lowest := slices.Clone(widths), slices.Clone(least)
	var left []int // in the order in which they were left out
	for total(least) > width {
		last := -1
		for i, c := range columns {
			if widths[i] > 0 && c.Priority > 0 && (last < 0 || c.Priority >= columns[last].Priority) {
				last = i
			}
		}
		if last < 0 {
			break
		}
		widths[last], least[last] = 0, 0
		left = append(left, last)
	}
	for _, i := range slices.Backward(left) {
		if least[i] = lowest[i]; total(least) > width {
			least[i] = 0
			continue
		}
		widths[i] = full[i]
	}
	shrink(widths, least, width)
	if total(widths) > width {
		ones := make([]int, len(widths))
		for i, w := range widths {
			ones[i] = min(w, 1)
		}
		shrink(widths, ones, width)
	}
	return widths
}

// shrink takes cells from the widest columns that have more than their least.
func shrink(widths, least []int, width int) {
	for over := total(widths) - width; over > 0; over-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
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
