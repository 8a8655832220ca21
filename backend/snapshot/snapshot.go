// Package snapshot is what muster knows of a cluster at one moment, as values that screens and commands can hold
// on to: nothing in it changes after it was handed out.
package snapshot

import (
	"time"

	"muster.dev/muster/backend/job"
	"muster.dev/muster/backend/queue"
	"muster.dev/muster/backend/site"
	"muster.dev/muster/backend/stock"
)

// Snapshot is the whole view. Slices are sorted and must not be changed by readers.
type Snapshot struct {
	Jobs       []job.Status // newest first
	Queues     []queue.Queue
	Stock      []stock.Stock
	Volumes    []Volume
	Workspaces []string // those known; a user without the right to list namespaces has the kubeconfig's one
	Site       site.Site
	Facts      Facts
	Conn       Connection
}

// Facts are what the cluster is and lets the user do.
type Facts struct {
	Context   string   // kubeconfig context
	User      string   // from SelfSubjectReview; "" unknown
	Server    string   // version, e.g. v1.36.3
	Workspace string   // the namespace watched
	Engines   []string // served and allowed, in the order of preference
	Kueue     bool
	Denied    []string // "list nodes", "list pods in namespace x": what the user may not do, in the order found

	SiteSource string        // where the site file is from: a path, "muster-system/muster-site", or "" for the embedded default
	Problems   []job.Problem // what else is wrong with the place: a bad site file, a workspace that does not exist
}

// Connection is the state of the link to the API server; never the state of a job.
type Connection struct {
	State ConnState
	Since time.Time // since when in this State
	Fresh time.Time // when the data were last known to be current; zero: never
	Error string    // what went wrong, when not Live; hostile text, secrets removed

	// Problem is the same for the catalogue: code and arguments (path of the kubeconfig, host); nil when Live.
	Problem *job.Problem
}

// ConnState is one of the states below.
type ConnState string

// Connecting: no data yet. Live: watches run. Stale: data stay, their age grows, muster keeps trying.
// Unauthorized: 401, credentials must change. NoConfig: there is no usable kubeconfig.
const (
	Connecting   ConnState = "Connecting"
	Live         ConnState = "Live"
	Stale        ConnState = "Stale"
	Unauthorized ConnState = "Unauthorized"
	NoConfig     ConnState = "NoConfig"
)

// Volume is one claim of a workspace that can be mounted.
type Volume struct {
	Name        string   `json:"name"` // as users say it
	Claim       string   `json:"claim"`
	Workspace   string   `json:"workspace"`
	Capacity    string   `json:"capacity"`
	AccessModes []string `json:"accessModes"`
	Phase       string   `json:"phase"` // Bound, Pending, Lost
	UsedBy      []string `json:"usedBy,omitempty"`
}
