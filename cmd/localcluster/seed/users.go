package seed

import (
	"errors"

	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/kubeconfig"
	"muster.dev/muster/cmd/localcluster/pki"
)

// User is a person of the site. What each may do stands in objects.yaml.
type User struct {
	Name      string
	Namespace string
	About     string
}

// Users are the people of the site, the administrator first.
func Users() []User {
	return []User{
		{"admin", "default", "administrator, may do everything"},
		{"alice", "research", "researcher, rights in the workspace research alone"},
		{"bob", "vision", "owner of the workspace vision, may see nodes, pods and queues everywhere"},
		{"carol", "default", "authenticated, without any right"},
	}
}

// researchers is the group that every user is in.
const researchers = "researchers"

// WriteKubeconfigs writes each user's kubeconfig into the data directory.
func WriteKubeconfigs(dir instance.Dir, store pki.Store, server string) error {
	ca, err := store.Authority(pki.ClusterCA)
	if err != nil {
		return err
	}
	var errs []error
	for _, u := range Users() {
		pair, err := store.Issue("user-"+u.Name, pki.ClusterCA, pki.Request{Name: u.Name, Groups: []string{researchers}})
		if err != nil {
			return err
		}
		errs = append(errs, kubeconfig.Write(dir.Kubeconfig(u.Name), server, ca.Cert, kubeconfig.User{Name: u.Name, Namespace: u.Namespace, Pair: pair}))
	}
	return errors.Join(errs...)
}
