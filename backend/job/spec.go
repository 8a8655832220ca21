// Package job holds the domain of muster: the spec file of one training job, its defaults and rules,
// and the state a job is in. It is pure: no Kubernetes client, no terminal, no texts for people.
//
// The contract is DESIGN.md sections 3 to 6.
package job

// APIVersion and Kind head every spec file.
const (
	APIVersion = "muster.dev/v1"
	Kind       = "TrainingJob"
)

// Spec is one training job as a user writes it: the form edits exactly this. The zero value is not valid;
// [Default] is the spec with every default that needs no site.
type Spec struct {
	APIVersion  string `json:"apiVersion"`
	Kind        string `json:"kind"`
	Name        string `json:"name,omitempty"`        // RFC 1035 label, at most 50 bytes; empty: generated
	DisplayName string `json:"displayName,omitempty"` // 1–256 characters; empty: the name

	Workspace   string       `json:"workspace,omitempty"` // namespace
	Region      string       `json:"region,omitempty"`    // Shared and Spot only
	Zone        string       `json:"zone,omitempty"`      // Shared and Spot only
	Network     string       `json:"network,omitempty"`   // Shared and Spot only: a NetworkAttachmentDefinition
	Cluster     string       `json:"cluster,omitempty"`   // training cluster of the site
	Resource    ResourceKind `json:"resource,omitempty"`
	Preemptible bool         `json:"preemptible,omitempty"` // Spot only

	Framework       Framework         `json:"framework,omitempty"`
	Image           string            `json:"image"`
	ImagePullSecret string            `json:"imagePullSecret,omitempty"`
	Command         []string          `json:"command,omitempty"`
	Args            Args              `json:"args,omitzero"`
	Env             map[string]string `json:"env,omitempty"`
	SecretEnv       []string          `json:"secretEnv,omitempty"` // names only; values never stand in a spec

	Storage  []Mount `json:"storage,omitempty"` // the first is the main mount
	Roles    []Role  `json:"roles,omitempty"`
	CardType string  `json:"cardType,omitempty"` // "" = the cluster's only or default one

	Submission     Submission     `json:"submission,omitzero"`
	Priority       Priority       `json:"priority,omitempty"`
	FaultTolerance FaultTolerance `json:"faultTolerance,omitzero"`

	TimeoutMinutes     int         `json:"timeoutMinutes,omitempty"` // minutes from first Running, across restarts
	GracePeriodSeconds int         `json:"gracePeriodSeconds"`       // seconds between SIGTERM and SIGKILL
	SharedMemory       string      `json:"sharedMemory,omitempty"`   // quantity of /dev/shm; "" = the site's default
	CPUExclusive       bool        `json:"cpuExclusive,omitempty"`
	SSH                bool        `json:"ssh,omitempty"`
	TensorBoard        TensorBoard `json:"tensorBoard,omitzero"`
}

// ResourceKind says whose nodes a job runs on.
type ResourceKind string

// The kinds of resources (page B: 标准资源-专属集群, 标准资源-公共集群, 闲时资源).
const (
	Dedicated ResourceKind = "Dedicated"
	Shared    ResourceKind = "Shared"
	Spot      ResourceKind = "Spot"
)

// Framework decides the roles and what a container gets to find its peers.
type Framework string

// The frameworks of DESIGN.md section 4.
const (
	PyTorch      Framework = "PyTorch"
	MPI          Framework = "MPI"
	TensorFlow   Framework = "TensorFlow"
	SenseParrots Framework = "SenseParrots"
	Custom       Framework = "Custom"
)

// Priority is the level a user asks for; the site says which class each is.
type Priority string

// The levels of page B: 普通, 高优, 最高.
const (
	Normal  Priority = "Normal"
	High    Priority = "High"
	Highest Priority = "Highest"
)

// Args are what the command is given. A user writes either one text or a list of words: Text is used when
// List is nil, else List (an empty, non-nil list is the list with no words). See [Spec.Argv].
type Args struct {
	Text string
	List []string
}

// Mount is one NAS volume mounted into every container.
type Mount struct {
	Volume    string `json:"volume"`
	Path      string `json:"path,omitempty"` // sub-path of the volume; "" is the whole volume
	MountPath string `json:"mountPath"`
	ReadOnly  bool   `json:"readOnly,omitempty"`
}

// Role is a named set of equal pods.
type Role struct {
	Name      string `json:"name"`
	Replicas  int    `json:"replicas"` // nodes of this role; default 1
	GPUs      int    `json:"gpus,omitempty"`
	WholeNode bool   `json:"wholeNode,omitempty"`
	CPU       string `json:"cpu,omitempty"`    // quantity per pod; "" = the site's per card × cards
	Memory    string `json:"memory,omitempty"` // quantity per pod; "" = the site's per card × cards
}

// Mode is how a job is submitted.
type Mode string

// The two modes (独立任务, 队列任务).
const (
	Standalone Mode = "Standalone"
	Queue      Mode = "Queue"
)

// Submission says whether the job queues, and how many jobs are made of the spec.
type Submission struct {
	Mode        Mode   `json:"mode,omitempty"`
	Queue       string `json:"queue,omitempty"`
	Total       int    `json:"total,omitempty"`       // jobs in the group, 1–1000
	Concurrency int    `json:"concurrency,omitempty"` // of them at once, 1–Total
}

// FaultTolerance says what happens when a pod ends badly.
type FaultTolerance struct {
	MaxRestarts int    `json:"maxRestarts,omitempty"` // -1 (for ever) … 99
	Rules       []Rule `json:"rules,omitempty"`       // in order, first match wins
}

// Rule names what to do for some exit codes.
type Rule struct {
	ExitCodes string    `json:"exitCodes"` // e.g. "199,200-204,230"; canonical after decoding
	Action    Action    `json:"action"`
	Placement Placement `json:"placement,omitempty"`
}

// Action is what a rule does.
type Action string

// The actions of page B (重启Job, 重启异常Pod, Job失败不再重启).
const (
	RestartJob Action = "RestartJob"
	RestartPod Action = "RestartPod"
	Fail       Action = "Fail"
)

// Placement says where a restarted pod may run.
type Placement string

// The placements of page B (调度亲和性).
const (
	PlaceAny   Placement = "Any"
	PlaceAvoid Placement = "Avoid" // never again on the node where it failed
	PlaceSame  Placement = "Same"  // rather the same node
)

// TensorBoard asks for a companion that shows the logs below LogDir.
type TensorBoard struct {
	LogDir string `json:"logDir,omitempty"`
}
