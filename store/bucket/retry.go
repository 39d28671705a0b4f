package bucket

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/aws/smithy-go"
)

// Retryable reports whether the same call may succeed later without anybody doing
// anything: after timeouts, a server's 5xx, throttling, and connections that were
// refused or broke. It returns false for a cancelled context, for this package's own
// errors, for missing rights, credentials, space or bucket, and for a host without an
// address. The expired deadline of the caller's own context counts as a timeout; the
// caller can tell it by the context.
func Retryable(err error) bool {
	var taken *TakenError
	var hole *HoleError
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case err == nil, IsCorruption(err), errors.As(err, &taken), errors.As(err, &hole), errors.Is(err, context.Canceled),
		errors.Is(err, ErrNotExist), errors.Is(err, ErrExist), errors.Is(err, ErrRemains),
		badCredentials(err), badCertificate(err):
		return false
	case errors.Is(err, errContended), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return true
	}
	if status, code := serverSaid(err); status != 0 || code != "" {
		return transient(status, code)
	}
	switch {
	case errors.As(err, &dns):
		return !dns.IsNotFound
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "read" || op.Op == "write"):
		return true
	case isTimeout(err):
		return true
	}
	for _, transient := range []error{
		io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT,
	} {
		if errors.Is(err, transient) {
			return true
		}
	}
	// A server may close a connection instead of answering.
	var u *url.Error
	return errors.As(err, &u) && errors.Is(u.Err, io.EOF)
}

const (
	retryFirst = 200 * time.Millisecond
	retryMax   = 10 * time.Second
)

// RetryAfter returns how long to wait before the next try after that many Retryable
// failures in a row, at least one.
func RetryAfter(failures int) time.Duration {
	return min(retryFirst<<min(failures-1, 16), retryMax)
}

// Wait waits for RetryAfter, or until ctx ends, and then returns its error.
func Wait(ctx context.Context, failures int) error {
	timer := time.NewTimer(RetryAfter(failures))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// serverSaid returns the HTTP status and the error code of a server's answer, as far as
// it has them.
func serverSaid(err error) (status int, code string) {
	var s interface{ HTTPStatusCode() int }
	if errors.As(err, &s) {
		status = s.HTTPStatusCode()
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	if status == http.StatusOK {
		status = 0 // the body broke off, or contained an error
	}
	return status, code
}

func transient(status int, code string) bool {
	switch code {
	case "NotImplemented":
		return false
	case "RequestTimeout", "SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequests",
		"BandwidthLimitExceeded", "InternalError", "ServiceUnavailable", "OperationAborted", "ConditionalRequestConflict":
		return true
	}
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented ||
		status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// badCredentials reports whether there were no credentials to sign a request with. The
// SDK has no type for that, and the error may come from a service that refused the
// connection when it was asked for credentials.
func badCredentials(err error) bool {
	return strings.Contains(err.Error(), "get credentials:") || strings.Contains(err.Error(), "failed to refresh cached credentials")
}

func badCertificate(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &host)
}

// explain returns the message of an error without what libraries have wrapped around it.
func explain(err error) string {
	var (
		said *causeError
		dns  *net.DNSError
		op   *net.OpError
		file *fs.PathError
		link *os.LinkError
		u    *url.Error
		api  smithy.APIError
	)
	switch {
	case errors.As(err, &said):
		return said.text
	case errors.Is(err, context.Canceled):
		return context.Canceled.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded.Error()
	case badCredentials(err):
		return "no valid credentials found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a role of this machine"
	case errors.As(err, &api):
		return sayAPI(err, api)
	case errors.As(err, &dns):
		return dns.Error()
	case errors.As(err, &op):
		return op.Error()
	case errors.As(err, &file):
		return file.Err.Error()
	case errors.As(err, &link):
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) && link.Op == "link" {
			return fmt.Sprintf("the file system does not support hard links, which a bucket needs: %v", link.Err)
		}
		return link.Err.Error()
	case errors.As(err, &u) && errors.Is(u.Err, io.EOF):
		return "the server closed the connection"
	case errors.As(err, &u):
		return u.Err.Error()
	}
	if status, _ := serverSaid(err); status != 0 {
		return fmt.Sprintf("the server answered %d %s", status, http.StatusText(status))
	}
	return err.Error()
}

// sayAPI returns the code and the text of a server's answer.
func sayAPI(err error, api smithy.APIError) string {
	said := api.ErrorCode()
	if text := api.ErrorMessage(); text != "" && text != said {
		said += ": " + strings.TrimSuffix(text, ".")
	}
	if status, _ := serverSaid(err); status != 0 {
		said = fmt.Sprintf("%s (%d)", said, status)
	}
	return said
}
