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
	// Hosts are the names and addresses by which coordinators and workers are
	// called, besides those of this machine alone: localhost and its addresses.
	Hosts []string

	// Days is how long the certificates are valid, from Now, the present.
	Days int
	Now  time.Time

	// Replace lets files be replaced.
	Replace bool
}

// localHosts are those that a certificate of a server is always for.
var localHosts = []string{"localhost", "127.0.0.1", "::1"}

// clockSkew is how far behind the clocks of other machines may be.
const clockSkew = 5 * time.Minute

// The names of the files of a set: those of a role have the name of the role.
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

// WriteSet makes an authority and a certificate of each role in a directory. It
// writes nothing if one of the files is there already, unless they may be
// replaced, and returns those that it has replaced.
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

// issue makes the certificate of a role. Coordinators and workers are called and
// call others; operators and viewers only call.
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

// sign makes a certificate with a new key. Without an authority it signs itself.
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
	// A serial number is chosen by the library.
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &issued{cert, key}, err
}

// write writes the certificate for everybody to read and the key for its owner.
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

// writeNew writes a file that is there with its mode from the beginning. One that
// it replaces may have had another.
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
