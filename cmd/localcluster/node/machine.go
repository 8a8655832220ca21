package node

import (
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"muster.dev/muster/cmd/localcluster/node/podenv"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
	"muster.dev/muster/cmd/localcluster/node/volume"
)

// hostIP is the address of every node.
const hostIP = "127.0.0.1"

// machine is what the pods of all nodes share.
type machine struct {
	host        *sandbox.Host
	objects     volume.Objects
	names       *names
	dir         string
	hide        []string // from pods
	shared      string   // directory in a hidden one from which volumes may be mounted
	path        string   // PATH of containers
	delays      delays
	event       func(pod *corev1.Pod, kind, reason, message string)
	changed     func(*pod)
	allocatable func(node string) corev1.ResourceList
}

// delays are the kubelet's; tests have shorter ones.
type delays struct {
	restart, restartMax time.Duration // between the second and third run of a container, doubled each time
	restartReset        time.Duration // a run this long starts over
	retry, retryMax     time.Duration // between attempts at what is missing
}

func kubeletDelays() delays {
	return delays{restart: 10 * time.Second, restartMax: 5 * time.Minute, restartReset: 10 * time.Minute,
		retry: time.Second, retryMax: 10 * time.Second}
}

func (m *machine) podDir(uid types.UID) string { return filepath.Join(m.podsDir(), string(uid)) }
func (m *machine) podsDir() string             { return filepath.Join(m.dir, "pods") }

// logPath is the log of one run of a container.
func (m *machine) logPath(uid types.UID, container string, run int32) string {
	return filepath.Join(m.podDir(uid), "logs", container, logName(run))
}

func (m *machine) place(spec *corev1.Pod, ip string) podenv.Place {
	return podenv.Place{PodIP: ip, HostIP: hostIP, Allocatable: m.allocatable(spec.Spec.NodeName)}
}

// backoff doubles from first to last.
type backoff struct{ first, last, now time.Duration }

func (b *backoff) next() time.Duration {
	switch {
	case b.now == 0:
		b.now = b.first
	default:
		b.now = min(2*b.now, b.last)
	}
	return b.now
}

func (b *backoff) reset() { b.now = 0 }
