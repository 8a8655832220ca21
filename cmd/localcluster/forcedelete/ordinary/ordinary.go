// Package ordinary lets tests that root runs see what an ordinary user sees: to root no directory is closed.
package ordinary

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// ID is the user and group that Do's function has on the file system when root calls Do: nobody's.
const ID = 65534

// Dir is a directory for the test in which an ordinary user may write.
func Dir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Do runs f with the rights of an ordinary user: this one, or with root's rights given up. What f starts in other goroutines
// keeps the rights of its starter.
func Do(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, and so does what it has given up
		if unix.Geteuid() == 0 {
			// The raw calls are this thread's alone, the syscall package's would be the whole process's.
			for _, call := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
				if _, _, errno := unix.RawSyscall(call, ID, ID, ID); errno != 0 {
					done <- errno
					return
				}
			}
		}
		done <- f()
	}()
	return <-done
}
