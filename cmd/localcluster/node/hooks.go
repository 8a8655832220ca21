package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

// postStart runs the hook after a start. Until it is done the container counts as running, as on a real node.
func (c *container) postStart() error {
	if l := c.spec().Lifecycle; l != nil && l.PostStart != nil {
		return c.hook(c.pod.grace, l.PostStart)
	}
	return nil
}

// preStop runs the hook before SIGTERM, within the pod's time.
func (c *container) preStop() error {
	if l := c.spec().Lifecycle; l != nil && l.PreStop != nil {
		return c.hook(c.pod.grace, l.PreStop)
	}
	return nil
}

func (c *container) hook(ctx context.Context, h *corev1.LifecycleHandler) error {
	switch {
	case h.Exec != nil:
		return c.hookCommand(ctx, h.Exec.Command)
	case h.Sleep != nil:
		sleep(ctx, time.Duration(h.Sleep.Seconds)*time.Second)
		return nil
	}
	return errors.New("a local cluster's nodes run exec and sleep hooks only")
}

// hookCommand runs a command in the container and waits for it.
func (c *container) hookCommand(ctx context.Context, args []string) error {
	c.pod.mu.Lock()
	spec := c.command
	c.pod.mu.Unlock()
	spec.Args = args
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	out, far, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	process, err := c.pod.sandbox.Exec(ctx, inContainer(spec), null, far, far)
	far.Close()
	if err != nil {
		return err
	}
	said := make(chan string, 1)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, io.LimitReader(out, 1024))
		said <- b.String()
	}()
	select {
	case <-process.Done():
	case <-ctx.Done():
		_ = process.Kill()
		<-process.Done()
	}
	if exit := process.Exit(); exit.Code != 0 {
		out.Close() // what it left running may keep the pipe open
		return fmt.Errorf("command '%v' exited with %d: %s", args, exit.Code, <-said)
	}
	return nil
}

// inContainer is a command for a container that is there already.
func inContainer(spec sandbox.Spec) sandbox.Spec {
	spec.Root, spec.Mounts = "", nil
	return spec
}
