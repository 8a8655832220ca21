package job

import "time"

// Phase is where a job stands.
type Phase string

// The phases of DESIGN.md section 2.
const (
	Draft      Phase = "Draft"
	Queued     Phase = "Queued"
	Starting   Phase = "Starting"
	Running    Phase = "Running"
	Restarting Phase = "Restarting"
	Stopping   Phase = "Stopping"
	Succeeded  Phase = "Succeeded"
	Failed     Phase = "Failed"
	TimedOut   Phase = "TimedOut"
	Stopped    Phase = "Stopped"
	Unknown    Phase = "Unknown"
)

// Terminal tells whether a job in this phase will not run again by itself.
func (p Phase) Terminal() bool {
	switch p {
	case Succeeded, Failed, TimedOut, Stopped:
		return true
	}
	return false
}

// Status is one job as the cluster has it: the "Job" of the commands' json (DESIGN.md section 6). Fields after
// Roles are additions to that contract.
type Status struct {
	Name          string       `json:"name"`
	DisplayName   string       `json:"displayName"`
	Workspace     string       `json:"workspace"`
	Engine        string       `json:"engine"`    // jobset, job, …
	Framework     Framework    `json:"framework"` // "" for a job that muster did not make
	Phase         Phase        `json:"phase"`
	Reason        string       `json:"reason"`   // a code such as ExitCode, DeadlineExceeded, QuotaExceeded, Unschedulable; "" when there is nothing to say
	Restarts      int          `json:"restarts"` // of the whole job and of its pods together
	ExitCode      *int         `json:"exitCode"` // of the pod that decided the end; null while there is none
	Queue         string       `json:"queue"`
	QueuePosition *int         `json:"queuePosition"` // 1 = next; null when not queued or not known
	Group         *GroupRef    `json:"group"`
	Roles         []RoleStatus `json:"roles"`

	UID       string     `json:"uid"`
	User      string     `json:"user,omitempty"`    // who submitted it, as muster recorded
	Foreign   bool       `json:"foreign,omitempty"` // made by another tool
	Image     string     `json:"image,omitempty"`
	Cluster   string     `json:"cluster,omitempty"` // training cluster
	CardType  string     `json:"cardType,omitempty"`
	Priority  Priority   `json:"priority,omitempty"`
	Message   string     `json:"message,omitempty"`   // the cluster's own words behind Reason; hostile text
	FailedPod string     `json:"failedPod,omitempty"` // name of the pod that decided the end
	Created   time.Time  `json:"created,omitzero"`    // zero: not in a cluster (yet)
	Started   *time.Time `json:"started,omitempty"`   // first time all pods ran
	Finished  *time.Time `json:"finished,omitempty"`  // when it reached its terminal phase

	// RunSeconds is how long a job that was stopped ran, where that is known though Started is not, its pods being gone:
	// as Kueue counted it (from admission on, all runs together), or as was seen.
	RunSeconds int64 `json:"runSeconds,omitempty"`
}

// GroupRef places a job in its group.
type GroupRef struct {
	Name  string `json:"name"`
	Index int    `json:"index"` // from 0
	Total int    `json:"total"`
}

// RoleStatus is one role of a job. Replicas counts what is wanted, Ready what runs ready now or has succeeded.
type RoleStatus struct {
	Name     string      `json:"name"`
	Replicas int         `json:"replicas"`
	Ready    int         `json:"ready"`
	Pods     []PodStatus `json:"pods"`

	GPUs int `json:"gpus"` // cards per pod
}

// PodStatus is one pod of a role.
type PodStatus struct {
	Name     string `json:"name"`
	Index    int    `json:"index"` // within the role, from 0
	Node     string `json:"node"`
	Phase    string `json:"phase"` // Pending, Running, Succeeded, Failed, Terminating, Unknown
	ExitCode *int   `json:"exitCode"`

	UID      string     `json:"uid"`
	Reason   string     `json:"reason,omitempty"`   // e.g. OOMKilled, ImagePullBackOff, Unschedulable
	Message  string     `json:"message,omitempty"`  // hostile text
	Restarts int        `json:"restarts,omitempty"` // of its containers
	Started  *time.Time `json:"started,omitempty"`
	Finished *time.Time `json:"finished,omitempty"`
}
