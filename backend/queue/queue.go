// Package queue describes training queues (Kueue LocalQueues) and what waits in them. Pure.
package queue

import "time"

// Queue is one LocalQueue of a workspace.
type Queue struct {
	Name         string    `json:"name"`
	Workspace    string    `json:"workspace"`
	ClusterQueue string    `json:"clusterQueue"`
	Pending      int       `json:"pending"`
	Admitted     int       `json:"admitted"`
	Active       bool      `json:"active"`
	Reason       string    `json:"reason,omitempty"` // why not Active, the cluster's words
	Usage        []Usage   `json:"usage"`
	Waiting      []Waiting `json:"waiting"`    // in order; jobs of other users too where the rights allow
	OrderKnown   bool      `json:"orderKnown"` // false: the visibility API is not there or refused
}

// Usage is one resource of one flavor. Nominal is nil when the user may not read ClusterQueues.
type Usage struct {
	Flavor   string  `json:"flavor"`
	Resource string  `json:"resource"`
	Used     string  `json:"used"`
	Nominal  *string `json:"nominal"`
}

// Waiting is one job in a queue.
type Waiting struct {
	Job       string    `json:"job"`
	Workspace string    `json:"workspace"`
	Position  int       `json:"position"` // in the LocalQueue, 1 = next
	Priority  int32     `json:"priority"`
	Since     time.Time `json:"since"`
	Message   string    `json:"message,omitempty"` // why it is not admitted, Kueue's words
}
