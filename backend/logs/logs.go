// Package logs merges the output of many containers into one stream in time order. Pure: sources are given.
package logs

import "time"

// Line is one line of one container, or a mark in its stream.
type Line struct {
	Time  time.Time
	Role  string
	Index int
	Pod   string
	Text  string // without the newline; as the container wrote it, hostile
	Mark  Mark
}

// Mark says that a Line is not output but something that happened to the stream; Text has the details.
type Mark string

// The marks.
const (
	NoMark    Mark = ""
	Cut       Mark = "Cut"       // the stream broke; it is asked for again from the last line seen
	Resumed   Mark = "Resumed"   // it goes on, without a gap or a repeat
	Gap       Mark = "Gap"       // lines are lost for certain (rotation, pod gone)
	Ended     Mark = "Ended"     // the container ended; Text is its exit code
	Restarted Mark = "Restarted" // a new instance of the container begins
	Refused   Mark = "Refused"   // the log can't be had: rights, pod gone
	Deleted   Mark = "Deleted"   // the log ends as the job was deleted: its pods are gone, last lines with them
	Stopped   Mark = "Stopped"   // likewise, as the job was stopped
)

// Request says which lines are wanted.
type Request struct {
	Workspace string
	Job       string
	Role      string // "" = all
	Index     int    // -1 = all
	Follow    bool
	Previous  bool
	Since     time.Duration // 0 = from the start
	Tail      int           // lines per pod; -1 = all
}
