package pki

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Store keeps a cluster's authorities and certificates as files: NAME.crt and NAME.key.
type Store struct{ dir string }

// The authorities. Each trusts for one purpose alone: with a single one, a user's certificate would open the kubelet's
// port, or pass for the aggregator that may name any user.
const (
	ClusterCA       = "ca"                // serves: API server, webhooks, kubelet. Trusts: users and components
	FrontProxyCA    = "front-proxy-ca"    // the API server towards aggregated APIs
	KubeletClientCA = "kubelet-client-ca" // the API server towards the kubelets
)

// NewStore opens the store in a folder, making the folder.
func NewStore(dir string) (Store, error) {
	return Store{dir}, os.MkdirAll(dir, 0o700)
}

// CertFile and KeyFile are the paths of a pair's halves.
func (s Store) CertFile(name string) string { return filepath.Join(s.dir, name+".crt") }

// KeyFile is the path of the private key.
func (s Store) KeyFile(name string) string { return filepath.Join(s.dir, name+".key") }

// Read returns a pair that is there.
func (s Store) Read(name string) (Pair, error) {
	cert, err := os.ReadFile(s.CertFile(name))
	if err != nil {
		return Pair{}, err
	}
	key, err := os.ReadFile(s.KeyFile(name))
	return Pair{cert, key}, err
}

// Authority returns the authority of this name, making it if it is absent.
func (s Store) Authority(name string) (Pair, error) {
	return s.ensure(name, func() (Pair, error) { return NewAuthority("muster localcluster " + name) })
}

// Issue returns the pair of this name, having the authority sign it if it is absent.
func (s Store) Issue(name, authority string, r Request) (Pair, error) {
	return s.ensure(name, func() (Pair, error) {
		ca, err := s.Authority(authority)
		if err != nil {
			return Pair{}, err
		}
		return ca.Issue(r)
	})
}

// SigningKey returns the token signing key of this name, making it if it is absent.
func (s Store) SigningKey(name string) (Pair, error) { return s.ensure(name, NewSigningKey) }

func (s Store) ensure(name string, make func() (Pair, error)) (Pair, error) {
	p, err := s.Read(name)
	if err == nil {
		return p, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return p, err
	}
	if p, err = make(); err != nil {
		return p, fmt.Errorf("certificate %s: %w", name, err)
	}
	// The certificate is written last and by rename: a pair half written by a process that was killed is made anew.
	if err := os.WriteFile(s.KeyFile(name), p.Key, 0o600); err != nil {
		return p, err
	}
	part := s.CertFile(name) + ".part"
	if err := os.WriteFile(part, p.Cert, 0o600); err != nil {
		return p, err
	}
	return p, os.Rename(part, s.CertFile(name))
}

// Dir is the folder of the files.
func (s Store) Dir() string { return s.dir }
