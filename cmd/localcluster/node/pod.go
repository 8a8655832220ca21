package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"muster.dev/muster/cmd/localcluster/forcedelete"
	"muster.dev/muster/cmd/localcluster/node/hosts"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
	"muster.dev/muster/cmd/localcluster/node/volume"
)

// pod is a pod that runs, waits to run or has run here.
type pod struct {
	*machine
	uid types.UID
	dir string

	// ctx ends when the pod is asked to end, grace when its time for that is over.
	ctx, grace          context.Context
	askToEnd, graceOver context.CancelFunc
	// done is closed when nothing of the pod runs any more.
	done chan struct{}

	mu          sync.Mutex
	spec        *corev1.Pod // as the API server has it; replaced, never changed
	started     metav1.Time
	ip          string
	sandbox     *sandbox.Pod
	initialized bool
	ended       bool
	containers  []*container // init containers first, in the spec's order
	verdict     verdict
	deadline    *time.Timer
	killAt      time.Time
	killTimer   *time.Timer
	volumes     map[string]volume.Volume
}

// verdict is why a pod was ended, if not by its containers.
type verdict struct{ reason, message string }

// newPod makes a pod that run runs.
func newPod(m *machine, spec *corev1.Pod) *pod {
	p := &pod{machine: m, uid: spec.UID, dir: m.podDir(spec.UID), spec: spec, started: metav1.Now(), done: make(chan struct{})}
	p.initialized = len(spec.Spec.InitContainers) == 0
	p.ctx, p.askToEnd = context.WithCancel(context.Background())
	p.grace, p.graceOver = context.WithCancel(context.Background())
	reason := "ContainerCreating"
	if len(spec.Spec.InitContainers) > 0 {
		reason = "PodInitializing"
	}
	for i := range spec.Spec.InitContainers {
		c := &spec.Spec.InitContainers[i]
		sidecar := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
		p.containers = append(p.containers, newContainer(p, c, reason, true, sidecar))
	}
	for i := range spec.Spec.Containers {
		p.containers = append(p.containers, newContainer(p, &spec.Spec.Containers[i], reason, false, false))
	}
	return p
}

// current is the latest spec.
func (p *pod) current() *corev1.Pod {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spec
}

// update takes a new version of the spec over.
func (p *pod) update(spec *corev1.Pod) {
	p.mu.Lock()
	p.spec = spec
	p.mu.Unlock()
	p.watchDeadline()
}

// watchDeadline ends the pod when it has been active for longer than it may.
func (p *pod) watchDeadline() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deadline != nil {
		p.deadline.Stop()
	}
	seconds := p.spec.Spec.ActiveDeadlineSeconds
	if seconds == nil || p.ended {
		return
	}
	left := time.Until(p.started.Add(time.Duration(*seconds) * time.Second))
	p.deadline = time.AfterFunc(max(left, 0), func() {
		p.stop(p.graceOf(), verdict{"DeadlineExceeded", "Pod was active on the node longer than the specified deadline"})
	})
}

// graceOf is how long the pod may take to end by itself.
func (p *pod) graceOf() time.Duration {
	seconds := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if s := p.current().Spec.TerminationGracePeriodSeconds; s != nil {
		seconds = *s
	}
	return time.Duration(seconds) * time.Second
}

// stop asks the pod to end within a time. Asked again, it can only get less time.
func (p *pod) stop(within time.Duration, why verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	at := time.Now().Add(within)
	if p.killTimer == nil {
		p.verdict = why
	} else if !at.Before(p.killAt) {
		return
	} else {
		p.killTimer.Stop()
	}
	p.killAt = at
	p.killTimer = time.AfterFunc(within, p.graceOver)
	p.askToEnd()
}

// run runs the pod to its end.
func (p *pod) run() {
	defer close(p.done)
	p.watchDeadline()
	p.changed(p)
	if p.setUp() {
		p.runContainers()
	}
	p.tearDown()
}

// setUp makes the pod's sandbox and volumes, as often as it takes; false when the pod was asked to end before.
func (p *pod) setUp() bool {
	delay := backoff{first: p.delays.retry, last: p.delays.retryMax}
	set := volume.Set{Objects: p.objects, Dir: filepath.Join(p.dir, "volumes"), Hide: p.hide, Shared: p.shared}
	for {
		err := p.makeSandbox()
		if err == nil {
			set.Place = p.place(p.current(), p.ip)
			set.Tmpfs = p.sandbox.Tmpfs
			var made map[string]volume.Volume
			if made, err = set.Make(p.ctx, p.current()); err == nil {
				p.mu.Lock()
				p.volumes = made
				p.mu.Unlock()
				return true
			}
		}
		if p.ctx.Err() != nil {
			return false
		}
		var mount *volume.SetUpError
		reason := "FailedCreatePodSandBox"
		if errors.As(err, &mount) {
			reason = "FailedMount"
		}
		p.event(p.current(), corev1.EventTypeWarning, reason, err.Error())
		if !sleep(p.ctx, delay.next()) {
			return false
		}
	}
}

// makeSandbox makes what the pod's containers share, once.
func (p *pod) makeSandbox() error {
	if p.sandbox != nil {
		return nil
	}
	spec := p.current()
	for _, d := range []string{"root", "volumes", "messages", "logs"} {
		if err := os.MkdirAll(filepath.Join(p.dir, d), 0o755); err != nil {
			return err
		}
	}
	hostname := podHostname(spec)
	for name, content := range map[string][]byte{"hostname": []byte(hostname + "\n"), "resolv.conf": hosts.Resolv(spec.Namespace)} {
		if err := os.WriteFile(filepath.Join(p.dir, name), content, 0o644); err != nil {
			return err
		}
	}
	made, err := p.host.NewPod(p.ctx, sandbox.PodSpec{Name: string(p.uid), Hostname: hostname})
	if err != nil {
		return fmt.Errorf("failed to create pod sandbox: %w", err)
	}
	p.mu.Lock()
	p.sandbox, p.ip = made, made.IP
	p.mu.Unlock()
	if err := p.names.set(p.ctx, p.named()); err != nil {
		return err
	}
	p.changed(p)
	return nil
}

// named is how others find the pod.
func (p *pod) named() named {
	p.mu.Lock()
	defer p.mu.Unlock()
	return named{uid: p.uid, namespace: p.spec.Namespace, file: filepath.Join(p.dir, "hosts"), aliases: p.spec.Spec.HostAliases, hostname: podHostname(p.spec),
		pod: hosts.Pod{Hostname: p.spec.Spec.Hostname, Subdomain: p.spec.Spec.Subdomain, IP: p.ip, Labels: p.spec.Labels, Ready: p.readyLocked()}}
}

// podHostname is the host name that a pod's processes see.
func podHostname(spec *corev1.Pod) string {
	if o := spec.Spec.HostnameOverride; o != nil {
		return *o
	}
	name := spec.Spec.Hostname
	if name == "" {
		name = spec.Name
		const longest = 63
		if len(name) > longest {
			name = name[:longest]
			for name[len(name)-1] == '-' || name[len(name)-1] == '.' {
				name = name[:len(name)-1]
			}
		}
	}
	if fqdn := spec.Spec.SetHostnameAsFQDN; fqdn != nil && *fqdn && spec.Spec.Subdomain != "" {
		name += "." + hosts.Domain(spec.Namespace, spec.Spec.Subdomain)
	}
	return name
}

// runContainers runs the init containers one after another, then the others together.
func (p *pod) runContainers() {
	sidecars, endSidecars := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer func() {
		// Sidecars go when the others have; they have what is left of the pod's time.
		p.mu.Lock()
		asked := p.killTimer != nil
		p.mu.Unlock()
		if !asked {
			p.stop(p.graceOf(), verdict{})
		}
		endSidecars()
		running.Wait()
	}()
	for _, c := range p.containers {
		switch {
		case c.sidecar:
			up := make(chan struct{})
			running.Go(func() { c.run(sidecars, up) })
			select {
			case <-up:
			case <-p.ctx.Done():
				return
			}
		case c.init:
			if !c.run(p.ctx, nil) {
				return
			}
		}
	}
	p.mu.Lock()
	p.initialized = true
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, c := range p.containers {
		if !c.init {
			c.waitingFor("ContainerCreating", "")
			all.Go(func() { c.run(p.ctx, nil) })
		}
	}
	all.Wait()
}

// tearDown frees what the pod had, but for its logs, and says that it has ended.
func (p *pod) tearDown() {
	p.names.remove(p.uid)
	if p.sandbox != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_ = p.sandbox.Close(ctx) // it fails only when all pods' holder is gone, which ended this one too
		cancel()
	}
	for _, d := range []string{"root", "volumes", "messages"} {
		_ = forcedelete.All(filepath.Join(p.dir, d)) // what is left goes with the pod's directory
	}
	p.mu.Lock()
	p.ended = true
	for _, t := range []*time.Timer{p.deadline, p.killTimer} {
		if t != nil {
			t.Stop()
		}
	}
	p.mu.Unlock()
	p.askToEnd()
	p.graceOver()
	p.changed(p)
}

// find returns a container by name.
func (p *pod) find(name string) *container {
	for _, c := range p.containers {
		if c.name == name {
			return c
		}
	}
	return nil
}

// sleep waits; false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
