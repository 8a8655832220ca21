package daemon

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"

	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/node"
	"muster.dev/muster/cmd/localcluster/pki"
	"muster.dev/muster/cmd/localcluster/seed"
)

// nodes are the kubelets of the cluster, which live in the daemon: pods outlive every other part.
type nodes struct {
	opts    Options
	ids     identities
	cancel  context.CancelFunc
	started chan struct{}
	ended   chan struct{}
	failed  chan error
}

func newNodes(opts Options, ids identities) *nodes {
	return &nodes{opts: opts, ids: ids, started: make(chan struct{}), ended: make(chan struct{}), failed: make(chan error, 1)}
}

func (n *nodes) start() error {
	config, err := n.ids.rest(identityNodes)
	if err != nil {
		return err
	}
	serving, err := tls.LoadX509KeyPair(n.ids.store.CertFile(kubeletCert), n.ids.store.KeyFile(kubeletCert))
	if err != nil {
		return err
	}
	ca, err := n.ids.store.Read(pki.KubeletClientCA)
	if err != nil {
		return err
	}
	callers := x509.NewCertPool()
	if !callers.AppendCertsFromPEM(ca.Cert) {
		return errors.New("the authority of the kubelets' callers is no certificate")
	}
	// The clusters of one user usually lie below the default directory: one's pods see the others' keys no more than its own.
	hide := []string{n.opts.Dir.String()}
	if usual, err := instance.Default(); err == nil {
		hide = append(hide, usual)
	}
	// A context of its own: the pods end when stop says so, in the order of the daemon's end.
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	go func() {
		defer close(n.ended)
		err := node.Run(ctx, node.Config{REST: config, ServingCert: serving, ClientCAs: callers, Dir: n.opts.Dir.Path("nodes"),
			Hide: hide, Volumes: n.opts.Dir.Path("volumes"), Nodes: seed.Nodes(), Log: n.opts.Log}, n.started)
		if err == nil && ctx.Err() == nil {
			err = errors.New("the nodes ended")
		}
		n.failed <- err
	}()
	return nil
}

// wait returns when every node is ready.
func (n *nodes) wait(ctx context.Context) error {
	select {
	case <-n.started:
		return nil
	case err := <-n.failed:
		return err
	case <-ctx.Done():
		return errors.Join(errors.New("the nodes are not ready"), ctx.Err())
	}
}

// stop ends the pods' processes and returns when they are gone.
func (n *nodes) stop() {
	if n.cancel == nil {
		return
	}
	n.cancel()
	<-n.ended
}
