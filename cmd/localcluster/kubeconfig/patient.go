package kubeconfig

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// dialPause is how often an API server that is away is asked whether it is back.
const dialPause = 100 * time.Millisecond

// patientDialer connects to an API server once that is ready, and waits for it until then.
//
// Informers that are refused wait longer with each attempt, up to half a minute: after an outage of the API server the
// controllers would do nothing for as long. With this they have one attempt each, which ends when the server is back.
// The server listens before it is ready, hence the question for each connection; there are few.
type patientDialer struct {
	url   string
	asker *http.Client
}

func newPatientDialer(server string, ca []byte) *patientDialer {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return &patientDialer{url: server + "/readyz", asker: &http.Client{
		Timeout: 5 * time.Second,
		Transport: &http.Transport{
			DisableKeepAlives: true, // a kept connection would say nothing of the next one
			TLSClientConfig:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		},
	}}
}

func (d *patientDialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	for {
		if d.ready(ctx) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err == nil || ctx.Err() != nil {
				return conn, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(dialPause):
		}
	}
}

func (d *patientDialer) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return false
	}
	resp, err := d.asker.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
