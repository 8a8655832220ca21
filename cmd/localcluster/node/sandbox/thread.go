package sandbox

import (
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

// enter moves the calling thread into a namespace.
func enter(ns *os.File, kind int) error {
	return os.NewSyscallError("setns", unix.Setns(int(ns.Fd()), kind))
}

// threadNamespace opens a namespace of the calling thread.
func threadNamespace(kind string) (*os.File, error) {
	return os.Open("/proc/thread-self/ns/" + kind)
}
