// Package controlplane runs Kubernetes' own parts: etcd, kube-apiserver, its controllers and kube-scheduler.
package controlplane

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// etcd's sockets, relative to the data directory, which is the working directory of every process of a cluster: a
// socket's address holds 107 bytes only, and a data directory's path may be longer. A TCP port would be open to every
// user of the machine. Etcd wants addresses to have a port, also those of sockets: it is part of the file's name.
const (
	etcdSocket = "etcd.sock:1"
	etcdURL    = "unix://" + etcdSocket
	etcdPeer   = "unix://etcd.sock:2"
)

// Etcd is a running etcd.
type Etcd struct{ etcd *embed.Etcd }

// StartEtcd starts etcd on the data in a folder, logging to a file, and returns when it serves.
func StartEtcd(ctx context.Context, dir, logFile string) (*Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Dir, cfg.LogLevel, cfg.LogOutputs = dir, "error", []string{logFile}
	// Without fsync a killed process loses nothing, only a crashed machine would. Every write of the start waits for it.
	cfg.UnsafeNoFsync = true
	client, err := url.Parse(etcdURL)
	if err != nil {
		return nil, err
	}
	peer, err := url.Parse(etcdPeer)
	if err != nil {
		return nil, err
	}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	// One member elects itself as soon as this has passed.
	cfg.TickMs, cfg.ElectionMs = 20, 200
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	select {
	case <-e.Server.ReadyNotify():
		return &Etcd{e}, nil
	case err = <-e.Err():
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(time.Minute):
		err = fmt.Errorf("not ready after a minute")
	}
	e.Close()
	return nil, fmt.Errorf("etcd: %w", err)
}

// Failed says when etcd cannot go on.
func (e *Etcd) Failed() <-chan error { return e.etcd.Err() }

// Close ends etcd. The API server has to be gone.
func (e *Etcd) Close() { e.etcd.Close() }
