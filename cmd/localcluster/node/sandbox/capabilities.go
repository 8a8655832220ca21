package sandbox

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// capabilityNames are in the order of their numbers.
func capabilityNames() []string {
	return []string{"CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP",
		"LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER",
		"SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
		"SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP",
		"MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF",
		"CHECKPOINT_RESTORE"}
}

// DefaultCapabilities are what container runtimes give root of a container.
func DefaultCapabilities() []string {
	return []string{"CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID", "SETFCAP",
		"SETPCAP", "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"}
}

// limitCapabilities takes all others from what the calling thread will exec. The thread itself keeps what it has: it may
// still have to change its user.
func limitCapabilities(keep []string) error {
	if keep == nil {
		return nil
	}
	for i, name := range capabilityNames() {
		if slices.Contains(keep, name) {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(i), 0, 0, 0)
		if err != nil && err != unix.EINVAL { // one that this kernel does not know
			return fmt.Errorf("dropping CAP_%s: %w", name, err)
		}
	}
	return nil
}

// setGroups is the calling thread's alone; the syscall package's would be every thread's.
func setGroups(groups []uint32) error {
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&groups[0])), 0)
	if errno != 0 {
		return fmt.Errorf("setgroups: %w", errno)
	}
	return nil
}
