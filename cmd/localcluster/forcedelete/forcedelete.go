// Package forcedelete deletes what pods left behind. A pod run by an ordinary user is that user on this machine, and may
// leave directories that the user's own rights forbid to empty: chmod 555, as caches and package managers do.
package forcedelete

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// All is os.RemoveAll, which on the way gives the owner every right on directories that are this user's own. It follows no
// symbolic link: neither what one leads to nor its rights change. A path that is not there is no error.
func All(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if opening := open(unix.AT_FDCWD, path); opening != nil {
		return errors.Join(err, opening)
	}
	return os.RemoveAll(path)
}

// open gives the owner every right on a directory and all those below it.
func open(parent int, name string) error {
	// O_PATH needs no right on the directory itself, and a descriptor cannot be exchanged for a link as a path can.
	at, err := unix.Openat(parent, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOENT) {
		return nil // nothing to be opened, or gone meanwhile
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if err := unix.Fstat(at, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	if int(st.Uid) == os.Geteuid() && st.Mode&0o700 != 0o700 {
		// fchmod refuses an O_PATH descriptor, its entry in /proc leads to the same directory.
		if err := unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", at), st.Mode&0o7777|0o700); err != nil {
			return &fs.PathError{Op: "chmod", Path: name, Err: err}
		}
	}
	fd, err := unix.Openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	errs := []error{err}
	for _, e := range entries {
		if e.IsDir() {
			errs = append(errs, open(fd, e.Name()))
		}
	}
	return errors.Join(errs...)
}
