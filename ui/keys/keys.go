// Package keys holds every key binding of muster in one place. They follow what k9s and vim users have in their
// fingers. The help text of a binding is a key of the catalogue ("key.…"), never a text.
package keys

import "charm.land/bubbles/v2/key"

// Binding is a set of keystrokes with the catalogue key of its help.
type Binding = key.Binding

// Matches tells whether a key press belongs to one of the bindings.
func Matches(k interface{ String() string }, bindings ...Binding) bool {
	return key.Matches(k, bindings...)
}

// Group is some bindings under a heading; Title is a catalogue key.
type Group struct {
	Title    string
	Bindings []Binding
}

// Help is what a screen's keys do. Footer has the few that matter now, the most important first.
type Help struct {
	Title  string // catalogue key
	Groups []Group
	Footer []Binding
}

// Map is all bindings.
type Map struct {
	// everywhere
	Quit, Interrupt, Suspend, Help, Back, Language, Theme, Redraw Binding
	// lists and text
	Up, Down, Top, Bottom, HalfUp, HalfDown, PageUp, PageDown, Left, Right Binding
	Open, NextTab, PreviousTab, Tab1, Tab2, Tab3, Tab4                     Binding
	Search, SearchNext, SearchPrevious, Filter                             Binding
	// jobs
	New, Clone, Stop, Resume, Delete, Logs, PodLogs Binding
	Sort, SortReverse, Mine, Workspace, Preview     Binding
	Tail, PreviousLog                               Binding
	// logs
	Follow, Wrap, Timestamps, Role, Save, LogFilter, All, Reload, LineStart Binding
	// dialogs and prompts
	Yes, No, Accept, Clear, Choose, Cancel Binding
	HelpTyping                             Binding // Help while letters are text
}

func bind(label, help string, keystrokes ...string) Binding {
	return key.NewBinding(key.WithKeys(keystrokes...), key.WithHelp(label, help))
}

// Default returns the bindings.
func Default() Map {
	return Map{
		Quit:      bind("q", "key.quit", "q"),
		Interrupt: bind("ctrl+c", "key.interrupt", "ctrl+c"),
		Suspend:   bind("ctrl+z", "key.suspend", "ctrl+z"),
		Help:      bind("?", "key.help", "?", "？", "f1"),
		Back:      bind("esc", "key.back", "esc", "q"),
		Language:  bind("f2", "key.language", "f2"),
		Theme:     bind("f3", "key.theme", "f3"),
		Redraw:    bind("ctrl+l", "key.redraw", "ctrl+l"),

		Up:       bind("↑/k", "key.up", "up", "k"),
		Down:     bind("↓/j", "key.down", "down", "j"),
		Top:      bind("g", "key.top", "g", "home"),
		Bottom:   bind("G", "key.bottom", "G", "end"),
		HalfUp:   bind("ctrl+u", "key.halfUp", "ctrl+u"),
		HalfDown: bind("ctrl+d", "key.halfDown", "ctrl+d"),
		PageUp:   bind("pgup", "key.pageUp", "pgup", "ctrl+b"),
		PageDown: bind("pgdn", "key.pageDown", "pgdown", "ctrl+f"),
		Left:     bind("←/h", "key.left", "left", "h"),
		Right:    bind("→/l", "key.right", "right", "l"),

		Open:        bind("enter", "key.open", "enter"),
		NextTab:     bind("tab", "key.nextTab", "tab", "right"),
		PreviousTab: bind("shift+tab", "key.previousTab", "shift+tab", "left"),
		Tab1:        bind("1", "key.tab1", "1"),
		Tab2:        bind("2", "key.tab2", "2"),
		Tab3:        bind("3", "key.tab3", "3"),
		Tab4:        bind("4", "key.tab4", "4"),

		Search:         bind("/", "key.search", "/"),
		SearchNext:     bind("n", "key.searchNext", "n"),
		SearchPrevious: bind("N", "key.searchPrevious", "N"),
		Filter:         bind("/", "key.filter", "/"),

		New:         bind("n", "key.new", "n"),
		Clone:       bind("c", "key.clone", "c"),
		Stop:        bind("s", "key.stop", "s"),
		Resume:      bind("r", "key.resume", "r"),
		Delete:      bind("d", "key.delete", "d", "delete"),
		Logs:        bind("l", "key.logs", "l"),
		PodLogs:     bind("enter/L", "key.podLogs", "enter", "L"),
		Sort:        bind("o", "key.sort", "o"),
		SortReverse: bind("O", "key.sortReverse", "O"),
		Mine:        bind("m", "key.mine", "m"),
		Workspace:   bind("w", "key.workspace", "w"),
		Preview:     bind("p", "key.preview", "p"),
		Tail:        bind("t", "key.tail", "t"),
		PreviousLog: bind("p", "key.previousLog", "p"),

		Follow:     bind("f", "key.follow", "f", "space"),
		Wrap:       bind("w", "key.wrap", "w"),
		Timestamps: bind("t", "key.timestamps", "t"),
		Role:       bind("r", "key.role", "r"),
		LogFilter:  bind("&", "key.logFilter", "&"),
		All:        bind("a", "key.all", "a"),
		Reload:     bind("R", "key.reload", "R"),
		LineStart:  bind("0", "key.lineStart", "0"),
		Save:       bind("s", "key.save", "s"),

		Yes:    bind("y", "key.yes", "y"),
		Accept: bind("enter", "key.accept", "enter"),
		Clear:  bind("esc", "key.clear", "esc"),
		Choose: bind("enter", "key.form.choose", "enter"),
		Cancel: bind("esc", "key.form.cancel", "esc"),

		HelpTyping: bind("f1", "key.help", "f1"),
		No:         bind("enter/esc", "key.no", "enter", "esc", "n", "q"),
	}
}

// Movement is the group of keys that every list has.
func (m Map) Movement() Group {
	return Group{Title: "help.movement", Bindings: []Binding{
		m.Up, m.Down, m.Top, m.Bottom, m.HalfUp, m.HalfDown, m.PageUp, m.PageDown,
	}}
}

// Everywhere is the group of keys that the root takes itself.
func (m Map) Everywhere() Group {
	return Group{Title: "help.everywhere", Bindings: []Binding{
		m.Help, m.Language, m.Theme, m.Redraw, m.Suspend, m.Interrupt,
	}}
}
