package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"muster.dev/muster/cmd/localcluster/node/podlog"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

// container is one container of a pod, over all its runs.
type container struct {
	pod           *pod
	name          string
	init, sidecar bool

	// Guarded by pod.mu.
	status  corev1.ContainerStatus
	log     *podlog.File // of the current or latest run
	process *sandbox.Proc
	command sandbox.Spec // of the current run, for exec
}

func newContainer(p *pod, c *corev1.Container, reason string, init, sidecar bool) *container {
	no := false
	return &container{pod: p, name: c.Name, init: init, sidecar: sidecar, status: corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, Started: &no, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
}

// spec is the container's part of the pod's latest spec.
func (c *container) spec() *corev1.Container {
	spec := c.pod.current()
	for _, list := range [][]corev1.Container{spec.Spec.InitContainers, spec.Spec.Containers} {
		for i := range list {
			if list[i].Name == c.name {
				return &list[i]
			}
		}
	}
	return &corev1.Container{Name: c.name} // containers of a pod cannot be taken away
}

// set changes the container's status and tells of it.
func (c *container) set(f func(*corev1.ContainerStatus)) {
	c.pod.mu.Lock()
	f(&c.status)
	c.pod.mu.Unlock()
	c.pod.changed(c.pod)
}

func (c *container) waitingFor(reason, message string) {
	c.set(func(s *corev1.ContainerStatus) {
		s.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	})
}

// run runs the container, again and again as its restart policy says, until ctx asks it to end. It says whether the last
// run succeeded. up, if any, is closed at the first start.
func (c *container) run(ctx context.Context, up chan struct{}) bool {
	d := c.pod.delays
	delay := backoff{first: d.restart, last: d.restartMax}
	for attempt := 0; ; attempt++ {
		began := time.Now()
		code, ok := c.once(ctx, up)
		if !ok {
			return false
		}
		if ctx.Err() != nil || !c.restarts(code) {
			return code == 0
		}
		if time.Since(began) > d.restartReset {
			attempt = 0
			delay.reset()
		}
		wait := time.Duration(0) // the first time at once
		if attempt > 0 {
			wait = delay.next()
		}
		spec := c.pod.current()
		c.set(func(s *corev1.ContainerStatus) {
			s.LastTerminationState = s.State
			s.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: fmt.Sprintf(
				"back-off %s restarting failed container=%s pod=%s_%s(%s)", wait, c.name, spec.Name, spec.Namespace, c.pod.uid)}}
		})
		if wait > 0 {
			c.pod.event(spec, corev1.EventTypeWarning, "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s_%s(%s)",
				c.name, spec.Name, spec.Namespace, c.pod.uid))
		}
		if !sleep(ctx, wait) {
			// It will not run again: what counts is how it ended.
			c.set(func(s *corev1.ContainerStatus) {
				s.State, s.LastTerminationState = s.LastTerminationState, corev1.ContainerState{}
			})
			return code == 0
		}
		up = nil
		c.set(func(s *corev1.ContainerStatus) { s.RestartCount++ })
	}
}

// restarts says whether a run that ended with this code is followed by another.
func (c *container) restarts(code int32) bool {
	if c.sidecar {
		return true
	}
	switch c.pod.current().Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return code != 0
	}
	return !c.init || code != 0
}

// once runs the container once; false when it was asked to end before it could start.
func (c *container) once(ctx context.Context, up chan struct{}) (code int32, started bool) {
	command, ok := c.prepare(ctx)
	if !ok {
		return 0, false
	}
	began := metav1.Now()
	run := c.runNumber()
	log, err := podlog.Create(c.pod.logPath(c.pod.uid, c.name, run))
	message := c.messageFile(run)
	if err == nil {
		err = os.WriteFile(message, nil, 0o666)
	}
	if err != nil {
		return c.failed(began, err), true
	}
	_ = os.Remove(c.pod.logPath(c.pod.uid, c.name, run-2)) // the last run's and the one before are kept
	defer log.End()
	c.pod.mu.Lock()
	c.log = log
	c.pod.mu.Unlock()
	command.Mounts = append(command.Mounts, sandbox.Mount{Source: message, Target: c.messagePath()})
	c.pod.event(c.pod.current(), corev1.EventTypeNormal, "Created", "Container created: "+c.name)
	process, copied, err := c.start(command, log)
	if err != nil {
		return c.failed(began, err), true
	}
	c.pod.mu.Lock()
	c.process, c.command = process, command
	c.pod.mu.Unlock()
	c.running(began, run)
	if up != nil {
		close(up)
	}
	if hookErr := c.postStart(); hookErr != nil {
		c.pod.event(c.pod.current(), corev1.EventTypeWarning, "FailedPostStartHook", hookErr.Error())
		_ = process.Kill()
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		c.end(process)
	}
	<-copied
	log.End()
	return c.terminated(began, process.Exit(), log, message), true
}

func (c *container) runNumber() int32 {
	c.pod.mu.Lock()
	defer c.pod.mu.Unlock()
	return c.status.RestartCount
}

func logName(run int32) string { return fmt.Sprintf("%d.log", run) }

// messageFile is where this machine has the container's termination message.
func (c *container) messageFile(run int32) string {
	return filepath.Join(c.pod.dir, "messages", fmt.Sprintf("%s-%d", c.name, run))
}

func (c *container) messagePath() string {
	if p := c.spec().TerminationMessagePath; p != "" {
		return p
	}
	return corev1.TerminationMessagePathDefault
}

// start starts the command with its output going to the log; copied is closed when all of that is there.
func (c *container) start(command sandbox.Spec, log *podlog.File) (process *sandbox.Proc, copied chan struct{}, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	out, outFar, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer outFar.Close()
	errs, errsFar, err := os.Pipe()
	if err != nil {
		out.Close()
		return nil, nil, err
	}
	defer errsFar.Close()
	process, err = c.pod.sandbox.Run(c.pod.grace, command, null, outFar, errsFar)
	if err != nil {
		out.Close()
		errs.Close()
		return nil, nil, err
	}
	copied = make(chan struct{})
	go func() {
		defer close(copied)
		var streams sync.WaitGroup
		for name, f := range map[string]*os.File{"stdout": out, "stderr": errs} {
			streams.Go(func() {
				defer f.Close()
				_ = log.Stream(name, f) // a full disk must not stop the command: the pipe is closed instead
			})
		}
		streams.Wait()
	}()
	return process, copied, nil
}

// end ends the process: its hook and SIGTERM, and SIGKILL when the pod's time is over.
func (c *container) end(process *sandbox.Proc) {
	c.pod.event(c.pod.current(), corev1.EventTypeNormal, "Killing", "Stopping container "+c.name)
	if err := c.preStop(); err != nil {
		c.pod.event(c.pod.current(), corev1.EventTypeWarning, "FailedPreStopHook", err.Error())
	}
	_ = process.Signal(syscall.SIGTERM)
	select {
	case <-process.Done():
	case <-c.pod.grace.Done():
		_ = process.Kill()
		<-process.Done()
	}
}

func (c *container) running(began metav1.Time, run int32) {
	yes, image := true, c.spec().Image
	c.set(func(s *corev1.ContainerStatus) {
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: began}}
		s.Ready, s.Started = !c.init || c.sidecar, &yes
		s.ContainerID = fmt.Sprintf("process://%s/%s/%d", c.pod.uid, c.name, run)
		s.Image, s.ImageID = image, "localcluster://"+image
	})
	c.pod.event(c.pod.current(), corev1.EventTypeNormal, "Started", "Started container "+c.name)
}

// failed is the end of a container that could not start.
func (c *container) failed(began metav1.Time, err error) int32 {
	const code = 128
	message := "failed to start container: " + err.Error()
	c.pod.event(c.pod.current(), corev1.EventTypeWarning, "Failed", "Error: "+message)
	c.finished(&corev1.ContainerStateTerminated{ExitCode: code, Reason: "StartError", Message: message, StartedAt: began, FinishedAt: metav1.Now()})
	return code
}

func (c *container) terminated(began metav1.Time, exit sandbox.Exit, log *podlog.File, messageFile string) int32 {
	t := &corev1.ContainerStateTerminated{ExitCode: int32(exit.Code), Reason: "Completed", StartedAt: began, FinishedAt: metav1.Now()}
	if exit.Code != 0 {
		t.Reason = "Error"
	}
	message, err := c.message(exit, log, messageFile)
	if err != nil {
		message = "its termination message cannot be read: " + err.Error()
	}
	t.Message = message
	c.finished(t)
	return t.ExitCode
}

func (c *container) finished(t *corev1.ContainerStateTerminated) {
	no := false
	c.pod.mu.Lock()
	c.process = nil
	c.pod.mu.Unlock()
	c.set(func(s *corev1.ContainerStatus) {
		t.ContainerID = s.ContainerID
		s.State = corev1.ContainerState{Terminated: t}
		s.Started, s.Ready = &no, c.init && t.ExitCode == 0
	})
}

// message is what the container left as its termination message, or the end of its log if it asks for that.
func (c *container) message(exit sandbox.Exit, log *podlog.File, file string) (string, error) {
	const fileLimit, lines, logLimit = 4096, 80, 2048
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if len(b) > fileLimit {
		b = b[:fileLimit]
	}
	if len(b) > 0 || exit.Code == 0 || c.spec().TerminationMessagePolicy != corev1.TerminationMessageFallbackToLogsOnError {
		return strings.ToValidUTF8(string(b), "\uFFFD"), nil
	}
	s, err := log.Last(lines, logLimit)
	return strings.ToValidUTF8(s, "\uFFFD"), err
}
