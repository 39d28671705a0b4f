package security

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// ServerOptions configure a server's credentials and whom it lets in.
type ServerOptions struct {
	// CertFile and KeyFile are the server's own, both or none. None means no TLS.
	CertFile, KeyFile string

	// ClientCAFile holds the authorities that vouch for callers. Empty means that
	// callers are not asked for certificates. It requires CertFile.
	ClientCAFile string

	// TokenFile holds the tokens of callers. Empty means none. With both files a
	// caller may present either; with ClientCAFile alone, one without a certificate
	// gets no connection.
	TokenFile string

	// Log, if not nil, receives changes, denials and reloads.
	Log *slog.Logger
}

// Server admits calls. It does not authenticate callers if it has neither authorities
// nor tokens.
type Server struct {
	log    *slog.Logger
	pair   *reloaded[*tls.Certificate] // nil without TLS
	pool   *reloaded[*x509.CertPool]   // nil if certificates do not count
	tokens *reloaded[tokens]           // nil if tokens do not count
}

// NewServer reads the files.
func NewServer(o ServerOptions) (s *Server, err error) {
	s = &Server{log: o.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	switch {
	case (o.CertFile == "") != (o.KeyFile == ""):
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	case o.ClientCAFile != "" && o.CertFile == "":
		return nil, errors.New("a server that requires client certificates needs one of its own: --tls-cert FILE and --tls-key FILE")
	case o.ClientCAFile == SystemCA:
		return nil, errors.New("--client-ca system would accept anyone with a public certificate: name a file of your own authorities")
	}
	if o.CertFile != "" {
		if s.pair, err = keepPair(s.log, o.CertFile, o.KeyFile); err != nil {
			return nil, err
		}
	}
	if o.ClientCAFile != "" {
		if s.pool, err = keepPool(s.log, o.ClientCAFile); err != nil {
			return nil, err
		}
	}
	if o.TokenFile != "" {
		if s.tokens, err = keepTokens(s.log, o.TokenFile); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Encrypts reports whether connections are encrypted.
func (s *Server) Encrypts() bool { return s.pair != nil }

// Authenticates reports whether callers are authenticated.
func (s *Server) Authenticates() bool { return s.pool != nil || s.tokens != nil }

// Options returns options for a gRPC server.
func (s *Server) Options() []grpc.ServerOption {
	var opts []grpc.ServerOption
	if s.Encrypts() {
		opts = append(opts, grpc.Creds(&serverTLS{credentials.NewTLS(s.config()), s}))
	}
	if s.Authenticates() {
		opts = append(opts, grpc.ChainUnaryInterceptor(s.unary), grpc.ChainStreamInterceptor(s.stream))
	}
	return opts
}

// config returns the configuration for one handshake.
func (s *Server) config() *tls.Config {
	c := &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{*s.pair.get()},
		// A resumed session would bypass the expiry of a certificate.
		SessionTicketsDisabled: true,
	}
	if s.pool != nil {
		c.ClientCAs, c.ClientAuth = s.pool.get(), tls.RequireAndVerifyClientCert
		if s.tokens != nil {
			c.ClientAuth = tls.VerifyClientCertIfGiven
		}
	}
	return c
}

// serverTLS performs each handshake with the current contents of the files.
type serverTLS struct {
	credentials.TransportCredentials

	server *Server
}

func (t *serverTLS) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := credentials.NewTLS(t.server.config()).ServerHandshake(raw)
	// A probe that merely checks for a listener is not logged.
	if err != nil && !errors.Is(err, io.EOF) {
		t.server.log.Warn("connection refused", "peer", raw.RemoteAddr().String(), "error", serverFault(err))
	}
	return conn, info, err
}

func (t *serverTLS) Clone() credentials.TransportCredentials { return t }

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	ctx, err := s.admit(ctx, info.FullMethod)
	if err != nil {
		return nil, err
	}
	if id, ok := IdentityOf(ctx); ok {
		if err := grpc.SetHeader(ctx, metadata.Pairs(roleHeader, id.Role.String())); err != nil {
			return nil, err
		}
	}
	return handle(ctx, req)
}

func (s *Server) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	ctx, err := s.admit(stream.Context(), info.FullMethod)
	if err != nil {
		return err
	}
	return handle(srv, &authenticatedStream{stream, ctx})
}

// authenticatedStream is a stream with an authenticated caller.
type authenticatedStream struct {
	grpc.ServerStream

	ctx context.Context //nolint:containedctx // a stream hands its context out by a method
}

func (a *authenticatedStream) Context() context.Context { return a.ctx }

// admit admits a call, or returns the reason why not, as a status.
func (s *Server) admit(ctx context.Context, method string) (context.Context, error) {
	may, known := methods[method]
	if may.open {
		return ctx, nil
	}
	id, err := s.identify(ctx)
	if err == nil && (!known || !may.allows(id.Role)) {
		err = deny(id, method, may, known)
	}
	address := ""
	if p, ok := peer.FromContext(ctx); ok {
		address = p.Addr.String()
	}
	if err != nil {
		s.log.Warn("call denied", "call", shortName(method), "peer", address, "error", status.Convert(err).Message())
		return nil, err
	}
	if may.change {
		s.log.Info("call", "call", shortName(method), "by", id.String(), "peer", address)
	}
	return context.WithValue(ctx, identityKey{}, id), nil
}

func deny(id Identity, method string, may access, known bool) error {
	if !known {
		return status.Errorf(codes.PermissionDenied, "%s: no role may make this call", shortName(method))
	}
	return status.Errorf(codes.PermissionDenied, "%s is for %s, but %s is a %s", shortName(method), may.who(), id.Name, id.Role)
}

// identify authenticates the caller.
func (s *Server) identify(ctx context.Context) (Identity, error) {
	if text, ok := bearer(ctx); ok && s.tokens != nil {
		t, ok := s.tokens.get().find(text)
		if !ok {
			return Identity{}, status.Error(codes.Unauthenticated, "unknown token: --token-file must name a file with a valid one")
		}
		return Identity{Name: t.name(), Role: t.role}, nil
	}
	if cert := certificateOf(ctx); cert != nil {
		role := roleOf(cert)
		if role == 0 {
			return Identity{}, status.Errorf(codes.PermissionDenied,
				"the certificate of %s has no role: one unit (OU) of its subject must be viewer, operator, worker or coordinator", nameOf(cert))
		}
		return Identity{Name: nameOf(cert), Role: role}, nil
	}
	switch {
	case s.tokens == nil:
		return Identity{}, status.Error(codes.Unauthenticated, needCertificate)
	case s.pool == nil:
		return Identity{}, status.Error(codes.Unauthenticated, "a token is needed: --token-file FILE or EVERYSTATE_TOKEN")
	}
	return Identity{}, status.Error(codes.Unauthenticated, "a certificate (--tls-cert and --tls-key) or a token (--token-file) is needed")
}

// bearer returns the token that came with a call.
func bearer(ctx context.Context) (string, bool) {
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(values) == 0 {
		return "", false
	}
	scheme, text, _ := strings.Cut(values[0], " ")
	return text, strings.EqualFold(scheme, "Bearer")
}

// certificateOf returns the caller's verified certificate, nil if there is none.
func certificateOf(ctx context.Context) *x509.Certificate {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok || len(info.State.VerifiedChains) == 0 {
		return nil
	}
	return info.State.VerifiedChains[0][0]
}

// nameOf returns the name of a certificate's owner.
func nameOf(cert *x509.Certificate) string {
	if cert.Subject.CommonName == "" {
		return "an unnamed caller"
	}
	return cert.Subject.CommonName
}
