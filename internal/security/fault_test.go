package security

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// said returns what people are told about a call.
func said(err error) string {
	s := status.Convert(err)
	if why, _ := Why(s.Message()); why != "" {
		return why
	}
	return s.Message()
}

// TestFaults tells each way in which credentials can be wrong.
func TestFaults(t *testing.T) {
	t.Parallel()
	s, foreign := newSet(t), newSet(t)
	s.issue(t, "late", &x509.Certificate{Subject: subject("late", "operator"), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, days(-20, -10))
	s.issue(t, "early", &x509.Certificate{Subject: subject("early", "coordinator"), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, days(10, 20))
	s.issue(t, "elsewhere", &x509.Certificate{DNSNames: []string{"a.example", "b.example"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)}}, days(-1, 1))
	s.issue(t, "nobody", &x509.Certificate{Subject: subject("Nobody", "accounting")}, days(-1, 1))
	s.issue(t, "both", &x509.Certificate{Subject: subject("Both", "viewer", "operator")}, days(-1, 1))
	s.issue(t, "public", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, days(-1, 1))
	s.issue(t, "caller", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, days(-1, 1))
	dates := func(name string) *x509.Certificate {
		pair, err := keepPair(nil, s.cert(name), s.key(name))
		if err != nil {
			t.Fatal(err)
		}
		return pair.get().Leaf
	}

	with := func(name string) ServerOptions {
		return ServerOptions{CertFile: s.cert(name), KeyFile: s.key(name), ClientCAFile: s.ca(), TokenFile: s.tokens()}
	}
	mutual := with("coordinator")
	mutual.TokenFile = ""
	tokensOnly := with("coordinator")
	tokensOnly.ClientCAFile = ""
	renamed := s.client("viewer")
	renamed.ServerName = "b.example"

	for _, test := range []struct {
		name   string
		server ServerOptions
		client ClientOptions
		want   string // empty: the call ends well
		or     string // what a connection that ends too early looks like
	}{
		{"all is well", mutual, s.client("viewer"), "", ""},
		{"no role in a server's certificate", with("public"), s.client("viewer"), "", ""},
		{"other name", with("elsewhere"), renamed, "", ""},
		{"a token counts, a certificate does not", with("coordinator"), ClientOptions{CAFile: s.ca(), CertFile: s.cert("nobody"), KeyFile: s.key("nobody"), Token: viewerToken}, "", ""},
		{"a token that nobody wants", mutual, ClientOptions{CAFile: s.ca(), CertFile: s.cert("viewer"), KeyFile: s.key("viewer"), Token: "x0123456789abcdef"}, "", ""},

		{"TLS here only", ServerOptions{TokenFile: s.tokens()}, s.client("viewer"), "it does not speak TLS: leave out --tls-ca here, or give it --tls-cert and --tls-key", ""},
		{"TLS there only", mutual, ClientOptions{}, "it may be stopping; if it speaks TLS, name its authority with --tls-ca FILE", ""},
		{"server of another authority", mutual, ClientOptions{CAFile: foreign.ca()}, "the server's certificate is not signed by any authority in " + foreign.ca() + ": --tls-ca must name the one that signed it", ""},
		{"server of no known authority", mutual, ClientOptions{CAFile: SystemCA}, "the server's certificate is not signed by any authority of this machine: --tls-ca must name the one that signed it", ""},
		{"server of another host", with("elsewhere"), s.client("viewer"), "the server's certificate is for a.example, b.example, 10.0.0.1, not for 127.0.0.1: use such a name, or give one with --tls-server-name", ""},
		{"server too late", with("late"), s.client("viewer"), "the server's certificate expired at " + dates("late").NotAfter.UTC().Format(time.RFC3339), ""},
		{"server too early", with("early"), s.client("viewer"), "the server's certificate is not valid before " + dates("early").NotBefore.UTC().Format(time.RFC3339) + ", unless the clock is wrong", ""},
		{"a client poses as the server", with("caller"), s.client("viewer"), "the server's certificate is not for this use: servers need serverAuth, clients clientAuth", ""},
		{"a worker poses as the coordinator", with("worker"), s.client("viewer"), "the certificate of worker is for a worker, not for a coordinator", ""},

		{"no certificate", mutual, ClientOptions{CAFile: s.ca()}, needCertificate, needCertificate + ", or the server is stopping"},
		{"certificate of another authority", mutual, ClientOptions{CAFile: s.ca(), CertFile: foreign.cert("viewer"), KeyFile: foreign.key("viewer")}, "the server does not know the authority that signed the client certificate: --tls-cert must name one that its own authority signed", "the server refuses the client certificate, or is stopping"},
		{"certificate too late", mutual, s.client("late"), "the client certificate has expired: --tls-cert must name one that is valid", "the server refuses the client certificate, or is stopping"},
		{"certificate of a server", mutual, s.client("public"), "the server refuses the client certificate: --tls-cert must name one for clients", "the server refuses the client certificate, or is stopping"},
		{"certificate without a role", mutual, s.client("nobody"), "the certificate of Nobody has no role: one unit (OU) of its subject must be viewer, operator, worker or coordinator", ""},
		{"certificate of two roles", mutual, s.client("both"), "the certificate of Both has no role: one unit (OU) of its subject must be viewer, operator, worker or coordinator", ""},
		{"certificate of the wrong role", mutual, s.client("worker"), "ListRuns is for viewers and operators, but worker is a worker", ""},

		{"neither", with("coordinator"), ClientOptions{CAFile: s.ca()}, "a certificate (--tls-cert and --tls-key) or a token (--token-file) is needed", ""},
		{"no token", tokensOnly, s.client("viewer"), "a token is needed: --token-file FILE or EVERYSTATE_TOKEN", ""},
		{"unknown token", tokensOnly, ClientOptions{CAFile: s.ca(), Token: "something-else-0123"}, "unknown token: --token-file must name a file with a valid one", ""},
		{"token of the wrong role", tokensOnly, ClientOptions{CAFile: s.ca(), Token: workerToken}, "ListRuns is for viewers and operators, but token 98724974 is a worker", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := said(list(t, connect(t, serve(t, test.server, &services{}), test.client)))
			if got != test.want && (test.or == "" || got != test.or) {
				t.Errorf("says %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestNobodyIsAsked calls a server that has neither authorities nor tokens.
func TestNobodyIsAsked(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	for name, o := range map[string]ServerOptions{
		"plain": {},
		"TLS":   {CertFile: s.cert("coordinator"), KeyFile: s.key("coordinator")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := ClientOptions{Token: viewerToken}
			if o.CertFile != "" {
				client.CAFile = s.ca()
			}
			if err := list(t, connect(t, serve(t, o, &services{}), client)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTokenStaysHere shows that a token leaves the machine over encrypted
// connections only, unless it was said that it may.
func TestTokenStaysHere(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	addr := serve(t, ServerOptions{TokenFile: s.tokens()}, &services{})
	for _, test := range []struct {
		name     string
		loopback bool
		insecure bool
		want     string
	}{
		{"this machine", true, false, ""},
		{"another", false, false, "refusing to send the token unencrypted to another machine: encrypt with --tls-ca FILE, or allow it with --insecure"},
		{"another, insecure", false, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts, err := Dial(ClientOptions{Token: viewerToken, Insecure: test.insecure})
			if err != nil {
				t.Fatal(err)
			}
			if !test.loopback {
				opts[0] = grpc.WithTransportCredentials(&farAway{clientPlain{}})
			}
			conn, err := grpc.NewClient("passthrough:///"+addr, opts...)
			if err != nil {
				t.Fatal(err)
			}
			got := status.Convert(list(t, conn))
			if got.Message() != test.want || test.want != "" && got.Code() != codes.Unauthenticated {
				t.Errorf("%v, want %q", got, test.want)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRelay calls on behalf of somebody who has done nothing wrong.
func TestRelay(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	addr := serve(t, ServerOptions{TokenFile: s.tokens()}, &services{})
	const want = ": a token is needed: --token-file FILE or EVERYSTATE_TOKEN"
	records := everystatev1.NewRecordServiceClient(connect(t, addr, ClientOptions{Relay: true}))
	_, err := records.FindRecord(t.Context(), &everystatev1.FindRecordRequest{})
	check := func(err error) {
		t.Helper()
		if status.Code(err) != codes.Unavailable || !strings.HasSuffix(status.Convert(err).Message(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check(err)
	stream, err := records.ReadLayer(t.Context(), &everystatev1.ReadLayerRequest{})
	if err == nil {
		_, err = stream.Recv()
	}
	check(err)
	if relayed(nil, nil) != nil || relayed(nil, os.ErrClosed) == nil {
		t.Error("errors of others are not to be touched")
	}
}

func TestWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		why  string
		sure bool
	}{
		"": {},
		`connection error: desc = "transport: Error while dialing: connection refused"`:            {},
		`connection error: desc = "transport: authentication handshake failed: credentials: no"`:   {"no", true},
		`last: \"connection error: desc = \"error reading: connection closed at once: no TLS\"\" `: {"no TLS", false},
	} {
		if why, sure := Why(text); why != want.why || sure != want.sure {
			t.Errorf("%s: %q, %t", text, why, sure)
		}
	}
	cause := errors.New("cause")
	if err := fmt.Errorf("x: %w", faultf(cause, "why")); !errors.Is(err, cause) {
		t.Error("a fault hides its cause")
	}
}
