// Package forms is what a form is made of, without any terminal: a draft that holds what was typed, a schema of
// sections and fields, the order in which one moves through them, and drafts kept on disk.
package forms

import (
	"maps"
	"strconv"
	"strings"
	"time"
)

// Draft is what was typed, as it was typed: texts, also where a number is wanted, so that what is invalid is not
// lost. Fields are named by their path in the spec file: submission.queue, roles[1].gpus.
type Draft struct {
	ID      string
	Created time.Time
	Saved   time.Time // zero: never
	Title   string    // what the draft is called in a list
	Place   Place     // where it was typed
	Values  map[string]string
	Tables  map[string][]Row

	secrets  map[string][]Row // values that are never written anywhere, beside the rows of Tables
	revision int
}

// Place is where a draft was typed last: the kubeconfig's context, the user that the cluster took one for, and the
// workspace that the job would go to. What is not known is "".
type Place struct {
	Context   string `json:"context,omitempty"`
	User      string `json:"user,omitempty"`
	Workspace string `json:"workspace,omitempty"`
}

// Row is one row of a table: column → text.
type Row map[string]string

// NewDraft returns an empty draft.
func NewDraft(id string, created time.Time) *Draft {
	return &Draft{ID: id, Created: created, Values: map[string]string{}, Tables: map[string][]Row{}, secrets: map[string][]Row{}}
}

// Clone copies the draft, secrets too.
func (d *Draft) Clone() *Draft {
	c := *d
	c.Values = maps.Clone(d.Values)
	c.Tables, c.secrets = cloneTables(d.Tables), cloneTables(d.secrets)
	return &c
}

func cloneTables(tables map[string][]Row) map[string][]Row {
	c := make(map[string][]Row, len(tables))
	for name, rows := range tables {
		copied := make([]Row, len(rows))
		for i, row := range rows {
			copied[i] = maps.Clone(row)
		}
		c[name] = copied
	}
	return c
}

// Revision grows with every change.
func (d *Draft) Revision() int { return d.revision }

// Cell is a path taken apart: a field's name alone, or a table's with a row and a column.
type Cell struct {
	Field  string
	Row    int // -1: not in a table
	Column string
}

// ParsePath takes roles[1].gpus apart. Of faultTolerance.rules[0].exitCodes the field is faultTolerance.rules.
func ParsePath(path string) Cell {
	open := strings.IndexByte(path, '[')
	end := strings.IndexByte(path, ']')
	if open < 0 || end < open {
		return Cell{Field: path, Row: -1}
	}
	row, err := strconv.Atoi(path[open+1 : end])
	if err != nil || row < 0 {
		return Cell{Field: path, Row: -1}
	}
	return Cell{Field: path[:open], Row: row, Column: strings.TrimPrefix(path[end+1:], ".")}
}

// Path is the path of a cell.
func (c Cell) Path() string {
	if c.Row < 0 {
		return c.Field
	}
	p := c.Field + "[" + strconv.Itoa(c.Row) + "]"
	if c.Column != "" {
		p += "." + c.Column
	}
	return p
}

// Get is the text at a path, "" where there is none.
func (d *Draft) Get(path string) string { return get(d.Values, d.Tables, ParsePath(path)) }

// Secret is the secret text at a path; only cells of tables have one.
func (d *Draft) Secret(path string) string { return get(nil, d.secrets, ParsePath(path)) }

func get(values map[string]string, tables map[string][]Row, c Cell) string {
	if c.Row < 0 {
		return values[c.Field]
	}
	if rows := tables[c.Field]; c.Row < len(rows) {
		return rows[c.Row][c.Column]
	}
	return ""
}

// Set changes the text at a path. A row that does not exist is not made: see [Draft.AddRow].
func (d *Draft) Set(path, text string) {
	c := ParsePath(path)
	switch {
	case c.Row < 0 && d.Values[c.Field] != text:
		d.Values[c.Field] = text
	case c.Row >= 0 && c.Row < len(d.Tables[c.Field]) && d.Tables[c.Field][c.Row][c.Column] != text:
		d.Tables[c.Field][c.Row][c.Column] = text
	default:
		return
	}
	d.revision++
}

// SetSecret changes the secret text at a cell of a table.
func (d *Draft) SetSecret(path, text string) {
	c := ParsePath(path)
	if c.Row < 0 || c.Row >= len(d.Tables[c.Field]) {
		return
	}
	for len(d.secrets[c.Field]) <= c.Row {
		d.secrets[c.Field] = append(d.secrets[c.Field], Row{})
	}
	d.secrets[c.Field][c.Row][c.Column] = text
	d.revision++
}

// AddRow puts a row in before row at; at the end when at is past it.
func (d *Draft) AddRow(table string, at int, row Row) {
	rows := d.Tables[table]
	at = min(max(at, 0), len(rows))
	d.Tables[table] = insert(rows, at, maps.Clone(row))
	if hidden := d.secrets[table]; at < len(hidden) {
		d.secrets[table] = insert(hidden, at, Row{})
	}
	d.revision++
}

func insert(rows []Row, at int, row Row) []Row {
	if row == nil {
		row = Row{}
	}
	out := make([]Row, 0, len(rows)+1)
	out = append(out, rows[:at]...)
	out = append(out, row)
	return append(out, rows[at:]...)
}

// RemoveRow takes a row out.
func (d *Draft) RemoveRow(table string, at int) {
	rows := d.Tables[table]
	if at < 0 || at >= len(rows) {
		return
	}
	d.Tables[table] = remove(rows, at)
	if hidden := d.secrets[table]; at < len(hidden) {
		d.secrets[table] = remove(hidden, at)
	}
	d.revision++
}

func remove(rows []Row, at int) []Row {
	out := make([]Row, 0, len(rows))
	out = append(out, rows[:at]...)
	return append(out, rows[at+1:]...)
}

// SetTable replaces all rows of a table. Secrets beside them are forgotten.
func (d *Draft) SetTable(table string, rows []Row) {
	d.Tables[table] = rows
	delete(d.secrets, table)
	d.revision++
}
