package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	"github.com/virtual-kubelet/virtual-kubelet/node/api"
	"golang.org/x/sys/unix"
	"k8s.io/utils/exec"
	"muster.dev/muster/cmd/localcluster/node/podlog"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

// runningPod is a pod that has not ended, by name.
func (k *kubelet) runningPod(namespace, name string) (*pod, error) {
	for _, p := range k.byName(namespace, name) {
		p.mu.Lock()
		here := p.sandbox != nil && !p.ended
		node := p.spec.Spec.NodeName
		p.mu.Unlock()
		if here && k.isDead(node) {
			return nil, fmt.Errorf("node %s does not answer", node)
		}
		if here {
			return p, nil
		}
	}
	return nil, errdefs.NotFoundf("pod %s/%s does not run", namespace, name)
}

// exec runs a command in a container, with its streams at the client.
func (k *kubelet) exec(ctx context.Context, namespace, podName, name string, args []string, attach api.AttachIO) error {
	p, err := k.runningPod(namespace, podName)
	if err != nil {
		return err
	}
	c := p.find(name)
	if c == nil {
		return errdefs.NotFoundf("container %s not found in pod %s", name, podName)
	}
	p.mu.Lock()
	running, spec := c.process != nil, inContainer(c.command)
	p.mu.Unlock()
	if !running {
		return errdefs.InvalidInputf("container %s does not run", name)
	}
	spec.Args = args
	if attach.TTY() {
		return execTerminal(ctx, p.sandbox, spec, attach)
	}
	return execPipes(ctx, p.sandbox, spec, attach)
}

// execPipes runs a command with a pipe for each stream.
func execPipes(ctx context.Context, pod *sandbox.Pod, spec sandbox.Spec, attach api.AttachIO) error {
	in, inNear, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	out, outFar, err := os.Pipe()
	if err != nil {
		inNear.Close()
		return err
	}
	defer outFar.Close()
	errs, errsFar, err := os.Pipe()
	if err != nil {
		inNear.Close()
		out.Close()
		return err
	}
	defer errsFar.Close()
	process, err := pod.Exec(ctx, spec, in, outFar, errsFar)
	outFar.Close()
	errsFar.Close()
	in.Close()
	if err != nil {
		inNear.Close()
		out.Close()
		errs.Close()
		return err
	}
	go func() {
		defer inNear.Close()
		if r := attach.Stdin(); r != nil {
			_, _ = io.Copy(inNear, r) // ends with the client's stream, at the latest when this request does
		}
	}()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		var streams sync.WaitGroup
		streams.Go(func() { drain(attach.Stdout(), out) })
		streams.Go(func() { drain(attach.Stderr(), errs) })
		streams.Wait()
	}()
	return wait(ctx, process, copied)
}

// drain copies to the client, and reads on when the client takes no more, so that the command does not block.
func drain(w io.WriteCloser, r *os.File) {
	defer r.Close()
	if w != nil {
		if _, err := io.Copy(w, r); err == nil {
			return
		}
	}
	_, _ = io.Copy(io.Discard, r)
}

// wait waits for the command and its output; when the client goes away, the command is killed.
func wait(ctx context.Context, process *sandbox.Proc, copied <-chan struct{}) error {
	select {
	case <-process.Done():
	case <-ctx.Done():
		_ = process.Kill()
		return ctx.Err()
	}
	select {
	case <-copied: // what the command left running may hold the streams open, as with any container
	case <-ctx.Done():
		return ctx.Err()
	}
	if code := process.Exit().Code; code != 0 {
		return exec.CodeExitError{Err: fmt.Errorf("command terminated with exit code %d", code), Code: code}
	}
	return nil
}

// execTerminal runs a command with a terminal.
func execTerminal(ctx context.Context, pod *sandbox.Pod, spec sandbox.Spec, attach api.AttachIO) error {
	spec.TTY = true
	spec.Env = append([]string{"TERM=xterm"}, spec.Env...)
	process, err := pod.Exec(ctx, spec, nil, nil, nil)
	if err != nil {
		return err
	}
	if process.TTY == nil {
		_ = process.Kill()
		return errors.New("no terminal came back")
	}
	if err := unix.SetNonblock(int(process.TTY.Fd()), true); err != nil {
		return err
	}
	terminal := os.NewFile(uintptr(dup(process.TTY)), "terminal") // known to the poller, so that Close ends a Read
	process.TTY.Close()
	defer terminal.Close()
	go func() {
		if r := attach.Stdin(); r != nil {
			_, _ = io.Copy(terminal, r)
		}
	}()
	go resize(ctx, process, terminal, attach.Resize())
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(attach.Stdout(), terminal) // EIO when the far side is closed
	}()
	return wait(ctx, process, copied)
}

func dup(f *os.File) int {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// resize gives the terminal the sizes that the client's has.
func resize(ctx context.Context, process *sandbox.Proc, terminal *os.File, sizes <-chan api.TermSize) {
	raw, err := terminal.SyscallConn()
	if err != nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-process.Done():
			return
		case size, ok := <-sizes:
			if !ok {
				return
			}
			_ = raw.Control(func(fd uintptr) {
				_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Height, Col: size.Width})
			})
		}
	}
}

// attach shows what a container writes from now on. It has no input to give to.
func (k *kubelet) attach(ctx context.Context, namespace, podName, name string, attach api.AttachIO) error {
	p, err := k.runningPod(namespace, podName)
	if err != nil {
		return err
	}
	if attach.Stdin() != nil {
		return errdefs.InvalidInput("a local cluster's containers take no input; use exec")
	}
	log, err := k.logFile(p.current(), name, false)
	if err != nil {
		return err
	}
	return log.Copy(ctx, attach.Stdout(), podlog.Options{Follow: true, Tail: new(int64)}, nil)
}

// portForward connects a stream of the client with a port of the pod.
func (k *kubelet) portForward(ctx context.Context, namespace, name string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	p, err := k.runningPod(namespace, name)
	if err != nil {
		return err
	}
	c, err := p.sandbox.Dial(ctx, int(port))
	if err != nil {
		return err
	}
	defer c.Close()
	go func() {
		_, _ = io.Copy(c, stream)
		if half, ok := c.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(stream, c)
	return err
}
