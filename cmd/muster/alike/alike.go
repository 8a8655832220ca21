// Package alike finds the names that someone may have meant.
package alike

import (
	"cmp"
	"slices"
	"strings"
)

// shortest is the least length of a candidate that counts as alike only because it is a part of the name.
const shortest = 3

// Names returns at most limit of the candidates that look like name, the most alike first: those it is a part of or
// that are a part of it, and those that few typing errors lead to.
func Names(name string, candidates []string, limit int) []string {
	type scored struct {
		name  string
		score int
	}
	var near []scored
	for _, c := range candidates {
		d := distance(name, c)
		switch {
		case strings.Contains(c, name) || len(c) >= shortest && strings.Contains(name, c):
			near = append(near, scored{c, 0})
		case d <= max(2, len([]rune(name))/3):
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, n := range near {
		names = append(names, n.name)
	}
	names = slices.Compact(names)
	return names[:min(limit, len(names))]
}

// distance is the number of characters to insert, delete, replace or swap with a neighbour.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			change := last[j]
			if x[i] != y[j] {
				change++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
