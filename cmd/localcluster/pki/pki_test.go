package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"
)

func parse(t *testing.T, p Pair) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

func TestIssue(t *testing.T) {
	ca, err := NewAuthority("a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewAuthority("b")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parse(t, ca))

	server, err := ca.Issue(Request{Name: "server", Hosts: []string{"127.0.0.1", "localhost"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		if _, err := parse(t, server).Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	client := x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := parse(t, server).Verify(client); err == nil {
		t.Error("a server's certificate passes for a client's")
	}

	user, err := ca.Issue(Request{Name: "alice", Groups: []string{"researchers"}})
	if err != nil {
		t.Fatal(err)
	}
	cert := parse(t, user)
	if _, err := cert.Verify(client); err != nil {
		t.Error(err)
	}
	if cert.Subject.CommonName != "alice" || len(cert.Subject.Organization) != 1 || cert.IsCA {
		t.Errorf("subject %v, authority %v", cert.Subject, cert.IsCA)
	}
	foreign, err := other.Issue(Request{Name: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, foreign).Verify(client); err == nil {
		t.Error("another authority's certificate is trusted")
	}
}

func TestStoreKeepsPairs(t *testing.T) {
	s, err := NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Issue("alice", ClusterCA, Request{Name: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Issue("alice", ClusterCA, Request{Name: "alice"})
	if err != nil || !bytes.Equal(first.Cert, again.Cert) {
		t.Fatalf("another certificate the second time (%v)", err)
	}
	if info, err := os.Stat(s.KeyFile("alice")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", info.Mode(), err)
	}
	if err := os.Remove(s.CertFile("alice")); err != nil { // as after a kill between the two writes
		t.Fatal(err)
	}
	made, err := s.Issue("alice", ClusterCA, Request{Name: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	parse(t, made)
	if _, err := s.SigningKey("sa"); err != nil {
		t.Fatal(err)
	}
}
