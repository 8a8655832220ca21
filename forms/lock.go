package forms

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A draft is open as long as somebody holds the lock on the file <id>.lock beside it: the system takes a lock back
// when its holder ends, however it ended. Where the file system has no locks, the draft itself names its writer.

const lockSuffix = ".lock"

// errHeld: somebody else holds the lock.
var errHeld = errors.New("open in another muster")

// errNoLocks: the file system has no locks.
var errNoLocks = errors.New("no locks on this file system")

// flock takes the lock of an open file without waiting.
type flock func(*os.File) error

func systemLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EINVAL):
			return errNoLocks
		}
		return err
	}
}

func (s *Store) lockPath(id string) string { return filepath.Join(s.dir, id+lockSuffix) }

// acquire takes the lock of a draft.
func (s *Store) acquire(id string) (*os.File, error) {
	for {
		f, err := os.OpenFile(s.lockPath(id), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := s.flock(f); err != nil {
			if errors.Is(err, errNoLocks) {
				_ = os.Remove(s.lockPath(id)) // it is of no use to anybody
			}
			return nil, errors.Join(err, f.Close())
		}
		// Whoever held it may have removed the file between the two steps: then it is the lock of nothing.
		now, errNow := os.Stat(s.lockPath(id))
		held, errHeld := f.Stat()
		if errNow == nil && errHeld == nil && os.SameFile(now, held) {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// hold takes the lock of a draft, or keeps it. locked is false when there is none to be had: on a file system without
// locks, or while another muster has the draft open and this one was told to open it nevertheless.
func (s *Store) hold(id string) (locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[id] != nil {
		return true
	}
	f, err := s.acquire(id)
	if err != nil {
		return false
	}
	s.held[id] = f
	return true
}

// free gives the lock of a draft back.
func (s *Store) free(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.held[id]
	if f == nil {
		return nil
	}
	delete(s.held, id)
	return errors.Join(os.Remove(s.lockPath(id)), f.Close()) // in this order: see acquire
}

// open tells whether a draft is open, in another muster or in another form of this one.
func (s *Store) open(f file) bool {
	s.mu.Lock()
	mine := s.held[f.ID] != nil
	s.mu.Unlock()
	if mine {
		return false
	}
	return s.locked(f.ID) || living(f)
}

// locked tells whether another one holds the lock of a draft. What is left of a muster that was killed is removed.
func (s *Store) locked(id string) bool {
	if _, err := os.Stat(s.lockPath(id)); err != nil {
		return false
	}
	lock, err := s.acquire(id)
	if err == nil {
		_ = os.Remove(s.lockPath(id))
		_ = lock.Close()
	}
	return errors.Is(err, errHeld)
}

// living tells whether the process that a draft names, on this machine, still runs. Of another machine that shares the
// directory nothing is known: its drafts count as left.
func living(f file) bool {
	if f.PID <= 0 || f.PID == os.Getpid() {
		return false
	}
	if here, err := os.Hostname(); err != nil || here != f.Host {
		return false
	}
	if syscall.Kill(f.PID, 0) != nil { // also that of another user: the number was given anew
		return false
	}
	return f.Started == "" || f.Started == startOf(f.PID)
}

// startOf is when a process began, in the system's own count: with the number it names a process for good. It is ""
// where the system does not tell.
func startOf(pid int) string {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	// The name, in brackets, may hold anything; the start is the 20th field after it.
	_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}
