package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Host is the starter's side of a holder.
type Host struct {
	control *conn
	cmd     *exec.Cmd
	done    chan struct{}
	closing sync.Once
}

// permission is what Start's error says of a machine that does not permit what is needed.
const permission = `pods need user namespaces with mounts and networks in them, and this machine does not permit them to this user.
One or more of these permit them:
  sysctl user.max_user_namespaces=65536 user.max_net_namespaces=65536
  sysctl kernel.unprivileged_userns_clone=1                  (Debian)
  sysctl kernel.apparmor_restrict_unprivileged_userns=0      (Ubuntu 23.10 and newer)
  inside a container: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined …`

// Start starts a holder. The program's main must call ReexecMain first.
func Start(ctx context.Context) (*Host, error) {
	control, peer, err := connPair()
	if err != nil {
		return nil, err
	}
	defer peer.Close()
	h := &Host{control: control, done: make(chan struct{})}
	h.cmd = exec.Command("/proc/self/exe")
	h.cmd.Args = []string{holderName}
	h.cmd.Env = os.Environ()
	h.cmd.ExtraFiles = []*os.File{peer}
	h.cmd.Stderr = os.Stderr
	if h.cmd.SysProcAttr, err = holderAttributes(); err != nil {
		control.close()
		return nil, err
	}
	started := make(chan error, 1)
	go func() {
		// The kernel sends the death signal when the thread that started the holder ends, so that thread waits here.
		runtime.LockOSThread()
		if err := h.cmd.Start(); err != nil {
			close(h.done)
			started <- err
			return
		}
		started <- nil
		_ = h.cmd.Wait()
		close(h.done)
	}()
	if err := <-started; err != nil {
		control.close()
		return nil, fmt.Errorf("%s\n(starting the pods' namespaces: %w)", permission, err)
	}
	if _, err := h.ask(ctx, request{Op: opPing}); err != nil {
		h.Close()
		return nil, fmt.Errorf("%s\n(%w)", permission, err)
	}
	return h, nil
}

// holderAttributes maps every user and group that this process has if it may, else itself to root.
func holderAttributes() (*syscall.SysProcAttr, error) {
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  unix.SIGKILL,
		Setsid:     true, // a ^C at the terminal is for the starter alone
	}
	if os.Geteuid() != 0 {
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
		return a, nil
	}
	var err error
	if a.UidMappings, err = identityMap("/proc/self/uid_map"); err != nil {
		return nil, err
	}
	if a.GidMappings, err = identityMap("/proc/self/gid_map"); err != nil {
		return nil, err
	}
	setgroups, err := os.ReadFile("/proc/self/setgroups")
	if err != nil {
		return nil, err
	}
	a.GidMappingsEnableSetgroups = strings.TrimSpace(string(setgroups)) == "allow" // what is denied here cannot be allowed below
	return a, nil
}

func identityMap(file string) ([]syscall.SysProcIDMap, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var ids []syscall.SysProcIDMap
	for line := range strings.Lines(string(b)) {
		var inside, outside, size int
		if _, err := fmt.Sscan(line, &inside, &outside, &size); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		ids = append(ids, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
	}
	return ids, nil
}

// Done is closed when the holder, and with it every process of every pod, has ended.
func (h *Host) Done() <-chan struct{} { return h.done }

// Close ends every process of every pod and returns when they are gone.
func (h *Host) Close() {
	h.closing.Do(func() {
		_ = h.cmd.Process.Kill()
		h.control.close()
	})
	<-h.done
}

// Pid of the holder.
func (h *Host) Pid() int { return h.cmd.Process.Pid }

// open sends a request with a connection of its own.
func (h *Host) open(r request, files ...*os.File) (*conn, error) {
	c, peer, err := connPair()
	if err != nil {
		return nil, err
	}
	defer peer.Close()
	if err := h.control.send(r, append([]*os.File{peer}, files...)...); err != nil {
		c.close()
		return nil, fmt.Errorf("the pods' holder is gone: %w", err)
	}
	return c, nil
}

// ask sends a request that has one answer.
func (h *Host) ask(ctx context.Context, r request, files ...*os.File) (*answer, error) {
	c, err := h.open(r, files...)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.answer(ctx)
}

type answer struct {
	reply
	files []*os.File
}

// answer waits for a reply; ctx's end closes the connection.
func (c *conn) answer(ctx context.Context) (*answer, error) {
	stop := context.AfterFunc(ctx, func() { c.close() })
	defer stop()
	var a answer
	var err error
	a.files, err = c.receive(&a.reply)
	switch {
	case ctx.Err() != nil:
		closeAll(a.files)
		return nil, ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return nil, errors.New("the pods' holder has ended")
	case err != nil:
		return nil, err
	case a.Error != "":
		closeAll(a.files)
		return nil, errors.New(a.Error)
	}
	return &a, nil
}
