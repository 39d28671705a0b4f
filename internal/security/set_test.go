package security

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// set is a directory with certificates and a token file.
type set struct{ dir string }

// The tokens of a set.
const (
	workerToken   = "worker-0123456789abcdef"
	operatorToken = "operator-0123456789abcdef"
	viewerToken   = "viewer-0123456789abcdef"
)

func newSet(t *testing.T) set {
	t.Helper()
	s := set{t.TempDir()}
	if _, err := WriteSet(s.dir, SetOptions{Days: 2, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.tokens(), "# who may\nworker   "+workerToken+"\n\noperator\t"+operatorToken+"\nviewer "+viewerToken+"\n")
	return s
}

func (s set) cert(name string) string { return filepath.Join(s.dir, name+CertExt) }
func (s set) key(name string) string  { return filepath.Join(s.dir, name+KeyExt) }
func (s set) ca() string              { return s.cert(CAName) }
func (s set) tokens() string          { return filepath.Join(s.dir, "tokens") }

// client calls with the certificate of that name.
func (s set) client(name string) ClientOptions {
	return ClientOptions{CAFile: s.ca(), CertFile: s.cert(name), KeyFile: s.key(name)}
}

// issue adds a certificate to the set.
func (s set) issue(t *testing.T, name string, template *x509.Certificate, o SetOptions) {
	t.Helper()
	pair, err := keepPair(nil, s.ca(), s.key(CAName))
	if err != nil {
		t.Fatal(err)
	}
	key, ok := pair.get().PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		t.Fatalf("%T", pair.get().PrivateKey)
	}
	if template.Subject.CommonName == "" {
		template.Subject.CommonName = name
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	if template.ExtKeyUsage == nil {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	}
	p, err := sign(template, &o, &issued{pair.get().Leaf, key})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.write(s.dir, name); err != nil {
		t.Fatal(err)
	}
}

// subject is one with units.
func subject(name string, units ...string) pkix.Name {
	return pkix.Name{CommonName: name, OrganizationalUnit: units}
}

// days are options of certificates that are valid from one day on to another.
func days(from, to int) SetOptions {
	return SetOptions{Now: time.Now().AddDate(0, 0, from), Days: to - from}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// services implements no method, so that a call that is let in is answered with
// Unimplemented.
type services struct {
	everystatev1.UnimplementedRunServiceServer
	everystatev1.UnimplementedRecordServiceServer
	everystatev1.UnimplementedSessionServiceServer
	everystatev1.UnimplementedExchangeServiceServer
	everystatev1.UnimplementedSweepServiceServer
	everystatev1.UnimplementedProofServiceServer

	// called is told who calls ListRuns, if it is not nil.
	called func(ctx context.Context)
}

func (s *services) ListRuns(ctx context.Context, _ *everystatev1.ListRunsRequest) (*everystatev1.ListRunsResponse, error) {
	if s.called != nil {
		s.called(ctx)
	}
	return &everystatev1.ListRunsResponse{}, nil
}

// register registers all that a coordinator and a worker register.
func register(g *grpc.Server, s *services) {
	everystatev1.RegisterRunServiceServer(g, s)
	everystatev1.RegisterRecordServiceServer(g, s)
	everystatev1.RegisterSessionServiceServer(g, s)
	everystatev1.RegisterExchangeServiceServer(g, s)
	everystatev1.RegisterSweepServiceServer(g, s)
	everystatev1.RegisterProofServiceServer(g, s)
	healthv1.RegisterHealthServer(g, health.NewServer())
	reflection.Register(g)
}

// serve returns the address of a server.
func serve(t *testing.T, o ServerOptions, s *services) string {
	t.Helper()
	server, err := NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	lis, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(server.Options()...)
	register(g, s)
	done := make(chan error, 1)
	go func() { done <- g.Serve(lis) }()
	t.Cleanup(func() {
		g.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return lis.Addr().String()
}

// connect returns a connection that has not been tried.
func connect(t *testing.T, addr string, o ClientOptions) *grpc.ClientConn {
	t.Helper()
	opts, err := Dial(o)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("passthrough:///"+addr, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// list calls ListRuns.
func list(t *testing.T, conn *grpc.ClientConn) error {
	t.Helper()
	_, err := everystatev1.NewRunServiceClient(conn).ListRuns(t.Context(), &everystatev1.ListRunsRequest{})
	return err
}
