package node

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"muster.dev/muster/cmd/localcluster/node/sandbox"
)

// AnnotationDead on a Node, with the value "true", makes it dead; see the package comment.
const AnnotationDead = "localcluster.muster.dev/dead"

// MissingHost is the registry whose images do not exist.
const MissingHost = "missing.local"

// Config is what the nodes need.
type Config struct {
	REST        *rest.Config    // rights like an administrator's
	ServingCert tls.Certificate // of the kubelet API, for 127.0.0.1
	ClientCAs   *x509.CertPool  // who may call the kubelet API
	Dir         string          // pods' files, logs and volumes
	Nodes       []Spec
	Hide        []string // directories of this machine that no pod sees, but for the volumes that lie in them
	Volumes     string   // where volumes may lie in a hidden directory
	Log         *slog.Logger
}

// Spec is one node.
type Spec struct {
	Name     string
	Labels   map[string]string
	Taints   []corev1.Taint
	Capacity corev1.ResourceList
	Images   []corev1.ContainerImage
}

// ReexecMain belongs at the very start of main: it takes over, and never returns, when this program was started again
// to hold the pods' namespaces or to become a container.
func ReexecMain() bool { return sandbox.ReexecMain() }
