package snapshot

import (
	"time"

	"muster.dev/muster/backend/job"
)

// Details are what a job view shows beside the status: fetched when asked for.
type Details struct {
	Events   []Event
	Manifest string    // YAML of the root object, managed fields and secrets removed
	Spec     *job.Spec // as recorded at submission; nil for foreign jobs, and where the record cannot be read

	// Unreadable is what is wrong with the record of the spec, when there is one that cannot be read.
	Unreadable []job.Problem
}

// Event is one Kubernetes event of the job, its pods or its workload, repeated ones folded.
type Event struct {
	Object  string // kind/name
	Type    string // Normal, Warning
	Reason  string
	Message string // hostile text
	Count   int
	First   time.Time
	Last    time.Time
}

// Verb is something done to a whole job.
type Verb string

// The verbs.
const (
	Stop   Verb = "stop"
	Resume Verb = "resume"
	Delete Verb = "delete"
)
