// Package control is the conversation between the commands and a running cluster's daemon: HTTP on a unix socket in the
// data directory, which only the owner can reach.
package control

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"muster.dev/muster/cmd/localcluster/supervise"
)

// States of a daemon.
const (
	Starting = "starting"
	Ready    = "ready"
	Stopping = "stopping"
)

// Status is what `localcluster status` shows.
type Status struct {
	State      string             `json:"state"`
	Data       string             `json:"data"`
	Server     string             `json:"server"`
	PID        int                `json:"pid"`
	Since      time.Time          `json:"since"`
	Ready      float64            `json:"readyAfterSeconds,omitempty"`
	Components []supervise.Status `json:"components"`
}

// Event is one line of the start's progress.
type Event struct {
	Seconds float64 `json:"seconds"` // since the daemon started
	Step    string  `json:"step,omitempty"`
	Ready   bool    `json:"ready,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// Last says whether no event follows.
func (e Event) Last() bool { return e.Ready || e.Error != "" }

// socketName is the socket's name in the data directory.
const socketName = "control.sock"

// socketPath gives a path to the socket that fits into a socket address, which holds 107 bytes: a longer one goes by way
// of an open file descriptor of the folder. Call done when the socket is connected or bound.
func socketPath(dir string) (path string, done func(), err error) {
	path = filepath.Join(dir, socketName)
	if len(path) < 100 {
		return path, func() {}, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join("/proc/self/fd", strconv.Itoa(int(f.Fd())), socketName), func() { f.Close() }, nil
}
