package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"muster.dev/muster/cmd/localcluster/control"
	"muster.dev/muster/cmd/localcluster/controlplane"
	"muster.dev/muster/cmd/localcluster/supervise"
)

// apiServerTimeout is how long a restarted API server may take.
const apiServerTimeout = 2 * time.Minute

// errNotYet answers what needs a cluster that has started.
var errNotYet = errors.New("the cluster has not started yet")

// Status implements control.Daemon.
func (d *Daemon) Status() control.Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := control.Status{State: d.state, Data: d.opts.Dir.String(), PID: os.Getpid(), Since: d.since}
	if len(d.events) == 0 { // not prepared: what follows is set before the first event
		return s
	}
	if d.ports.APIServer != 0 {
		s.Server = controlplane.ServerURL(d.ports.APIServer)
	}
	if last := d.events[len(d.events)-1]; last.Ready {
		s.Ready = last.Seconds
	}
	for _, c := range []*supervise.Child{d.api, d.managers} {
		if c != nil {
			s.Components = append(s.Components, c.Status())
		}
	}
	return s
}

// Events implements control.Daemon.
func (d *Daemon) Events(ctx context.Context, send func(control.Event) error) error {
	for next := 0; ; {
		d.mu.Lock()
		events, changed := d.events[next:], d.changed
		d.mu.Unlock()
		for _, e := range events {
			err := send(e)
			if e.Last() {
				d.telling.Do(func() { close(d.told) })
			}
			if err != nil || e.Last() {
				return err
			}
		}
		next += len(events)
		if len(events) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Shutdown implements control.Daemon.
func (d *Daemon) Shutdown() {
	d.setState(control.Stopping)
	d.stop()
}

// StopAPIServer implements control.Daemon.
func (d *Daemon) StopAPIServer(grace time.Duration) error {
	if d.Status().State != control.Ready {
		return errNotYet
	}
	d.opts.Log.Info("ending the API server on request", "grace", grace)
	return d.api.Stop(grace)
}

// StartAPIServer implements control.Daemon.
func (d *Daemon) StartAPIServer() error {
	if d.Status().State != control.Ready {
		return errNotYet
	}
	d.opts.Log.Info("starting the API server on request")
	if err := d.api.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), apiServerTimeout)
	defer cancel()
	return controlplane.WaitForAPIServer(ctx, d.admin)
}
