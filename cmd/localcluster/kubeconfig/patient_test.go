package kubeconfig

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
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
	var early, asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			if r.URL.Path == "/readyz" {
				asked.Add(1)
			} else {
				early.Add(1)
			}
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	patient, err := NewPatient(server.URL, own)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := patient.REST(pair)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(cfg)
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
	asked.Store(0)
	time.AfterFunc(4*dialPause, func() { ready.Store(true) })
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			cfg, err := patient.REST(pair) // a connection of its own
			if err != nil {
				t.Error(err)
				return
			}
			client, err := rest.HTTPClientFor(cfg)
			if err != nil {
				t.Error(err)
				return
			}
			resp, err := client.Get(server.URL + "/api")
			if err != nil {
				t.Errorf("a server that becomes ready: %v", err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if n := asked.Load(); n > 6 {
		t.Errorf("asked %d times in four pauses, by 50 connections that wait", n)
	}
	if early.Load() > 0 {
		t.Error("a request came before the server was ready")
	}
}
