// Package nav is what screens and the root model say to each other, so that screens need not know one another.
package nav

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/snapshot"
	"muster.dev/muster/themes"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/keys"
)

// Screen is one full-screen view. The root model sends it every message that is not for the root alone: keys, paste
// and mouse only to the screen on top, everything else to each screen on the stack.
//
// A screen that wants the terminal's cursor (for input methods) also has Cursor() *tea.Cursor, which tells where it
// stood in the last View.
type Screen interface {
	// Init starts what the screen needs; it is called once, when the screen is opened.
	Init() tea.Cmd
	Update(tea.Msg) (Screen, tea.Cmd)
	// Take returns what the screen asked of the root since it was last called, and forgets it. The root calls it after
	// each Update, before the next message: a key that follows the one that opens a screen is for the new screen, also
	// when both came at once. Embed [Outbox] to have it.
	Take() []Intent
	// View returns at most height lines of at most width cells. It must be cheap when nothing changed.
	View(width, height int) string
	// Help tells which keys do what, for the overlay.
	Help() keys.Help
	// Typing is true while keys are text for the screen: then the root takes only ctrl+c, ctrl+z and function keys.
	Typing() bool
	// Close ends everything that the screen started. It is called when the screen is left and when muster ends.
	Close()
}

// Cursored is a screen that shows the terminal's cursor.
type Cursored interface {
	Cursor() *tea.Cursor // nil: hidden; the position is within the screen
}

// Holder is a screen with something that would be lost when muster ends. Hold is asked before; when it is true the
// screen has put a question on itself, and muster goes on. Asked again while the question stands, it is false.
type Holder interface {
	Hold() bool
}

// Env is what every screen draws with. It never changes; the root sends a new one as [EnvMsg].
type Env struct {
	Texts  *i18n.Texts
	Styles *themes.Styles
	Keys   keys.Map
	Now    func() time.Time
}

// T is short for the catalogue's T.
func (e Env) T(key string, args ...any) string { return e.Texts.T(key, args...) }

// EnvMsg tells screens that language or theme changed.
type EnvMsg struct{ Env Env }

// SnapshotMsg brings the newest state of the cluster to every screen.
type SnapshotMsg struct{ Snapshot snapshot.Snapshot }

// TickMsg comes once a second, for ages and run times.
type TickMsg struct{ Now time.Time }

// Intent is what a screen asks of the root. It is no tea.Msg: what travels through a command comes after the keys that
// were typed meanwhile, and would then be about a screen that is not there any more.
//
// The root knows which screen asked. Only the one on top may open or close screens; Replace and notices are good for
// every screen.
type Intent interface{ intent() }

// Outbox holds what a screen asks of the root until it is taken.
type Outbox struct{ intents []Intent }

// Send asks for something. It returns no command, so that the handler of a key can end with it.
func (o *Outbox) Send(i Intent) tea.Cmd {
	o.intents = append(o.intents, i)
	return nil
}

// Take empties the box.
func (o *Outbox) Take() []Intent {
	taken := o.intents
	o.intents = nil
	return taken
}

func (OpenJob) intent()      {}
func (OpenLogs) intent()     {}
func (NewJob) intent()       {}
func (Close) intent()        {}
func (SetWorkspace) intent() {}
func (Notify) intent()       {}

// OpenJob opens the job view. With Replace it takes the place of the screen that asks, wherever that stands by now, as
// after a submission. A job of a workspace that is not watched would never be shown: the root watches its workspace
// then, and says so.
type OpenJob struct {
	Workspace, Name string
	Replace         bool
}

// OpenLogs opens the log view: of all pods of a job, or of one role (Role) or pod (Role and Index; -1 = all).
type OpenLogs struct {
	Workspace, Job string
	Role           string
	Index          int
	Previous       bool
}

// NewJob opens the form: empty or as it was left, or with a copy of Spec, which came from the job named From.
type NewJob struct {
	Spec *job.Spec
	From string
}

// Close leaves the screen that asks; muster, when it is the only one.
type Close struct{}

// SetWorkspace asks for another workspace; "" is all that the user may see.
type SetWorkspace struct{ Name string }

// Level is how much a notice matters.
type Level int

// Info and Done go away by themselves; the others stay until a key is pressed. Kept is a success with something to
// read in it, such as a path.
const (
	Info Level = iota
	Done
	Kept
	Warned
	Failed
)

// Notify shows a line at the bottom of whatever screen is open. Text comes from the catalogue.
type Notify struct {
	Level Level
	Text  string
}
