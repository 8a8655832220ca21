package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// run starts a container and stays with it until it ends.
func (p *heldPod) run(spec Spec, c *conn, files []*os.File) error {
	if len(files) != 3 {
		return errors.New("a container needs three files")
	}
	what, whatFar, err := os.Pipe()
	if err != nil {
		return err
	}
	defer what.Close()
	trouble, troubleFar, err := os.Pipe()
	if err != nil {
		whatFar.Close()
		return err
	}
	defer trouble.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{containerName}
	cmd.Env = []string{} // the command's own environment is in the spec
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.ExtraFiles = []*os.File{what, troubleFar}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS, Setsid: true}
	shared, err := p.open("")
	if err == nil {
		err = onOwnThread(func() error {
			if err := shared.enter(); err != nil {
				return err
			}
			return cmd.Start()
		})
		shared.close()
	}
	troubleFar.Close()
	closeAll(files)
	if err != nil {
		whatFar.Close()
		return fmt.Errorf("starting a container's first process: %w", err)
	}
	go func() {
		_ = json.NewEncoder(whatFar).Encode(spec)
		whatFar.Close()
	}()
	// The far end closes by itself when the command takes the process over.
	if said, err := io.ReadAll(trouble); err != nil || len(said) > 0 {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return errors.New(string(said))
	}
	held, err := holdContainer(cmd.Process)
	if err == nil {
		err = p.add(spec.Container, held)
	}
	if err != nil {
		_ = cmd.Process.Kill()
	}
	defer p.remove(spec.Container, held)
	return follow(cmd, c, nil)
}

// holdContainer opens the namespaces of a container. One that has ended already has none and needs none.
func holdContainer(process *os.Process) (*heldContainer, error) {
	held := &heldContainer{process: process}
	for kind, f := range map[string]**os.File{"mnt": &held.mnt, "pid": &held.pid} {
		var err error
		*f, err = os.Open(fmt.Sprintf("/proc/%d/ns/%s", process.Pid, kind))
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			return held, err
		}
	}
	return held, nil
}

func (p *heldPod) add(name string, c *heldContainer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("the pod has ended")
	}
	if p.containers[name] != nil {
		return fmt.Errorf("container %s runs already", name)
	}
	p.containers[name] = c
	return nil
}

func (p *heldPod) remove(name string, c *heldContainer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.containers[name] == c {
		delete(p.containers, name)
	}
	closeAll([]*os.File{c.mnt, c.pid}) // closing a nil file is an error that nobody needs
}

// exec starts a process in a running container and stays with it until it ends.
func (p *heldPod) exec(spec Spec, c *conn, files []*os.File) error {
	if !spec.TTY && len(files) != 3 {
		return errors.New("a process needs three files or a terminal")
	}
	inside, err := p.open(spec.Container)
	if err != nil {
		return err
	}
	defer inside.close()
	var terminal *os.File
	cmd := &exec.Cmd{Args: spec.Args, Env: spec.Env, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	err = onOwnThread(func() error {
		if err := inside.enter(); err != nil {
			return err
		}
		if spec.TTY {
			near, far, err := openTerminal(spec.Rows, spec.Cols)
			if err != nil {
				return err
			}
			terminal, files = near, []*os.File{far, far, far}
			cmd.SysProcAttr.Setctty = true
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
		var err error
		if cmd.Dir, err = workingDir(spec.Dir); err != nil {
			return err
		}
		if cmd.Path, err = lookPath(spec.Args, spec.Env); err != nil {
			return err
		}
		if err := limitCapabilities(spec.Capabilities); err != nil {
			return err
		}
		if u := spec.User; u != nil {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: u.UID, Gid: u.GID, Groups: u.Groups}
		}
		return cmd.Start()
	})
	closeAll(files)
	if err != nil {
		if terminal != nil {
			terminal.Close()
		}
		return err
	}
	return follow(cmd, c, terminal)
}

// openTerminal makes a terminal of the container whose mount namespace the calling thread is in.
func openTerminal(rows, cols uint16) (near, far *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("opening a terminal: %w", err)
	}
	near = os.NewFile(uintptr(fd), "terminal")
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		near.Close()
		return nil, nil, fmt.Errorf("unlocking a terminal: %w", err)
	}
	if rows > 0 && cols > 0 {
		_ = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: cols})
	}
	// By its path it could be another mount's; the argument is the flags it is opened with, for which x/sys has no helper.
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		near.Close()
		return nil, nil, fmt.Errorf("the terminal's far side: %w", errno)
	}
	return near, os.NewFile(peer, "terminal"), nil
}

// follow tells the other side that the process runs, sends it the signals asked for, and tells how it ended. When the
// other side goes away, the process is killed.
func follow(cmd *exec.Cmd, c *conn, terminal *os.File) error {
	started := []*os.File{}
	if terminal != nil {
		started = append(started, terminal)
	}
	_ = c.send(reply{}, started...)
	closeAll(started)
	go func() {
		for {
			var r request
			if _, err := c.receive(&r); err != nil {
				_ = cmd.Process.Kill()
				return
			}
			_ = cmd.Process.Signal(syscall.Signal(r.Signal))
		}
	}()
	_ = cmd.Wait()
	exit := Exit{Code: cmd.ProcessState.ExitCode()}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit = Exit{Code: 128 + int(status.Signal()), Signal: int(status.Signal())}
	}
	return c.send(reply{Exited: &exit})
}
