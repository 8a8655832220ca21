package kubeconfig

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"muster.dev/muster/cmd/localcluster/pki"
)

func TestPatientDialer(t *testing.T) {
	ca, err := pki.NewAuthority("ca")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Issue(pki.Request{Name: "localcluster"})
	if err != nil {
		t.Fatal(err)
	}
	var ready atomic.Bool
	var early atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			if r.URL.Path != "/readyz" {
				early.Add(1)
			}
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	client, err := rest.HTTPClientFor(REST(server.URL, own, pair))
	if err != nil {
		t.Fatal(err)
	}
	get := func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	short, cancel := context.WithTimeout(t.Context(), 3*dialPause)
	defer cancel()
	if err := get(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that is not ready: %v", err)
	}
	time.AfterFunc(3*dialPause, func() { ready.Store(true) })
	if err := get(t.Context()); err != nil {
		t.Errorf("a server that becomes ready: %v", err)
	}
	if early.Load() > 0 {
		t.Error("a request came before the server was ready")
	}
}
