package forms

import (
	"slices"
	"strings"

	"muster.dev/muster/backend/job"
)

// Add is the column of the stop at which a row is added to a table.
const Add = "+"

// Stop is a place that can have the focus: a field, a cell of a table, or the line below a table that adds a row.
type Stop struct {
	Section int
	Cell
}

// Stops lists the places of a section in the order of tab. Line numbers the lines of the section: cells of one row
// have the same.
func (s *Schema) Stops(d *Draft, section int) (stops []Stop, lines []int) {
	if section < 0 || section >= len(s.Sections) {
		return nil, nil
	}
	line := 0
	add := func(c Cell) {
		stops = append(stops, Stop{section, c})
		lines = append(lines, line)
	}
	for i := range s.Sections[section].Fields {
		f := &s.Sections[section].Fields[i]
		switch {
		case !f.Shown(d) || f.Kind == Computed:
			continue
		case f.Kind != Table:
			add(Cell{Field: f.ID, Row: -1})
			line++
			continue
		}
		columns := f.ShownColumns(d)
		for row := range d.Tables[f.ID] {
			for _, c := range columns {
				if c.Kind != Computed && (c.Locked == nil || !c.Locked(d, row)) {
					add(Cell{f.ID, row, c.ID})
				}
			}
			line++
		}
		if f.Adds(d) {
			add(Cell{f.ID, -1, Add})
			line++
		}
	}
	return stops, lines
}

// Next is the stop after (or, with backward, before) another one, over the borders of sections; at the form's ends
// it is the same. Sections without a stop, such as a review, are stops with an empty field.
func (s *Schema) Next(d *Draft, at Stop, backward bool) Stop {
	stops, _ := s.Stops(d, at.Section)
	i := s.index(d, stops, at)
	step := 1
	if backward {
		step = -1
	}
	if i >= 0 && i+step >= 0 && i+step < len(stops) {
		return stops[i+step]
	}
	section := at.Section + step
	if section < 0 || section >= len(s.Sections) {
		return at
	}
	if backward {
		return s.Last(d, section)
	}
	return s.First(d, section)
}

// First and Last are the ends of a section.
func (s *Schema) First(d *Draft, section int) Stop {
	if stops, _ := s.Stops(d, section); len(stops) > 0 {
		return stops[0]
	}
	return Stop{section, Cell{Row: -1}}
}

// Last is the last stop of a section.
func (s *Schema) Last(d *Draft, section int) Stop {
	if stops, _ := s.Stops(d, section); len(stops) > 0 {
		return stops[len(stops)-1]
	}
	return Stop{section, Cell{Row: -1}}
}

// Vertical is the stop one line below (above with up), in the same column where there is one. At the section's ends
// it stays.
func (s *Schema) Vertical(d *Draft, at Stop, up bool) Stop {
	stops, lines := s.Stops(d, at.Section)
	i := s.index(d, stops, at)
	if i < 0 {
		return s.First(d, at.Section)
	}
	best, line := -1, -1
	for j := range stops {
		k := j
		if up {
			k = len(stops) - 1 - j
		}
		if up && lines[k] >= lines[i] || !up && lines[k] <= lines[i] || line >= 0 && lines[k] != line {
			continue
		}
		line = lines[k]
		if best < 0 || stops[k].Column == at.Column || up && stops[best].Column != at.Column {
			best = k
		}
	}
	if best < 0 {
		return at
	}
	return stops[best]
}

// Settle is the stop itself when it is there, else one near it: a draft may change under the focus.
func (s *Schema) Settle(d *Draft, at Stop) Stop {
	stops, _ := s.Stops(d, at.Section)
	if slices.Contains(stops, at) {
		return at
	}
	if i := s.index(d, stops, at); i >= 0 {
		return stops[i]
	}
	return s.First(d, at.Section)
}

// index finds a stop, or the nearest one: same row, same field, else -1.
func (s *Schema) index(d *Draft, stops []Stop, at Stop) int {
	if i := slices.Index(stops, at); i >= 0 {
		return i
	}
	near := -1
	for i, stop := range stops {
		if stop.Field != at.Field {
			continue
		}
		if stop.Row == at.Row && stop.Column != Add {
			return i
		}
		if near < 0 || stop.Row >= 0 && stop.Row < at.Row {
			near = i
		}
	}
	return near
}

// Find is the stop at which a problem with that path is shown; ok is false when there is none that is visible.
func (s *Schema) Find(d *Draft, path string) (Stop, bool) {
	c := ParsePath(path)
	for i := range s.Sections {
		for j := range s.Sections[i].Fields {
			f := &s.Sections[i].Fields[j]
			if !f.Shown(d) || !f.has(path, c) {
				continue
			}
			if f.Kind == Table {
				if c.Field != f.ID || c.Row >= len(d.Tables[f.ID]) {
					c = Cell{f.ID, -1, ""}
				}
				return Stop{i, c}, true
			}
			return Stop{i, Cell{Field: f.ID, Row: -1}}, true
		}
	}
	return Stop{}, false
}

func (f *Field) has(path string, c Cell) bool {
	if f.ID == path || f.ID == c.Field {
		return true
	}
	for _, p := range append([]string{f.ID}, f.Aliases...) {
		if rest, ok := strings.CutPrefix(path, p); ok && p != "" && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// Placed is where problems stand.
type Placed struct {
	At        map[string][]job.Problem // by the path of the stop (Cell.Path)
	Sections  []int                    // how many stand in each section
	Elsewhere []job.Problem            // those that no visible field has
}

// Place puts problems at their fields.
func (s *Schema) Place(d *Draft, problems []job.Problem) Placed {
	p := Placed{At: map[string][]job.Problem{}, Sections: make([]int, len(s.Sections))}
	for _, problem := range problems {
		stop, ok := s.Find(d, problem.Path)
		if !ok {
			p.Elsewhere = append(p.Elsewhere, problem)
			continue
		}
		path := stop.Path()
		p.At[path] = append(p.At[path], problem)
		p.Sections[stop.Section]++
	}
	return p
}

// FirstOf is the stop of the first of some problems, in the form's order.
func (s *Schema) FirstOf(d *Draft, problems []job.Problem) (Stop, bool) {
	var best Stop
	order := -1
	for _, problem := range problems {
		at, ok := s.Find(d, problem.Path)
		if !ok {
			continue
		}
		settled := s.Settle(d, at)
		stops, _ := s.Stops(d, at.Section)
		if o := at.Section*100_000 + max(slices.Index(stops, settled), 0); order < 0 || o < order {
			best, order = settled, o
		}
	}
	return best, order >= 0
}
