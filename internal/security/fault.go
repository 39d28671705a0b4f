package security

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// When a connection cannot be made, gRPC passes on only the error's text, quoted in a
// longer one. These marks locate our part of it.
const (
	sureMark  = "credentials: "
	guessMark = "connection closed at once: "
)

// needCertificate is for callers without one.
const needCertificate = "a client certificate is needed: --tls-cert FILE and --tls-key FILE"

// Why returns the reason that credentials prevented a connection, taken from the text
// of a gRPC status, and the empty text if that is not the cause. It is not sure of
// the reason if the other side merely closed the connection.
func Why(text string) (why string, sure bool) {
	for _, mark := range []string{sureMark, guessMark} {
		if _, why, ok := strings.Cut(text, mark); ok {
			why, _, _ = strings.Cut(why, `"`)
			return strings.TrimSuffix(why, `\`), mark == sureMark
		}
	}
	return "", false
}

// Unreached reports whether the text of a gRPC status says that no connection could be made.
func Unreached(text string) bool { return strings.Contains(text, "connection error") }

// Broken reports whether the text of a gRPC status says that the connection broke during the call.
func Broken(text string) bool { return strings.HasPrefix(text, "error reading from server") }

// Lost describes what the text of a gRPC status says of the connection to a worker: that
// none could be made, or that it broke. It returns the empty text if it says neither.
func Lost(text, worker, address string) string {
	switch {
	case Unreached(text):
		return fmt.Sprintf("worker %s does not answer at %s", worker, address)
	case Broken(text):
		return fmt.Sprintf("the connection to worker %s at %s broke", worker, address)
	}
	return ""
}

// faultError is the reason that a connection could not be made.
type faultError struct {
	mark, text string
	cause      error
}

func (e *faultError) Error() string { return e.mark + e.text }

func (e *faultError) Unwrap() error { return e.cause }

func faultf(cause error, format string, args ...any) error {
	return &faultError{mark: sureMark, text: fmt.Sprintf(format, args...), cause: cause}
}

// roleError reports a server with a wrong role.
type roleError struct {
	name       string
	role, want Role
}

func (e *roleError) Error() string {
	return fmt.Sprintf("the certificate of %s is for a %s, not for a %s", e.name, e.role, e.want)
}

// fault explains an error of a handshake with a server.
func (t *clientTLS) fault(authority string, err error) error {
	if plain := (tls.RecordHeaderError{}); errors.As(err, &plain) {
		return faultf(err, "it does not speak TLS: leave out --tls-ca here, or give it --tls-cert and --tls-key")
	}
	if other := new(roleError); errors.As(err, &other) {
		return faultf(err, "%v", other)
	}
	if why := certificateFault(err); why != "" {
		return faultf(err, "the server's certificate %s", why)
	}
	if unknown := (x509.UnknownAuthorityError{}); errors.As(err, &unknown) {
		where := "in " + t.file
		if t.pool == nil {
			where = "of this machine"
		}
		return faultf(err, "the server's certificate is not signed by any authority %s: --tls-ca must name the one that signed it", where)
	}
	if host := (x509.HostnameError{}); errors.As(err, &host) {
		return faultf(err, "the server's certificate is for %[2]s, not for %[1]s: use such a name, or give one with --tls-server-name",
			host.Host, namesOf(host.Certificate))
	}
	if why := alertFault(err); why != "" {
		return faultf(err, "%s", why)
	}
	if ended(err) {
		return &faultError{mark: guessMark, text: authority + " does not speak TLS 1.3, or is stopping", cause: err}
	}
	return err
}

// certificateFault returns what is wrong with a certificate itself, or the empty
// text.
func certificateFault(err error) string {
	var invalid x509.CertificateInvalidError
	if !errors.As(err, &invalid) {
		return ""
	}
	switch {
	case invalid.Reason != x509.Expired:
		if invalid.Reason == x509.IncompatibleUsage {
			return "is not for this use: servers need serverAuth, clients clientAuth"
		}
		return "cannot be used: " + strings.TrimPrefix(invalid.Error(), "x509: ")
	case invalid.Cert == nil:
		return "has expired, or is not valid yet"
	case strings.Contains(invalid.Detail, "is before"):
		return "is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.RFC3339) + ", unless the clock is wrong"
	}
	return "expired at " + invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
}

// namesOf lists the hosts that a certificate is for.
func namesOf(cert *x509.Certificate) string {
	names := append([]string(nil), cert.DNSNames...)
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no host"
	}
	return strings.Join(names, ", ")
}

// The TLS alerts (RFC 8446, section 6) with which a server rejects a client.
const (
	alertBadCertificate      = 42
	alertCertificateExpired  = 45
	alertCertificateUnknown  = 46
	alertUnknownCA           = 48
	alertProtocolVersion     = 70
	alertCertificateRequired = 116
)

// alertFault returns why the other side refuses, or the empty text if it did not say.
func alertFault(err error) string {
	var remote *net.OpError
	if !errors.As(err, &remote) || remote.Op != "remote error" {
		return ""
	}
	says := func(alert tls.AlertError) bool { return remote.Err.Error() == alert.Error() }
	switch {
	case says(alertCertificateRequired):
		return needCertificate
	case says(alertUnknownCA):
		return "the server does not know the authority that signed the client certificate: --tls-cert must name one that its own authority signed"
	case says(alertCertificateExpired):
		return "the client certificate has expired: --tls-cert must name one that is valid"
	case says(alertBadCertificate), says(alertCertificateUnknown):
		return "the server refuses the client certificate: --tls-cert must name one for clients"
	case says(alertProtocolVersion):
		return "the server does not speak TLS 1.3"
	}
	return "the server refuses the connection: " + strings.TrimPrefix(remote.Err.Error(), "tls: ")
}

// greetingFault explains a connection that the server closes after the handshake: in
// TLS 1.3, that is when it checks the client's certificate.
func (t *clientTLS) greetingFault(err error) error {
	if why := alertFault(err); why != "" {
		return faultf(err, "%s", why)
	}
	if !ended(err) {
		return err
	}
	why := "the server refuses the client certificate, or is stopping"
	if t.pair == nil {
		why = needCertificate + ", or the server is stopping"
	}
	return &faultError{mark: guessMark, text: why, cause: err}
}

// plainFault explains a failed unencrypted connection. Servers that speak TLS close
// it without a message.
func plainFault(err error) error {
	if !ended(err) {
		return err
	}
	return &faultError{mark: guessMark, text: "it may be stopping; if it speaks TLS, name its authority with --tls-ca FILE", cause: err}
}

// ended reports whether the other side closed the connection.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// explainedConn is a connection that explains why nothing was ever received over it.
type explainedConn struct {
	net.Conn

	explain func(error) error
	heard   atomic.Bool
}

func (g *explainedConn) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if n > 0 && !g.heard.Load() {
		g.heard.Store(true)
	}
	return n, g.explained(err)
}

func (g *explainedConn) Write(p []byte) (int, error) {
	n, err := g.Conn.Write(p)
	return n, g.explained(err)
}

func (g *explainedConn) explained(err error) error {
	if err == nil || g.heard.Load() {
		return err
	}
	return g.explain(err)
}

// serverFault explains an error of a handshake with a client.
func serverFault(err error) string {
	if plain := (tls.RecordHeaderError{}); errors.As(err, &plain) {
		return "it does not speak TLS"
	}
	if why := certificateFault(err); why != "" {
		return "its certificate " + why
	}
	if unknown := (x509.UnknownAuthorityError{}); errors.As(err, &unknown) {
		return "its certificate is not signed by an authority trusted here"
	}
	if why := alertFault(err); why != "" {
		return "it refuses this server: " + strings.TrimPrefix(err.Error(), "remote error: tls: ")
	}
	return err.Error()
}
