package security

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// registered lists the methods of all services, by their full names.
func registered() map[string]grpc.MethodInfo {
	g := grpc.NewServer()
	register(g, &services{})
	all := make(map[string]grpc.MethodInfo)
	for service, info := range g.GetServiceInfo() {
		for _, m := range info.Methods {
			all["/"+service+"/"+m.Name] = m
		}
	}
	return all
}

// TestTableHoldsAllMethods fails when a service has a method for which nobody has
// said who may call it, and when the table has one that is gone.
func TestTableHoldsAllMethods(t *testing.T) {
	t.Parallel()
	all := registered()
	for method := range all {
		if _, ok := methods[method]; !ok {
			t.Errorf("the table does not say who may call %s", method)
		}
	}
	for method := range methods {
		if _, ok := all[method]; !ok {
			t.Errorf("the table has %s, which no service has", method)
		}
	}
}

// allowed is written out: the table must not be held against itself.
var allowed = map[string]string{
	"SubmitRun":   "operator",
	"ControlRun":  "operator",
	"ListRuns":    "viewer operator",
	"GetRun":      "viewer operator",
	"GetJournal":  "viewer operator",
	"FindRecord":  "viewer operator worker coordinator",
	"ReadLayer":   "viewer operator worker coordinator",
	"FindDepths":  "viewer operator worker coordinator",
	"Synchronize": "worker",
	"Send":        "worker",

	"ProveRun":          "viewer operator",
	"ProveShare":        "coordinator",
	"CompareSuccessors": "worker",

	"Check": "viewer operator worker coordinator nobody",
	"List":  "viewer operator worker coordinator nobody",
	"Watch": "viewer operator worker coordinator nobody",

	"UploadModule": "operator",
	"FetchModule":  "worker",
	"TakeUnit":     "worker",
	"CommitUnit":   "worker",

	"ServerReflectionInfo": "viewer operator worker coordinator",
}

// invoke calls a method with an empty request.
func invoke(ctx context.Context, conn *grpc.ClientConn, method string, info grpc.MethodInfo) error {
	if !info.IsClientStream && !info.IsServerStream {
		return conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: info.IsClientStream, ServerStreams: info.IsServerStream}, method)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(&emptypb.Empty{}); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if err := stream.RecvMsg(&emptypb.Empty{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// TestRoles calls every method as everybody, by certificate and by token, over
// connections that are encrypted and that are not.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	tls := ServerOptions{CertFile: s.cert("coordinator"), KeyFile: s.key("coordinator"), ClientCAFile: s.ca(), TokenFile: s.tokens()}
	either := serve(t, tls, &services{})
	plain := serve(t, ServerOptions{TokenFile: s.tokens()}, &services{})
	tls.TokenFile = ""
	mutual := serve(t, tls, &services{})

	token := func(ca, text string) ClientOptions { return ClientOptions{CAFile: ca, Token: text} }
	for _, test := range []struct {
		name, role, addr string
		client           ClientOptions
	}{
		{"mutual viewer", "viewer", mutual, s.client("viewer")},
		{"mutual operator", "operator", mutual, s.client("operator")},
		{"mutual worker", "worker", mutual, s.client("worker")},
		{"mutual coordinator", "coordinator", mutual, s.client("coordinator")},
		{"either, viewer's certificate", "viewer", either, s.client("viewer")},
		{"either, coordinator's certificate", "coordinator", either, s.client("coordinator")},
		{"either, viewer's token", "viewer", either, token(s.ca(), viewerToken)},
		{"either, operator's token", "operator", either, token(s.ca(), operatorToken)},
		{"either, worker's token", "worker", either, token(s.ca(), workerToken)},
		{"either, unknown token", "nobody", either, token(s.ca(), "something-else-0123456789")},
		{"either, nothing", "nobody", either, token(s.ca(), "")},
		{"plain viewer", "viewer", plain, token("", viewerToken)},
		{"plain operator", "operator", plain, token("", operatorToken)},
		{"plain worker", "worker", plain, token("", workerToken)},
		{"plain, unknown token", "nobody", plain, token("", "something-else-0123456789")},
		{"plain, nothing", "nobody", plain, ClientOptions{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, test.addr, test.client)
			for method, info := range registered() {
				err := invoke(t.Context(), conn, method, info)
				in := !slices.Contains([]codes.Code{codes.PermissionDenied, codes.Unauthenticated, codes.Unavailable}, status.Code(err))
				if may := slices.Contains(strings.Fields(allowed[shortName(method)]), test.role); in != may {
					t.Errorf("%s: %v, may: %t", method, err, may)
				}
				if !in && (test.role == "nobody") != (status.Code(err) == codes.Unauthenticated) {
					t.Errorf("%s: %v is not what a %s should be told", method, err, test.role)
				}
			}
		})
	}
}
