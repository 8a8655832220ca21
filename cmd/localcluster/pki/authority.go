// Package pki makes the certificates of one cluster.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Validity is long, because nothing rotates these certificates: they end with the data directory.
const validity = 10 * 365 * 24 * time.Hour

// Pair is a certificate with its private key, both PEM.
type Pair struct{ Cert, Key []byte }

// Request says what a certificate is for. With Hosts it is a server's, without a client's.
type Request struct {
	Name   string   // common name: for a client, the user
	Groups []string // organisations: for a client, the groups
	Hosts  []string // DNS names and IP addresses
}

// NewAuthority makes a certificate authority.
func NewAuthority(name string) (Pair, error) {
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return Pair{}, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return Pair{}, err
	}
	return encode(der, key)
}

// Issue makes a certificate that this authority signs.
func (p Pair) Issue(r Request) (Pair, error) {
	ca, caKey, err := p.parse()
	if err != nil {
		return Pair{}, fmt.Errorf("authority: %w", err)
	}
	template, err := newTemplate(pkix.Name{CommonName: r.Name, Organization: r.Groups})
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if len(r.Hosts) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	for _, h := range r.Hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca, key.Public(), caKey)
	if err != nil {
		return Pair{}, err
	}
	return encode(der, key)
}

// NewSigningKey makes a key that signs tokens; Cert holds its public half.
func NewSigningKey() (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Pair{}, err
	}
	p, err := encode(nil, key)
	p.Cert = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	return p, err
}

func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	// An hour back, for a clock that is set back between two starts.
	return &x509.Certificate{Subject: subject, SerialNumber: serial, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(validity)}, nil
}

func encode(der []byte, key *ecdsa.PrivateKey) (Pair, error) {
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}),
	}, nil
}

func (p Pair) parse() (*x509.Certificate, *ecdsa.PrivateKey, error) {
	cert, key := firstBlock(p.Cert), firstBlock(p.Key)
	c, err := x509.ParseCertificate(cert)
	if err != nil {
		return nil, nil, err
	}
	k, err := x509.ParseECPrivateKey(key)
	return c, k, err
}

func firstBlock(text []byte) []byte {
	if block, _ := pem.Decode(text); block != nil {
		return block.Bytes
	}
	return nil
}
