package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// containerMain is a container's first process until it becomes the container's command. It is alone in new PID and
// mount namespaces, inside the pod's others.
func containerMain() error {
	runtime.LockOSThread() // credentials are a thread's, and exec keeps those of the thread that calls it
	what, trouble := os.NewFile(3, "what"), os.NewFile(4, "trouble")
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	err := becomeCommand(what)
	fmt.Fprint(trouble, err)
	return err
}

// becomeCommand returns only with an error.
func becomeCommand(what *os.File) error {
	var spec Spec
	if err := json.NewDecoder(what).Decode(&spec); err != nil {
		return err
	}
	what.Close()
	unix.Umask(0)
	if err := enterRoot(&spec); err != nil {
		return err
	}
	unix.Umask(0o022)
	dir, err := workingDir(spec.Dir)
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	path, err := lookPath(spec.Args, spec.Env)
	if err != nil {
		return err
	}
	if err := limitCapabilities(spec.Capabilities); err != nil {
		return err
	}
	if err := becomeUser(spec.User); err != nil {
		return err
	}
	return fmt.Errorf("exec %q: %w", path, syscall.Exec(path, spec.Args, spec.Env))
}

// workingDir makes the working directory if it is missing, as container runtimes do.
func workingDir(dir string) (string, error) {
	if dir == "" {
		return "/", nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	return dir, nil
}

// lookPath finds a command in the PATH of the environment that it will get.
func lookPath(args, env []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("no command")
	}
	name := args[0]
	if strings.Contains(name, "/") {
		if err := executable(name); err != nil {
			return "", fmt.Errorf("exec: %q: %w", name, err)
		}
		return name, nil
	}
	path := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	if name != "" {
		for _, dir := range filepath.SplitList(path) {
			if p := filepath.Join(dir, name); filepath.IsAbs(p) && executable(p) == nil {
				return p, nil
			}
		}
	}
	return "", fmt.Errorf("exec: %q: executable file not found in $PATH", name)
}

func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file or directory")
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("is a directory")
	case info.Mode()&0o111 == 0:
		return errors.New("permission denied")
	}
	return nil
}

// becomeUser gives the calling thread another user.
func becomeUser(u *User) error {
	if u == nil {
		return nil
	}
	groups := make([]uint32, len(u.Groups)+1)
	groups[0] = u.GID
	copy(groups[1:], u.Groups)
	for _, step := range []struct {
		name    string
		trap    uintptr
		a, b, c uintptr
	}{
		{"setgid", unix.SYS_SETRESGID, uintptr(u.GID), uintptr(u.GID), uintptr(u.GID)},
		{"setuid", unix.SYS_SETRESUID, uintptr(u.UID), uintptr(u.UID), uintptr(u.UID)},
	} {
		if step.name == "setgid" {
			if err := setGroups(groups); err != nil {
				return noUser(u, err)
			}
		}
		if _, _, errno := unix.RawSyscall(step.trap, step.a, step.b, step.c); errno != 0 {
			return noUser(u, fmt.Errorf("%s: %w", step.name, errno))
		}
	}
	return nil
}

func noUser(u *User, err error) error {
	return fmt.Errorf("running as user %d, group %d: %w (a local cluster started by an ordinary user has user 0 only, one started by root has all)", u.UID, u.GID, err)
}
