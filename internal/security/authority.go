package security

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// SetOptions describes a set of certificates for one cluster.
type SetOptions struct {
	// Hosts are the names and addresses under which coordinators and workers are called,
	// besides the local ones: localhost and its addresses.
	Hosts []string

	// Days is how long the certificates are valid, starting from Now, the current
	// time.
	Days int
	Now  time.Time

	// Replace allows existing files to be replaced.
	Replace bool
}

// localHosts are in every server certificate.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

// clockSkew is how far the clocks of other machines may be behind.
const clockSkew = 5 * time.Minute

// The names of a set's files: those of a role begin with the role's name.
const (
	CertExt = ".crt"
	KeyExt  = ".key"
	CAName  = "ca"
)

// SetFiles lists the files of a set in a directory.
func SetFiles(dir string) []string {
	var files []string
	for _, name := range append([]string{CAName}, roleNames[1:]...) {
		files = append(files, filepath.Join(dir, name+CertExt), filepath.Join(dir, name+KeyExt))
	}
	return files
}

// WriteSet makes an authority and a certificate for each role in a directory. If one
// of the files exists it writes nothing, unless files may be replaced, and returns
// the files that it replaced.
func WriteSet(dir string, o SetOptions) (replaced []string, err error) {
	for _, file := range SetFiles(dir) {
		switch _, err := os.Lstat(file); {
		case err == nil:
			replaced = append(replaced, file)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	if len(replaced) > 0 && !o.Replace {
		return nil, &fs.PathError{Op: "write", Path: replaced[0], Err: fs.ErrExist}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	authority, err := newAuthority(&o)
	if err != nil {
		return nil, err
	}
	if err := authority.write(dir, CAName); err != nil {
		return nil, err
	}
	for r := Viewer; r <= Coordinator; r++ {
		p, err := authority.issue(r, &o)
		if err != nil {
			return nil, fmt.Errorf("certificate of the %s: %w", r, err)
		}
		if err := p.write(dir, r.String()); err != nil {
			return nil, err
		}
	}
	return replaced, nil
}

// issued is a certificate with its key.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(o *SetOptions) (*issued, error) {
	return sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "Everystate trial authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, o, nil)
}

// issue makes the certificate of a role. Coordinators and workers are both servers
// and clients; operators and viewers are only clients.
func (p *issued) issue(r Role, o *SetOptions) (*issued, error) {
	t := &x509.Certificate{
		Subject:     pkix.Name{CommonName: r.String(), OrganizationalUnit: []string{r.String()}},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if r == Coordinator || r == Worker {
		t.ExtKeyUsage = append(t.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		for _, host := range append(append([]string(nil), localHosts...), o.Hosts...) {
			if ip := net.ParseIP(host); ip != nil {
				t.IPAddresses = append(t.IPAddresses, ip)
			} else {
				t.DNSNames = append(t.DNSNames, host)
			}
		}
	}
	return sign(t, o, p)
}

// sign makes a certificate with a new key. Without an authority it is self-signed.
func sign(template *x509.Certificate, o *SetOptions, authority *issued) (*issued, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template.NotBefore = o.Now.Add(-clockSkew)
	template.NotAfter = o.Now.AddDate(0, 0, o.Days)
	by := authority
	if by == nil {
		by = &issued{template, key}
	}
	// The library chooses a serial number.
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &issued{cert, key}, err
}

// write writes the certificate, readable by all, and the key, readable by its owner.
func (p *issued) write(dir, name string) error {
	key, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		return err
	}
	if err := writeNew(filepath.Join(dir, name+KeyExt), 0o600, "PRIVATE KEY", key); err != nil {
		return err
	}
	return writeNew(filepath.Join(dir, name+CertExt), 0o644, "CERTIFICATE", p.cert.Raw)
}

// writeNew writes a file that has its mode from the start. It removes an existing
// file, which may have another mode.
func writeNew(path string, mode fs.FileMode, kind string, der []byte) (err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return pem.Encode(f, &pem.Block{Type: kind, Bytes: der})
}
