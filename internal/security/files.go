package security

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
)

// SystemCA, in place of a file, means the authorities that the machine trusts. It is
// for verifying servers only: not everyone whom these authorities vouch for may call.
const SystemCA = "system"

// keepPair reads a certificate and its key.
func keepPair(log *slog.Logger, cert, key string) (*reloaded[*tls.Certificate], error) {
	return keep(log, func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, pairError(cert, key, err)
		}
		return &pair, nil
	}, cert, key)
}

// pairError adds the file's name where the library omits it.
func pairError(cert, key string, err error) error {
	if path := new(os.PathError); errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return fmt.Errorf("%s with the key %s: %w", cert, key, err)
}

// keepPool reads the certificates of authorities.
func keepPool(log *slog.Logger, file string) (*reloaded[*x509.CertPool], error) {
	return keep(log, func() (*x509.CertPool, error) {
		text, err := os.ReadFile(file)
		if path := new(os.PathError); errors.As(err, &path) {
			return nil, fmt.Errorf("%s: %w", file, path.Err)
		}
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: no PEM certificate in it", file)
		}
		return pool, nil
	}, file)
}

// Exposed returns those of the files that everyone on the machine may read. The files
// hold keys or tokens; an empty name is skipped.
func Exposed(files ...string) []string {
	var exposed []string
	if runtime.GOOS == "windows" {
		return nil // the mode tells nothing there
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o004 != 0 {
			exposed = append(exposed, file)
		}
	}
	return exposed
}
