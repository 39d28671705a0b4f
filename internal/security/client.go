package security

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// ClientOptions configure how a client calls.
type ClientOptions struct {
	// CAFile holds the authorities trusted to vouch for servers, or is SystemCA.
	// Empty means no TLS.
	CAFile string

	// CertFile and KeyFile are the client's own, both or none. They require CAFile.
	CertFile, KeyFile string

	// ServerName is the name that the server's certificate must be for. Empty means
	// the host called.
	ServerName string

	// Servers are the roles that a server may have. A certificate without a role,
	// such as one from a public authority, is accepted too. None means a coordinator.
	Servers []Role

	// TokenFile is a file whose first token for the role TokenRole, or for any role if
	// that is zero, is sent with every call. It must hold one unless there is a client
	// certificate or Relay is set. Token is used if TokenFile is empty.
	TokenFile string
	TokenRole Role
	Token     string

	// Insecure allows sending the token over unencrypted connections that leave the
	// machine.
	Insecure bool

	// Relay marks calls made on behalf of others. They should see a denial as the
	// server being unavailable, not as a fault of theirs.
	Relay bool

	// Log, if not nil, receives reloads.
	Log *slog.Logger
}

// Dial reads the files and returns options for a gRPC client. Without any option,
// connections are neither encrypted nor authenticated.
func Dial(o ClientOptions) ([]grpc.DialOption, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Servers) == 0 {
		o.Servers = []Role{Coordinator}
	}
	transport, err := newClientTransport(&o)
	if err != nil {
		return nil, err
	}
	opts := []grpc.DialOption{grpc.WithTransportCredentials(transport)}
	if o.TokenFile != "" || o.Token != "" {
		t, err := newBearerToken(&o)
		if err != nil {
			return nil, err
		}
		opts = append(opts, grpc.WithPerRPCCredentials(t))
	}
	if o.Relay {
		opts = append(opts, grpc.WithChainUnaryInterceptor(relayUnary), grpc.WithChainStreamInterceptor(relayStream))
	}
	return opts, nil
}

func newClientTransport(o *ClientOptions) (credentials.TransportCredentials, error) {
	switch {
	case (o.CertFile == "") != (o.KeyFile == ""):
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	case o.CAFile == "" && o.CertFile != "":
		return nil, errors.New("a client certificate also needs the server's authority")
	case o.CAFile == "":
		return &clientPlain{insecure.NewCredentials()}, nil
	}
	t := &clientTLS{file: o.CAFile, name: o.ServerName, servers: o.Servers}
	var err error
	if o.CAFile != SystemCA {
		if t.pool, err = keepPool(o.Log, o.CAFile); err != nil {
			return nil, err
		}
	}
	if o.CertFile != "" {
		if t.pair, err = keepPair(o.Log, o.CertFile, o.KeyFile); err != nil {
			return nil, err
		}
	}
	t.TransportCredentials = credentials.NewTLS(t.config())
	return t, nil
}

// clientTLS performs each handshake with the current contents of the files, and adds
// to errors what would be right.
type clientTLS struct {
	credentials.TransportCredentials

	file, name string
	servers    []Role
	pool       *reloaded[*x509.CertPool]   // nil for the machine's authorities
	pair       *reloaded[*tls.Certificate] // nil for none
}

// config returns the configuration for one handshake.
func (t *clientTLS) config() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: t.name, VerifyConnection: t.checkRole}
	if t.pool != nil {
		c.RootCAs = t.pool.get()
	}
	if t.pair != nil {
		pair := t.pair.get()
		// It is sent whatever authorities the server names: the error about a wrong
		// certificate is better than the one about a missing one.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair, nil }
	}
	return c
}

// checkRole prevents another holder of a certificate of the cluster from posing as
// the server.
func (t *clientTLS) checkRole(state tls.ConnectionState) error {
	cert := state.PeerCertificates[0]
	if r := roleOf(cert); r != 0 && !slices.Contains(t.servers, r) {
		return &roleError{name: nameOf(cert), role: r, want: t.servers[0]}
	}
	return nil
}

func (t *clientTLS) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := credentials.NewTLS(t.config()).ClientHandshake(ctx, authority, raw)
	if err != nil {
		return nil, nil, t.fault(authority, err)
	}
	return &explainedConn{Conn: conn, explain: t.greetingFault}, info, nil
}

func (t *clientTLS) Clone() credentials.TransportCredentials { return t }

// clientPlain does not encrypt. It records whether a connection stays on the machine.
type clientPlain struct {
	credentials.TransportCredentials
}

// plainInfo describes an unencrypted connection.
type plainInfo struct {
	credentials.CommonAuthInfo

	loopback bool
}

// AuthType returns the kind of the connection.
func (plainInfo) AuthType() string { return "insecure" }

func (p *clientPlain) ClientHandshake(_ context.Context, _ string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	info := plainInfo{CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.NoSecurity}}
	if tcp, ok := raw.RemoteAddr().(*net.TCPAddr); ok {
		info.loopback = tcp.IP.IsLoopback()
	}
	return &explainedConn{Conn: raw, explain: plainFault}, info, nil
}

func (p *clientPlain) Clone() credentials.TransportCredentials { return p }

// bearerToken sends a token with every call.
type bearerToken struct {
	get      func() string // the empty text for none
	tls      bool
	insecure bool
}

func newBearerToken(o *ClientOptions) (*bearerToken, error) {
	b := &bearerToken{tls: o.CAFile != "", insecure: o.Insecure}
	if o.TokenFile == "" {
		t, err := newToken(o.Token, 0)
		b.get = func() string { return t.text }
		return b, err
	}
	file, err := keep(o.Log, func() (tokens, error) { return readTokens(o.TokenFile) }, o.TokenFile)
	if err != nil {
		return nil, err
	}
	b.get = func() string { return file.get().first(o.TokenRole) }
	if b.get() == "" && o.CertFile == "" && !o.Relay {
		return nil, fmt.Errorf("%s: no token with role %s", o.TokenFile, o.TokenRole)
	}
	return b, nil
}

// RequireTransportSecurity makes gRPC refuse unencrypted connections where
// connections should be encrypted.
func (b *bearerToken) RequireTransportSecurity() bool { return b.tls }

// GetRequestMetadata returns the header with the token. Over unencrypted connections,
// the token is sent only if they stay on this machine, unless insecure is set.
func (b *bearerToken) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	text := b.get()
	if text == "" {
		return nil, nil
	}
	if info, _ := credentials.RequestInfoFromContext(ctx); !b.tls && !b.insecure {
		if plain, ok := info.AuthInfo.(plainInfo); !ok || !plain.loopback {
			return nil, status.Error(codes.Unauthenticated,
				"refusing to send the token unencrypted to another machine: encrypt with --tls-ca FILE, or allow it with --insecure")
		}
	}
	return map[string]string{"authorization": "Bearer " + text}, nil
}

func relayUnary(ctx context.Context, method string, req, res any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	return relayed(conn, call(ctx, method, req, res, conn, opts...))
}

func relayStream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, conn, method, opts...)
	if err != nil {
		return nil, relayed(conn, err)
	}
	return &relayStreamOf{stream, conn}, nil
}

// relayStreamOf is a stream opened on behalf of another caller.
type relayStreamOf struct {
	grpc.ClientStream

	conn *grpc.ClientConn
}

func (r *relayStreamOf) RecvMsg(m any) error { return relayed(r.conn, r.ClientStream.RecvMsg(m)) }

// relayed turns a denial into the server being unavailable.
func relayed(conn *grpc.ClientConn, err error) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	why, _ := Why(s.Message())
	if s.Code() == codes.Unauthenticated || s.Code() == codes.PermissionDenied {
		why = s.Message()
	}
	if why == "" {
		return err
	}
	return status.Error(codes.Unavailable, fmt.Sprintf("cannot query the worker at %s: %s", conn.Target(), why))
}
