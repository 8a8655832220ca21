package keys

// Form is the bindings of the create form. There letters are text, so all of them are control keys.
type Form struct {
	Next, Previous, Up, Down          Binding
	NextSection, PreviousSection      Binding
	Section                           Binding
	Open, Toggle, Choose              Binding
	Submit, Manifest, Editor, Example Binding
	AddRow, RemoveRow                 Binding
	InsertTab, Undo, Redo             Binding
	Leave, Cancel                     Binding
	Confirm, Jump                     Binding
	DeleteDraft, Lose                 Binding
	Left, Right, PageUp, PageDown     Binding
	Top, Bottom, HalfUp, HalfDown     Binding // of a text to read
}

// DefaultForm returns the bindings of the create form.
func DefaultForm() Form {
	return Form{
		Next:            bind("tab", "key.form.next", "tab"),
		Previous:        bind("shift+tab", "key.form.previous", "shift+tab"),
		Up:              bind("↑", "key.form.up", "up"),
		Down:            bind("↓", "key.form.down", "down"),
		NextSection:     bind("pgdn", "key.form.nextSection", "pgdown", "ctrl+down"),
		PreviousSection: bind("pgup", "key.form.previousSection", "pgup", "ctrl+up"),
		Section:         bind("alt+1…8", "key.form.section", "alt+1", "alt+2", "alt+3", "alt+4", "alt+5", "alt+6", "alt+7", "alt+8"),
		Open:            bind("enter", "key.form.open", "enter"),
		Toggle:          bind("space", "key.form.toggle", "space", "enter"),
		Choose:          bind("enter", "key.form.choose", "enter", "space"),
		Submit:          bind("ctrl+s", "key.form.submit", "ctrl+s"),
		Manifest:        bind("ctrl+p", "key.form.manifest", "ctrl+p"),
		Editor:          bind("ctrl+e", "key.form.editor", "ctrl+e"),
		Example:         bind("ctrl+o", "key.form.example", "ctrl+o"),
		AddRow:          bind("ctrl+n", "key.form.addRow", "ctrl+n"),
		RemoveRow:       bind("ctrl+x", "key.form.removeRow", "ctrl+x"),
		InsertTab:       bind("ctrl+t", "key.form.insertTab", "ctrl+t"),
		Undo:            bind("ctrl+/", "key.form.undo", "ctrl+/", "ctrl+_", "alt+z"),
		Redo:            bind("ctrl+y", "key.form.redo", "ctrl+y", "alt+y"),
		Leave:           bind("esc", "key.form.leave", "esc"),
		Cancel:          bind("esc", "key.form.cancel", "esc"),
		Confirm:         bind("enter", "key.form.create", "enter"),
		Jump:            bind("enter", "key.form.jump", "enter"),
		DeleteDraft:     bind("ctrl+x", "key.form.deleteDraft", "ctrl+x"),
		Lose:            bind("y", "key.form.lose", "y"),
		Left:            bind("←", "key.left", "left"),
		Right:           bind("→", "key.right", "right"),
		PageUp:          bind("pgup", "key.pageUp", "pgup"),
		PageDown:        bind("pgdn", "key.pageDown", "pgdown"),
		Top:             bind("g", "key.top", "g", "home"),
		Bottom:          bind("G", "key.bottom", "G", "end"),
		HalfUp:          bind("ctrl+u", "key.pageUp", "ctrl+u"),
		HalfDown:        bind("ctrl+d", "key.pageDown", "ctrl+d"),
	}
}

// Groups are the bindings for the help.
func (f Form) Groups() []Group {
	return []Group{
		{Title: "help.form.move", Bindings: []Binding{f.Next, f.Previous, f.Up, f.Down, f.NextSection, f.PreviousSection, f.Section}},
		{Title: "help.form.edit", Bindings: []Binding{f.Open, f.Toggle, f.AddRow, f.RemoveRow, f.Editor, f.Example, f.InsertTab, f.Undo, f.Redo}},
		{Title: "help.form.whole", Bindings: []Binding{f.Submit, f.Manifest, f.Leave}},
	}
}
