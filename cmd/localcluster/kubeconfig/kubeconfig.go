// Package kubeconfig turns certificates into what clients of the cluster need.
package kubeconfig

import (
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"muster.dev/muster/cmd/localcluster/pki"
)

// clusterName is the cluster's name in kubeconfigs; a context is USER@clusterName.
const clusterName = "localcluster"

// User is who a kubeconfig is for.
type User struct {
	Name      string
	Namespace string // of the context; "" = default
	Pair      pki.Pair
}

// Write writes a user's kubeconfig, complete in itself and readable by its owner alone.
func Write(path, server string, ca []byte, u User) error {
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[clusterName] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	cfg.AuthInfos[u.Name] = &clientcmdapi.AuthInfo{ClientCertificateData: u.Pair.Cert, ClientKeyData: u.Pair.Key}
	context := u.Name + "@" + clusterName
	cfg.Contexts[context] = &clientcmdapi.Context{Cluster: clusterName, AuthInfo: u.Name, Namespace: u.Namespace}
	cfg.CurrentContext = context
	text, err := clientcmd.Write(*cfg)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// By rename: a client may read the file at any time.
	part := path + ".part"
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, path)
}
