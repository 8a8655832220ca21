package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// onOwnThread runs f on a thread that is thrown away afterwards, so that f may move it into other namespaces and take
// capabilities from it. What f starts inherits both.
func onOwnThread(f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		result <- f()
	}()
	return <-result
}

// threadNamespace opens a namespace of the calling thread.
func threadNamespace(kind string) (*os.File, error) {
	return os.Open("/proc/thread-self/ns/" + kind)
}

// inside are namespaces to enter, in that order. They are open for one use, so that the pod may go meanwhile.
type inside []struct {
	kind int
	fd   int
}

// open opens what a pod's containers share, and with a name also what that container has of its own.
func (p *heldPod) open(container string) (inside, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("the pod has ended")
	}
	held := map[int]*os.File{unix.CLONE_NEWNET: p.net, unix.CLONE_NEWUTS: p.uts, unix.CLONE_NEWIPC: p.ipc}
	kinds := []int{unix.CLONE_NEWNET, unix.CLONE_NEWUTS, unix.CLONE_NEWIPC}
	if container != "" {
		c := p.containers[container]
		if c == nil || c.mnt == nil || c.pid == nil {
			return nil, fmt.Errorf("container %s does not run", container)
		}
		held[unix.CLONE_NEWPID], held[unix.CLONE_NEWNS] = c.pid, c.mnt
		kinds = append(kinds, unix.CLONE_NEWPID, unix.CLONE_NEWNS)
	}
	var in inside
	for _, kind := range kinds {
		fd, err := unix.FcntlInt(held[kind].Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			in.close()
			return nil, err
		}
		in = append(in, struct{ kind, fd int }{kind, fd})
	}
	return in, nil
}

func (in inside) close() {
	for _, n := range in {
		unix.Close(n.fd)
	}
}

// enter moves the calling thread into the namespaces.
func (in inside) enter() error {
	for _, n := range in {
		if n.kind == unix.CLONE_NEWNS {
			// A thread that shares its root and working directory with others cannot change its mount namespace.
			if err := unix.Unshare(unix.CLONE_FS); err != nil {
				return os.NewSyscallError("unshare", err)
			}
		}
		if err := unix.Setns(n.fd, n.kind); err != nil {
			return os.NewSyscallError("setns", err)
		}
	}
	return nil
}
