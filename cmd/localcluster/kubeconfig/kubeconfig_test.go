package kubeconfig

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"muster.dev/muster/cmd/localcluster/pki"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig", "alice.yaml")
	pair := pki.Pair{Cert: []byte("cert"), Key: []byte("key")}
	if err := Write(path, "https://127.0.0.1:20001", []byte("ca"), User{"alice", "research", pair}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	cfg, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	client := clientcmd.NewDefaultClientConfig(*cfg, nil)
	namespace, _, err := client.Namespace()
	if err != nil || namespace != "research" {
		t.Errorf("namespace %q, %v", namespace, err)
	}
	rest, err := client.ClientConfig()
	if err != nil || rest.Host != "https://127.0.0.1:20001" || string(rest.KeyData) != "key" || string(rest.CAData) != "ca" {
		t.Errorf("%+v, %v", rest, err)
	}
}
