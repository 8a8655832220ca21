package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/virtual-kubelet/virtual-kubelet/errdefs"
	"github.com/virtual-kubelet/virtual-kubelet/node/api"
	corev1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
)

const (
	streamIdle     = 4 * time.Hour // as the kubelet: a quiet exec or port-forward is not a dead one
	streamCreation = 30 * time.Second
)

// server is the kubelet API of all nodes.
type server struct {
	*kubelet
	pods corelisters.PodLister
}

// pod is a pod by name, as the API server has it, whose node answers.
func (s *server) pod(namespace, name string) (*corev1.Pod, error) {
	spec, err := s.pods.Pods(namespace).Get(name)
	if err != nil {
		return nil, errdefs.NotFoundf("pod %s/%s not found", namespace, name)
	}
	if s.isDead(spec.Spec.NodeName) {
		return nil, &deadError{spec.Spec.NodeName}
	}
	return spec, nil
}

type deadError struct{ node string }

func (e *deadError) Error() string { return "node " + e.node + " does not answer" }

func (s *server) handler() http.Handler {
	r := mux.NewRouter()
	r.HandleFunc("/containerLogs/{namespace}/{pod}/{container}", s.serveLogs).Methods("GET")
	r.HandleFunc("/exec/{namespace}/{pod}/{container}", api.HandleContainerExec(s.exec,
		api.WithExecStreamIdleTimeout(streamIdle), api.WithExecStreamCreationTimeout(streamCreation))).Methods("POST", "GET")
	r.HandleFunc("/attach/{namespace}/{pod}/{container}", api.HandleContainerAttach(s.attach,
		api.WithExecStreamIdleTimeout(streamIdle), api.WithExecStreamCreationTimeout(streamCreation))).Methods("POST", "GET")
	r.HandleFunc("/portForward/{namespace}/{pod}", api.HandlePortForward(s.portForward,
		api.WithPortForwardStreamIdleTimeout(streamIdle), api.WithPortForwardCreationTimeout(streamCreation))).Methods("POST", "GET")
	r.HandleFunc("/pods", s.servePods).Methods("GET")
	r.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	return r
}

func (s *server) servePods(w http.ResponseWriter, _ *http.Request) {
	list := corev1.PodList{}
	list.APIVersion, list.Kind = "v1", "PodList"
	for _, p := range s.all() {
		spec := *p.current()
		spec.Status = p.statusOver(spec.Status)
		list.Items = append(list.Items, spec)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errdefs.IsNotFound(err):
		code = http.StatusNotFound
	case errdefs.IsInvalidInput(err):
		code = http.StatusBadRequest
	}
	http.Error(w, err.Error(), code)
}

// serve serves the kubelet API until ctx ends.
func (s *server) serve(ctx context.Context, l net.Listener, cert tls.Certificate, clients *x509.CertPool) error {
	srv := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 30 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }, // who follows a log does not hold up the end
		ErrorLog:    log.New(quiet{s.kubelet}, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: clients,
			ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	err := srv.ServeTLS(l, "", "")
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// quiet puts the HTTP server's own messages where they do not disturb.
type quiet struct{ *kubelet }

func (q quiet) Write(b []byte) (int, error) {
	q.log.Debug("kubelet API", "message", string(b))
	return len(b), nil
}
