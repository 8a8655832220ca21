package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Process is one that holds a data directory.
type Process struct {
	PID  int
	Args []string
	// Daemon is set for the daemon itself; the others are its components, which may outlive it.
	Daemon bool
}

// String names the process for a person: by what it is called with, up to the first flag.
func (p Process) String() string {
	words := p.Args
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d (%s)", p.PID, strings.Join(append([]string{filepath.Base(words[0])}, words[1:]...), " "))
}

// Holders are the processes that hold the directory now, as the kernel has it: the daemon and its components.
func (d Dir) Holders() ([]Process, error) {
	daemon, err := d.daemon()
	if err != nil {
		daemon = 0 // then none of them is
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var holders []Process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !d.holds(pid) {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil {
			continue // it has just ended
		}
		holders = append(holders, Process{PID: pid, Daemon: pid == daemon,
			Args: strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")})
	}
	return holders, nil
}

// holds says whether a process has the lock file open with the lock on it. The file alone proves nothing: whoever asks
// whether the directory is free opens it too.
func (d Dir) holds(pid int) bool {
	lock, err := os.Stat(d.Path("lock"))
	if err != nil {
		return false
	}
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	files, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		return false // gone, or another user's, who cannot hold a directory that is closed to others
	}
	for _, f := range files {
		if open, err := os.Stat(filepath.Join(proc, "fd", f.Name())); err != nil || !os.SameFile(open, lock) {
			continue
		}
		// The kernel lists the locks that were taken through this very file.
		info, err := os.ReadFile(filepath.Join(proc, "fdinfo", f.Name()))
		if err == nil && strings.Contains(string(info), "FLOCK") && strings.Contains(string(info), "WRITE") {
			return true
		}
	}
	return false
}

// Kill kills a process that holds the directory. One that does not, because it has ended and its pid is another program's by
// now, is left alone.
func (d Dir) Kill(p Process) error {
	// The descriptor means this one process for good. Looked at after it was opened, the pid cannot be an older one's.
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	} else if err != nil {
		return fmt.Errorf("killing %s: %w", p, err)
	}
	defer unix.Close(fd)
	if !d.holds(p.PID) {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("killing %s: %w", p, err)
	}
	return nil
}
