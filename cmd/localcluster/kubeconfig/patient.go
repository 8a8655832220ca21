package kubeconfig

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"muster.dev/muster/cmd/localcluster/pki"
)

// dialPause is how often an API server that is away is asked whether it is back.
const dialPause = 200 * time.Millisecond

// Patient makes clients whose connections wait for an API server that is away.
//
// Informers that are refused wait longer with each attempt, up to half a minute: after an outage of the API server the
// controllers would do nothing for as long. With this they have one attempt each, which ends when the server is back.
// A process has one Patient, so that it has one question under way however many connections wait: a server that starts
// has more to do than to answer.
type Patient struct {
	server string
	roots  *x509.CertPool
	asker  *http.Client

	mu     sync.Mutex
	asking *question // the one under way
}

// question is one look whether the server is ready.
type question struct {
	done  chan struct{} // closed with the answer
	ready bool
}

// NewPatient returns the client maker for the API server at a URL, whose certificate an authority has signed.
func NewPatient(server string, ca []byte) (*Patient, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("the API server's authority is no certificate")
	}
	return &Patient{server: server, roots: roots, asker: &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			DisableKeepAlives: true, // a kept connection would say nothing of the next one
			TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		},
	}}, nil
}

// REST returns a client configuration for a part of the cluster itself. All clients that are made from it share one
// connection. Requests have no limit: it is the API server's fairness that has to keep the parts apart.
func (p *Patient) REST(pair pki.Pair) (*rest.Config, error) {
	cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return nil, err
	}
	transport := utilnet.SetTransportDefaults(&http.Transport{
		DialContext:         p.dial,
		TLSClientConfig:     &tls.Config{RootCAs: p.roots, Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 30 * time.Second,
		MaxIdleConnsPerHost: 25,
		DisableCompression:  true, // on one machine it costs more than it saves
	})
	return &rest.Config{Host: p.server, Transport: transport, QPS: -1}, nil
}

// dial connects once the server is ready. It listens before that, hence the question for each connection.
func (p *Patient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	for {
		q := p.ask()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-q.done:
		}
		if !q.ready {
			continue
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil || ctx.Err() != nil {
			return conn, err
		}
	}
}

// ask joins the question under way, or puts one.
func (p *Patient) ask() *question {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking == nil {
		p.asking = &question{done: make(chan struct{})}
		go p.answer(p.asking)
	}
	return p.asking
}

func (p *Patient) answer(q *question) {
	resp, err := p.asker.Get(p.server + "/readyz")
	if err == nil {
		resp.Body.Close()
		q.ready = resp.StatusCode == http.StatusOK
	}
	if !q.ready {
		time.Sleep(dialPause)
	}
	p.mu.Lock()
	p.asking = nil
	p.mu.Unlock()
	close(q.done)
}
