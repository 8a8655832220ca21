package sandbox

// Spec says what a process runs and, for the first process of a container, in which surroundings.
type Spec struct {
	// Container names the container within its pod. Exec enters the running container of that name.
	Container string
	// Args is the command, looked up in the PATH of Env inside the container.
	Args []string
	// Env is the whole environment, NAME=value.
	Env []string
	// Dir is the working directory inside the container; made if it is missing.
	Dir string

	// Root is an existing directory of this machine on which the container's root is built, unseen by others. The
	// containers of a pod may share it.
	Root string
	// Mounts are put into the root, outer ones first.
	Mounts []Mount
	// Hide are directories of this machine that the root shows empty. A container with SYS_ADMIN could undo that.
	Hide []string
	// ReadOnlyRoot makes the root read-only, volumes excepted.
	ReadOnlyRoot bool
	// User runs the command; nil is root of the container.
	User *User
	// Capabilities are what root of the container may do; nil means everything that a user namespace gives.
	Capabilities []string

	// TTY gives an Exec a terminal.
	TTY bool
	// Rows and Cols are the terminal's first size; 0 leaves the kernel's.
	Rows, Cols uint16
}

// Mount is a file or directory of this machine that a container sees.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}

// User is who runs a command inside a container.
type User struct {
	UID, GID uint32
	Groups   []uint32
}

// Exit is how a process ended.
type Exit struct {
	// Code is the exit code, 128+n for signal n.
	Code int
	// Signal that ended the process, or 0.
	Signal int
	// Lost is set when the process is gone without anyone having seen how it ended.
	Lost bool
}

// PodSpec says how a pod appears to its processes.
type PodSpec struct {
	Name     string // unique among the pods of a Host
	Hostname string
}

type operation string

const (
	opPod      operation = "pod"    // make a pod; answers with its address
	opClosePod operation = "close"  // end its containers, give back its address
	opRun      operation = "run"    // start a container
	opExec     operation = "exec"   // start a process in a container
	opDial     operation = "dial"   // connect to a port of a pod; answers with the socket
	opFreeze   operation = "freeze" // stop or continue all processes of a pod and cut its network
	opTmpfs    operation = "tmpfs"  // mount a tmpfs that the pod's containers can be given
	opSignal   operation = "signal" // on the connection of opRun and opExec
	opPing     operation = "ping"   // answers when the holder is able to
)

// request goes from the Host to the holder; with it travels the connection for the answers.
type request struct {
	Op     operation
	Pod    PodSpec
	Spec   *Spec  `json:",omitempty"`
	Port   int    `json:",omitempty"`
	Freeze bool   `json:",omitempty"`
	Path   string `json:",omitempty"`
	Size   int64  `json:",omitempty"`
	Signal int    `json:",omitempty"`
}

// reply comes back on the request's own connection.
type reply struct {
	Error  string `json:",omitempty"`
	IP     string `json:",omitempty"`
	Exited *Exit  `json:",omitempty"`
}
