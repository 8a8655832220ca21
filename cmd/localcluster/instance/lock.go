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
		if daemon, errPID := d.daemon(); errPID == nil && d.holds(daemon) {
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
	// The pid tells the daemon from its components; who holds the directory is the kernel's to say.
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

// Free says whether nobody holds the directory.
func (d Dir) Free() (bool, error) {
	f, err := os.Open(d.Path("lock"))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	defer f.Close() // which lets go of the shared lock
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// daemon is the pid of the daemon that took the directory last; it may be gone, and its pid another program's.
func (d Dir) daemon() (int, error) {
	text, err := os.ReadFile(d.Path("lock"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// WaitFree waits until nobody holds the directory.
func (d Dir) WaitFree(ctx context.Context) error {
	for {
		free, err := d.Free()
		if err == nil && free {
			return nil
		}
		select {
		case <-ctx.Done():
			holders, errHolders := d.Holders()
			return errors.Join(fmt.Errorf("%s is still held by %v: %w", d, holders, ctx.Err()), err, errHolders)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
