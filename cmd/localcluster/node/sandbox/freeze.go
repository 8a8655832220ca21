package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeze stops or continues every process of a pod, and takes it off the network meanwhile: to its peers the
// machine is gone.
func (h *holder) freeze(p *heldPod, frozen bool) error {
	if err := h.network.cut(p.address, frozen); err != nil {
		return err
	}
	namespaces := map[uint64]bool{}
	p.mu.Lock()
	for _, c := range p.containers {
		var st unix.Stat_t
		if c.pid != nil && unix.Fstat(int(c.pid.Fd()), &st) == nil {
			namespaces[st.Ino] = true
		}
	}
	p.mu.Unlock()
	signal := syscall.SIGCONT
	if frozen {
		signal = syscall.SIGSTOP
	}
	// Twice: what a process started while the first round came by is met by the second, and its parent starts no more.
	for range 2 {
		if err := signalAll(namespaces, signal); err != nil {
			return err
		}
	}
	return nil
}

// signalAll sends a signal to every process of some PID namespaces.
func signalAll(namespaces map[uint64]bool, signal syscall.Signal) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		var st unix.Stat_t
		if unix.Stat(fmt.Sprintf("/proc/%d/ns/pid", pid), &st) == nil && namespaces[st.Ino] {
			_ = syscall.Kill(pid, signal)
		}
	}
	return nil
}
