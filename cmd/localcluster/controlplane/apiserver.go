package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"

	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/pki"
)

// Names of certificates in the store.
const (
	servingCert       = "apiserver"
	kubeletClientCert = "apiserver-kubelet-client"
	frontProxyCert    = "front-proxy-client"
	serviceAccountKey = "service-account"
)

// auditPolicy records who changed what, without the contents, leaving out the cluster's own parts.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  userGroups: ["system:masters", "system:serviceaccounts"]
- level: None
  users: ["system:kube-scheduler"]
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// ServerURL is the API server's address.
func ServerURL(port int) string {
	return "https://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// PrepareAPIServer makes what the API server reads: its certificates, keys and audit policy.
func PrepareAPIServer(dir instance.Dir, store pki.Store) error {
	_, err1 := store.Issue(servingCert, pki.ClusterCA, pki.Request{Name: "kube-apiserver", Hosts: []string{
		"127.0.0.1", "10.96.0.1", "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}})
	_, err2 := store.Issue(kubeletClientCert, pki.KubeletClientCA, pki.Request{Name: "kube-apiserver-kubelet-client"})
	_, err3 := store.Issue(frontProxyCert, pki.FrontProxyCA, pki.Request{Name: "front-proxy-client"})
	_, err4 := store.SigningKey(serviceAccountKey)
	err5 := os.WriteFile(dir.Path("audit-policy.yaml"), []byte(auditPolicy), 0o600)
	return errors.Join(err1, err2, err3, err4, err5)
}

// RunAPIServer runs kube-apiserver in this process, which has nothing else to do: the command sets signal handlers and
// global state. It waits for etcd first, so that it can be started at the same time.
func RunAPIServer(ctx context.Context, dir instance.Dir, store pki.Store, port int) error {
	if err := waitForEtcd(ctx); err != nil {
		return err
	}
	cmd := apiserver.NewAPIServerCommand()
	cmd.SetArgs(apiServerFlags(dir, store, port))
	return cmd.Execute()
}

func apiServerFlags(dir instance.Dir, s pki.Store, port int) []string {
	return []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--endpoint-reconciler-type=none", // 127.0.0.1 may stand in no Endpoints object
		"--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=Node,RBAC",
		"--tls-cert-file=" + s.CertFile(servingCert),
		"--tls-private-key-file=" + s.KeyFile(servingCert),
		"--client-ca-file=" + s.CertFile(pki.ClusterCA),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + s.KeyFile(serviceAccountKey),
		"--service-account-key-file=" + s.CertFile(serviceAccountKey),
		"--kubelet-client-certificate=" + s.CertFile(kubeletClientCert),
		"--kubelet-client-key=" + s.KeyFile(kubeletClientCert),
		"--kubelet-certificate-authority=" + s.CertFile(pki.ClusterCA),
		"--kubelet-preferred-address-types=InternalIP",
		"--requestheader-client-ca-file=" + s.CertFile(pki.FrontProxyCA),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + s.CertFile(frontProxyCert),
		"--proxy-client-key-file=" + s.KeyFile(frontProxyCert),
		"--audit-policy-file=" + dir.Path("audit-policy.yaml"),
		"--audit-log-path=" + dir.Log("audit"),
		"--audit-log-maxsize=20", // MB
		"--audit-log-maxbackup=1",
		"--profiling=false",
	}
}

func waitForEtcd(ctx context.Context) error {
	for {
		conn, err := net.Dial("unix", etcdSocket)
		if err == nil {
			return conn.Close()
		}
		// Absent before etcd's first start, refused when the socket of a killed one is still there.
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ECONNREFUSED) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// WaitForAPIServer returns when the API server says that it is ready.
func WaitForAPIServer(ctx context.Context, cfg *rest.Config) error {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return err
	}
	var last error
	for {
		if last = ready(ctx, client, cfg.Host); last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server is not ready: %w", last)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func ready(ctx context.Context, client *http.Client, host string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}
