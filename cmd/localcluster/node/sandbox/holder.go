package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// holder is the first process of the namespaces in which all pods live.
type holder struct {
	network *network
	mu      sync.Mutex
	pods    map[string]*heldPod
}

// heldPod is a pod as its holder has it.
type heldPod struct {
	name          string
	net, uts, ipc *os.File
	address       *address

	mu         sync.Mutex
	closed     bool
	containers map[string]*heldContainer
	tmpfs      []string
}

// heldContainer is a container that runs.
type heldContainer struct {
	process  *os.Process
	mnt, pid *os.File
}

func holderMain() error {
	control, err := newConn(os.NewFile(3, "control"))
	if err != nil {
		return err
	}
	h := &holder{pods: map[string]*heldPod{}}
	able := h.prepare()
	for {
		var r request
		files, err := control.receive(&r)
		if errors.Is(err, io.EOF) {
			return nil // the starter is gone: process 1 ends, and the kernel ends all others
		}
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		c, err := newConn(files[0])
		if err != nil {
			closeAll(files)
			continue
		}
		go func() {
			defer c.close()
			defer closeAll(files[1:])
			err := able
			if err == nil {
				err = h.serve(r, c, files[1:])
			}
			if err != nil {
				_ = c.send(reply{Error: err.Error()})
			}
		}()
	}
}

// prepare makes the surroundings of all pods; its error says what the machine does not permit.
func (h *holder) prepare() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	var err error
	if h.network, err = newNetwork(); err != nil {
		return fmt.Errorf("making the pods' network: %w", err)
	}
	return nil
}

// serve answers one request on its connection.
func (h *holder) serve(r request, c *conn, files []*os.File) error {
	switch r.Op {
	case opPing:
		return c.send(reply{})
	case opPod:
		p, err := h.newPod(r.Pod)
		if err != nil {
			return err
		}
		return c.send(reply{IP: p.address.String()})
	}
	p, err := h.pod(r.Pod.Name)
	if err != nil {
		return err
	}
	switch r.Op {
	case opClosePod:
		h.closePod(p)
		return c.send(reply{})
	case opTmpfs:
		if err := p.mountTmpfs(r.Path, r.Size); err != nil {
			return err
		}
		return c.send(reply{})
	case opFreeze:
		if err := h.freeze(p, r.Freeze); err != nil {
			return err
		}
		return c.send(reply{})
	case opDial:
		f, err := p.dial(r.Port)
		if err != nil {
			return err
		}
		defer f.Close()
		return c.send(reply{}, f)
	case opRun:
		return p.run(*r.Spec, c, files)
	case opExec:
		return p.exec(*r.Spec, c, files)
	}
	return fmt.Errorf("unknown operation %q", r.Op)
}

func (h *holder) pod(name string) (*heldPod, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.pods[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no pod %s", name)
}

func (h *holder) newPod(spec PodSpec) (*heldPod, error) {
	p := &heldPod{name: spec.Name, containers: map[string]*heldContainer{}}
	h.mu.Lock()
	if h.pods[p.name] != nil {
		h.mu.Unlock()
		return nil, fmt.Errorf("pod %s exists", p.name)
	}
	h.pods[p.name] = p
	h.mu.Unlock()
	err := onOwnThread(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC); err != nil {
			return fmt.Errorf("a pod's namespaces: %w", err)
		}
		if err := unix.Sethostname([]byte(spec.Hostname)); err != nil {
			return fmt.Errorf("host name %q: %w", spec.Hostname, err)
		}
		var err error
		for kind, f := range map[string]**os.File{"net": &p.net, "uts": &p.uts, "ipc": &p.ipc} {
			if *f, err = threadNamespace(kind); err != nil {
				return err
			}
		}
		p.address, err = h.network.join(p.net)
		return err
	})
	if err != nil {
		h.closePod(p)
		return nil, err
	}
	return p, nil
}

// closePod ends a pod's containers and frees what it had.
func (h *holder) closePod(p *heldPod) {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.containers {
		_ = c.process.Signal(syscall.SIGKILL)
	}
	mounts := p.tmpfs
	p.tmpfs = nil
	p.mu.Unlock()
	for _, m := range mounts {
		_ = unix.Unmount(m, unix.MNT_DETACH)
	}
	if p.address != nil {
		h.network.leave(p.address)
	}
	p.mu.Lock()
	closeAll([]*os.File{p.net, p.uts, p.ipc})
	p.mu.Unlock()
	h.mu.Lock()
	delete(h.pods, p.name)
	h.mu.Unlock()
}

func (p *heldPod) mountTmpfs(dir string, size int64) error {
	options := "mode=1777"
	if size > 0 {
		options += fmt.Sprintf(",size=%d", size)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mounting a tmpfs on %s: %w", dir, err)
	}
	p.mu.Lock()
	p.tmpfs = append(p.tmpfs, dir)
	p.mu.Unlock()
	return nil
}
