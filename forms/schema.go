package forms

// Kind is what a field or a column takes.
type Kind int

// The kinds.
const (
	Text      Kind = iota // one line
	Multiline             // many lines
	Select                // one of Options
	Suggest               // one line, with Options to take from
	Toggle                // "true" or not
	Number                // one line, digits wanted
	Secret                // one line, masked, kept in memory only
	Table                 // rows of Columns
	Computed              // nothing to type: said by Say
)

// On is the text of a toggle that is on.
const On = "true"

// Said is a text of the catalogue with its arguments.
type Said struct {
	Key  string
	Args map[string]string
}

// Say makes a Said of a key and pairs of name and value.
func Say(key string, pairs ...string) Said {
	s := Said{Key: key}
	for i := 0; i+1 < len(pairs); i += 2 {
		if s.Args == nil {
			s.Args = map[string]string{}
		}
		s.Args[pairs[i]] = pairs[i+1]
	}
	return s
}

// Level is how much a note matters.
type Level int

// The levels.
const (
	Info Level = iota
	Good
	Doubtful
	Bad
)

// Note is something said at a field besides its problems.
type Note struct {
	Said
	Level Level
}

// Option is one choice. Label is what is shown; without a key, the value itself is.
type Option struct {
	Value  string
	Label  Said
	Detail Said // beside it; no key: none
}

// Field is one field of a section. Functions may be nil. Texts are keys of the catalogue.
type Field struct {
	ID      string // path in the spec and in the draft
	Kind    Kind
	Label   string
	Hint    string
	Columns []Column // of a Table
	Aliases []string // other paths whose problems stand here
	Suffix  string   // of a temporary file for the user's editor program
	Short   bool     // of a text: typed anew rather than edited, as a number is

	Visible func(*Draft) bool
	Options func(*Draft) []Option
	Default func(*Draft) string // shown while nothing is typed: what will be taken
	Notes   func(*Draft) []Note
	Changed func(d *Draft, before string)

	AddLabel string                   // key of "add a …"; "" = rows can't be added
	CanAdd   func(*Draft) bool        // nil: always
	NewRow   func(*Draft) Row         // what an added row begins with
	Fixed    func(*Draft, int) string // key of the reason why a row can't be removed; "" = it can
}

// Column is one column of a table.
type Column struct {
	ID    string
	Kind  Kind
	Label string
	Hint  string
	Right bool // aligned to the right; a text is typed anew rather than edited, as a number is
	Min   int  // cells it needs; it takes more where there is room
	Grow  bool // it takes what room is left

	Visible func(*Draft) bool
	Locked  func(d *Draft, row int) bool // can't be changed in this row
	Options func(d *Draft, row int) []Option
	Default func(d *Draft, row int) string
	Say     func(d *Draft, row int) Note
}

// Section is one page of a form.
type Section struct {
	ID     string
	Label  string
	Fields []Field
}

// Schema is a whole form.
type Schema struct {
	Sections []Section
}

// Shown tells whether the field is visible now.
func (f *Field) Shown(d *Draft) bool { return f.Visible == nil || f.Visible(d) }

// Adds tells whether a row can be added now.
func (f *Field) Adds(d *Draft) bool {
	return f.Kind == Table && f.AddLabel != "" && (f.CanAdd == nil || f.CanAdd(d))
}

// ShownColumns are the visible columns.
func (f *Field) ShownColumns(d *Draft) []Column {
	out := make([]Column, 0, len(f.Columns))
	for _, c := range f.Columns {
		if c.Visible == nil || c.Visible(d) {
			out = append(out, c)
		}
	}
	return out
}

// Column finds a column.
func (f *Field) Column(id string) *Column {
	for i := range f.Columns {
		if f.Columns[i].ID == id {
			return &f.Columns[i]
		}
	}
	return nil
}

// Field finds a field and its section.
func (s *Schema) Field(id string) (*Field, int) {
	for i := range s.Sections {
		for j := range s.Sections[i].Fields {
			if s.Sections[i].Fields[j].ID == id {
				return &s.Sections[i].Fields[j], i
			}
		}
	}
	return nil, -1
}
