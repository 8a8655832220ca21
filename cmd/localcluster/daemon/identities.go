package daemon

import (
	"errors"

	"k8s.io/client-go/rest"

	"muster.dev/muster/cmd/localcluster/controlplane"
	"muster.dev/muster/cmd/localcluster/instance"
	"muster.dev/muster/cmd/localcluster/kubeconfig"
	"muster.dev/muster/cmd/localcluster/operators"
	"muster.dev/muster/cmd/localcluster/pki"
	"muster.dev/muster/cmd/localcluster/seed"
)

// Certificates of the cluster's own parts, by their names in the store.
const (
	identityAdmin       = "localcluster"
	identityControllers = "kube-controllers"
	identityScheduler   = "kube-scheduler"
	identityNodes       = "nodes"
	identityJobSet      = "jobset"
	identityKueue       = "kueue"
	kubeletCert         = "kubelet"
)

// masters is the group that the API server's authorisation lets through.
const masters = "system:masters"

// identities are the certificates of one cluster.
type identities struct {
	dir     instance.Dir
	store   pki.Store
	server  string
	patient *kubeconfig.Patient
}

// openIdentities gives access to certificates that are there.
func openIdentities(dir instance.Dir, ports instance.Ports) (identities, error) {
	ids := identities{dir: dir, server: controlplane.ServerURL(ports.APIServer)}
	var err error
	if ids.store, err = pki.NewStore(dir.Path("pki")); err != nil {
		return ids, err
	}
	ca, err := ids.store.Authority(pki.ClusterCA)
	if err != nil {
		return ids, err
	}
	ids.patient, err = kubeconfig.NewPatient(ids.server, ca.Cert)
	return ids, err
}

// prepareIdentities makes the certificates that are absent, and every kubeconfig.
func prepareIdentities(dir instance.Dir, ports instance.Ports) (identities, error) {
	ids, err := openIdentities(dir, ports)
	if err != nil {
		return ids, err
	}
	for name, r := range map[string]pki.Request{
		identityAdmin:         {Name: "localcluster", Groups: []string{masters}},
		identityControllers:   {Name: "system:kube-controller-manager", Groups: []string{masters}},
		identityScheduler:     {Name: "system:kube-scheduler"},
		identityNodes:         {Name: "localcluster:nodes", Groups: []string{masters}},
		identityJobSet:        operators.JobSetIdentity(),
		identityKueue:         operators.KueueIdentity(),
		operators.ServingCert: operators.ServingRequest(),
		kubeletCert:           {Name: "kubelet", Hosts: []string{"127.0.0.1", "localhost"}},
	} {
		if _, err := ids.store.Issue(name, pki.ClusterCA, r); err != nil {
			return ids, err
		}
	}
	ca, err := ids.store.Read(pki.ClusterCA)
	if err != nil {
		return ids, err
	}
	kueue, err := ids.store.Read(identityKueue)
	if err != nil {
		return ids, err
	}
	return ids, errors.Join(
		controlplane.PrepareAPIServer(dir, ids.store),
		kubeconfig.Write(ids.kueueKubeconfig(), ids.server, ca.Cert, kubeconfig.User{Name: identityKueue, Pair: kueue}),
		seed.WriteKubeconfigs(dir, ids.store, ids.server))
}

func (i identities) kueueKubeconfig() string { return i.dir.Path("pki", identityKueue+".kubeconfig") }

// rest is the client configuration of an identity.
func (i identities) rest(name string) (*rest.Config, error) {
	pair, err := i.store.Read(name)
	if err != nil {
		return nil, err
	}
	return i.patient.REST(pair)
}
