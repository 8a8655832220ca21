package sandbox

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

// Pod is a set of containers that share a network address, a host name and IPC.
type Pod struct {
	// IP is the pod's address on the pods' network.
	IP   string
	host *Host
	spec PodSpec
}

// NewPod makes a pod without containers.
func (h *Host) NewPod(ctx context.Context, spec PodSpec) (*Pod, error) {
	a, err := h.ask(ctx, request{Op: opPod, Pod: spec})
	if err != nil {
		return nil, err
	}
	return &Pod{IP: a.IP, host: h, spec: spec}, nil
}

// Close kills what runs in the pod and gives its address back.
func (p *Pod) Close(ctx context.Context) error {
	_, err := p.host.ask(ctx, request{Op: opClosePod, Pod: p.spec})
	return err
}

// Tmpfs mounts a tmpfs of a size in bytes (0: the kernel's default) on a directory of this machine. Only the
// pod's containers can see it; it ends with the pod.
func (p *Pod) Tmpfs(ctx context.Context, dir string, size int64) error {
	_, err := p.host.ask(ctx, request{Op: opTmpfs, Pod: p.spec, Path: dir, Size: size})
	return err
}

// Freeze stops all processes of the pod and cuts its network, or undoes that.
func (p *Pod) Freeze(ctx context.Context, frozen bool) error {
	_, err := p.host.ask(ctx, request{Op: opFreeze, Pod: p.spec, Freeze: frozen})
	return err
}

// Dial connects to a TCP port on the pod's loopback.
func (p *Pod) Dial(ctx context.Context, port int) (net.Conn, error) {
	a, err := p.host.ask(ctx, request{Op: opDial, Pod: p.spec, Port: port})
	if err != nil {
		return nil, err
	}
	defer closeAll(a.files)
	if len(a.files) != 1 {
		return nil, errors.New("no socket came back")
	}
	return net.FileConn(a.files[0])
}

// Proc is a running process: a container's first, or one that Exec started.
type Proc struct {
	// TTY is the terminal's near side, for an Exec that asked for one; the caller closes it.
	TTY  *os.File
	conn *conn
	done chan struct{}
	exit atomic.Pointer[Exit]
}

// Run starts a container. It returns when the command itself runs, or with the reason why it cannot. The files are
// the command's and may be closed afterwards.
func (p *Pod) Run(ctx context.Context, spec Spec, stdin, stdout, stderr *os.File) (*Proc, error) {
	return p.start(ctx, opRun, spec, stdin, stdout, stderr)
}

// Exec starts a process inside a running container. With a TTY no files are needed.
func (p *Pod) Exec(ctx context.Context, spec Spec, stdin, stdout, stderr *os.File) (*Proc, error) {
	if spec.TTY {
		return p.start(ctx, opExec, spec)
	}
	return p.start(ctx, opExec, spec, stdin, stdout, stderr)
}

func (p *Pod) start(ctx context.Context, op operation, spec Spec, files ...*os.File) (*Proc, error) {
	c, err := p.host.open(request{Op: op, Pod: p.spec, Spec: &spec}, files...)
	if err != nil {
		return nil, err
	}
	a, err := c.answer(ctx)
	if err != nil {
		c.close()
		return nil, err
	}
	proc := &Proc{conn: c, done: make(chan struct{})}
	if len(a.files) == 1 {
		proc.TTY = a.files[0]
	}
	go proc.watch()
	return proc, nil
}

func (p *Proc) watch() {
	defer close(p.done)
	defer p.conn.close()
	var r reply
	if files, err := p.conn.receive(&r); err != nil || r.Exited == nil {
		closeAll(files)
		p.exit.Store(&Exit{Code: 128 + int(syscall.SIGKILL), Signal: int(syscall.SIGKILL), Lost: true})
		return
	}
	p.exit.Store(r.Exited)
}

// Done is closed when the process has ended.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Exit says how the process ended; only after Done.
func (p *Proc) Exit() Exit { return *p.exit.Load() }

// Signal sends a signal to the process.
func (p *Proc) Signal(sig syscall.Signal) error {
	return p.conn.send(request{Op: opSignal, Signal: int(sig)})
}

// Kill ends the process, and with a container's first process everything in the container.
func (p *Proc) Kill() error { return p.Signal(syscall.SIGKILL) }
