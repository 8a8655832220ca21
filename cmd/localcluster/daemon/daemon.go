// Package daemon is the process behind a running cluster: etcd and the nodes in itself, kube-apiserver and the
// controllers as children that may end and come back without taking the pods with them.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/controlplane"
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/supervise"
)

// Names of the components, which are commands of this program too.
const (
	APIServer   = "apiserver"
	Controllers = "controllers"
)

// Options say how a cluster is started.
type Options struct {
	Dir     instance.Dir
	Port    *int          // of the API server: nil keeps the last one, 0 takes any
	Timeout time.Duration // for the start
	Log     *slog.Logger
	OnEvent func(control.Event) // called for each step of the start, may be nil
}

// Daemon is one running cluster.
type Daemon struct {
	opts     Options
	since    time.Time
	ids      identities
	ports    instance.Ports
	admin    *rest.Config
	api      *supervise.Child
	managers *supervise.Child
	stop     context.CancelFunc
	operable chan struct{} // closed when jobs can be queued
	broken   chan error    // a component says that it cannot go on

	mu      sync.Mutex
	state   string
	events  []control.Event
	changed chan struct{} // closed and replaced with each event
	once    sync.Once     // closes operable
	told    chan struct{} // closed when a command has heard the last event
	telling sync.Once     // closes told
}

// tellPatience is how long a daemon that could not start waits for the command that started it to ask why.
const tellPatience = 3 * time.Second

// Run runs the cluster in a data directory until the context ends, a command ends it, or it fails.
func Run(ctx context.Context, opts Options) (err error) {
	klog.SetSlogLogger(opts.Log) // what the client library has to say
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lockCtx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	lock, err := opts.Dir.Acquire(lockCtx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	// Every path of a socket is relative to the data directory, see controlplane.
	if err := os.Chdir(opts.Dir.String()); err != nil {
		return err
	}
	d := &Daemon{opts: opts, since: time.Now(), stop: stop, state: control.Starting, changed: make(chan struct{}),
		operable: make(chan struct{}), broken: make(chan error, 1), told: make(chan struct{})}
	closeSocket, err := control.Serve(opts.Dir.String(), d)
	if err != nil {
		return err
	}
	defer closeSocket()
	if err := d.prepare(lock); err != nil {
		return d.fail(err)
	}
	return d.run(ctx)
}

// fail says why the start failed.
func (d *Daemon) fail(err error) error {
	d.emit(control.Event{Error: err.Error()})
	if d.opts.OnEvent == nil { // in the background
		select {
		case <-d.told:
		case <-time.After(tellPatience):
		}
	}
	return err
}

// prepare makes everything that is needed before a process starts.
func (d *Daemon) prepare(lock *instance.Lock) error {
	var err error
	if d.ports, err = d.opts.Dir.LoadPorts(d.opts.Port); err != nil {
		return err
	}
	if d.ids, err = prepareIdentities(d.opts.Dir, d.ports); err != nil {
		return err
	}
	if d.admin, err = d.ids.rest(identityAdmin); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := func(name string, onReport func(supervise.Report)) *supervise.Child {
		return supervise.New(supervise.Config{Name: name, Path: program, Dir: d.opts.Dir.String(), LogFile: d.opts.Dir.Log(name),
			Args: []string{ComponentCommand, name, "--data", d.opts.Dir.String(), "--port", strconv.Itoa(d.ports.APIServer)},
			Log:  d.opts.Log, Inherit: lock.File(), OnReport: onReport})
	}
	d.api = child(APIServer, d.failures(APIServer))
	d.managers = child(Controllers, d.managersReports())
	return nil
}

// ComponentCommand is the hidden command that runs a component.
const ComponentCommand = "__component"

// attempts is how often a component may fail during the start: what a restart mends is no reason to give up.
const attempts = 3

// failures counts a component's failures.
func (d *Daemon) failures(name string) func(supervise.Report) {
	failed := 0
	return func(r supervise.Report) {
		if r.Error == "" {
			return
		}
		failed++
		d.opts.Log.Error("component failed", "component", name, "error", r.Error, "times", failed)
		if failed < attempts {
			return
		}
		select {
		case d.broken <- fmt.Errorf("%s: %s", name, r.Error):
		default: // one is enough to end a start
		}
	}
}

func (d *Daemon) managersReports() func(supervise.Report) {
	failures := d.failures(Controllers)
	return func(r supervise.Report) {
		if r.Step != "" && d.starting() {
			d.step(r.Step)
		}
		if r.Ready {
			d.once.Do(func() { close(d.operable) })
		}
		failures(r)
	}
}

// run starts everything, waits for the end, and ends everything.
func (d *Daemon) run(ctx context.Context) error {
	d.step("etcd")
	etcd, err := controlplane.StartEtcd(ctx, d.opts.Dir.Path("etcd"), d.opts.Dir.Log("etcd"))
	if err != nil {
		return d.fail(err)
	}
	// Ended in this order: the pods while the API server can still be told of it, then what writes, then the store.
	defer etcd.Close()
	defer func() {
		if err := errors.Join(d.managers.Stop(0), d.api.Stop(0)); err != nil {
			d.opts.Log.Error("ending the components", "error", err)
		}
	}()
	nodes := newNodes(d.opts, d.ids)
	defer nodes.stop()

	startCtx, cancel := context.WithTimeout(ctx, d.opts.Timeout)
	err = d.start(startCtx, nodes)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("ended during its start")
		}
		return d.fail(err)
	}
	d.setState(control.Ready)
	d.emit(control.Event{Ready: true})
	select {
	case <-ctx.Done():
		err = nil
	case err = <-etcd.Failed():
		err = fmt.Errorf("etcd: %w", err)
	case err = <-nodes.failed:
	}
	d.setState(control.Stopping)
	return err
}

func (d *Daemon) step(name string) { d.emit(control.Event{Step: name}) }

func (d *Daemon) emit(e control.Event) {
	e.Seconds = time.Since(d.since).Seconds()
	d.mu.Lock()
	d.events = append(d.events, e)
	close(d.changed)
	d.changed = make(chan struct{})
	d.mu.Unlock()
	d.opts.Log.Info("start", "step", e.Step, "ready", e.Ready, "error", e.Error, "seconds", e.Seconds)
	if d.opts.OnEvent != nil {
		d.opts.OnEvent(e)
	}
}

func (d *Daemon) starting() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state == control.Starting
}

func (d *Daemon) setState(s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = s
}
