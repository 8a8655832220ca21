package instance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrHeld says that another process holds the data directory.
var ErrHeld = errors.New("the data directory is in use")

// Lock is the hold on a data directory. The kernel lets go of it when the holder ends, however it ends: the holder and
// every process that has inherited File, so that a directory is free only when the last component of a killed daemon is
// gone as well.
type Lock struct{ file *os.File }

// File is what a component inherits.
func (l *Lock) File() *os.File { return l.file }

// Acquire takes the data directory for this process. It waits for the components of a killed daemon, which end by
// themselves; a daemon that lives is ErrHeld.
func (d Dir) Acquire(ctx context.Context) (*Lock, error) {
	for {
		l, err := d.tryAcquire()
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		if pid, errPID := d.Holder(); errPID == nil && pid != 0 && syscall.Kill(pid, 0) == nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (d Dir) tryAcquire() (*Lock, error) {
	f, err := os.OpenFile(d.Path("lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrHeld
		}
		return nil, fmt.Errorf("lock %s: %w", d, err)
	}
	// The pid is for a person and for `down`; whether anyone holds the directory is the lock's to say.
	if err := errors.Join(f.Truncate(0), writeAt(f, strconv.Itoa(os.Getpid()))); err != nil {
		f.Close()
		return nil, err
	}
	return &Lock{f}, nil
}

func writeAt(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// Release lets go.
func (l *Lock) Release() error { return l.file.Close() }

// Holder is the pid of the process that holds the directory, 0 if none does.
func (d Dir) Holder() (int, error) {
	f, err := os.Open(d.Path("lock"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		return 0, nil // closing the file lets go of the shared lock
	}
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return 0, err
	}
	text, err := os.ReadFile(d.Path("lock"))
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return 0, fmt.Errorf("%s is held by a process that has not said which it is", d)
	}
	return pid, nil
}

// WaitFree waits until nobody holds the directory.
func (d Dir) WaitFree(ctx context.Context) error {
	for {
		pid, err := d.Holder()
		if err == nil && pid == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d still holds %s: %w", pid, d, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
