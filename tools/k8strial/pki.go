package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs the certificates of one trial, which are valid for a day.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(dir string) (*authority, error) {
	a := &authority{dir: dir}
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil, err
	}
	a.cert, a.key, err = a.sign("ca", &x509.Certificate{
		Subject: pkix.Name{CommonName: "k8strial"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	if err != nil {
		return nil, err
	}
	// Of the tokens of service accounts.
	_, _, err = a.sign("accounts", &x509.Certificate{Subject: pkix.Name{CommonName: "accounts"}})
	return a, err
}

// sign makes NAME.crt and NAME.key.
func (a *authority) sign(name string, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	c.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	err = errors.Join(
		a.write(name+".crt", "CERTIFICATE", der),
		a.write(name+".key", "EC PRIVATE KEY", secret),
		a.write(name+".pub", "PUBLIC KEY", public),
	)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, err
}

func (a *authority) write(name, kind string, der []byte) error {
	return os.WriteFile(a.path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func (a *authority) path(name string) string { return filepath.Join(a.dir, name) }

// server makes the certificate of one that is called by these names.
func (a *authority) server(name string, hosts ...string) error {
	c := &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			c.IPAddresses = append(c.IPAddresses, ip)
		} else {
			c.DNSNames = append(c.DNSNames, h)
		}
	}
	_, _, err := a.sign(name, c)
	return err
}

// client makes a certificate of a user of Kubernetes, and NAME.conf to call the
// API with it.
func (a *authority) client(name, user, group, url string) error {
	c := &x509.Certificate{
		Subject:     pkix.Name{CommonName: user},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if group != "" {
		c.Subject.Organization = []string{group}
	}
	if _, _, err := a.sign(name, c); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "trial",
		"clusters": []any{map[string]any{"name": "trial", "cluster": map[string]any{"server": url, "certificate-authority": a.path("ca.crt")}}},
		"users":    []any{map[string]any{"name": name, "user": map[string]any{"client-certificate": a.path(name + ".crt"), "client-key": a.path(name + ".key")}}},
		"contexts": []any{map[string]any{"name": "trial", "context": map[string]any{"cluster": "trial", "user": name}}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(a.path(name+".conf"), text, 0o600)
}
