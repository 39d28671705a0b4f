package prove

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestExplain checks that the error of a call to another worker names that worker, and says
// what became of the connection.
func TestExplain(t *testing.T) {
	t.Parallel()
	p := &peer{begin: &everystatev1.CompareSuccessorsRequest{Receiver: "v"}, address: "10.0.0.2:7001"}
	for _, test := range []struct {
		err  error
		code codes.Code
		want string
	}{
		{status.Error(codes.Unavailable, "error reading from server: EOF"), codes.Unavailable, "the connection to worker v at 10.0.0.2:7001 broke"},
		{status.Error(codes.Unavailable, "connection error: desc = refused"), codes.Unavailable, "worker v does not answer at 10.0.0.2:7001"},
		{status.Error(codes.NotFound, "no such proof"), codes.NotFound, "worker v: no such proof"},
		{errors.New("compared 3 successors of 4"), codes.Unknown, "worker v: compared 3 successors of 4"},
	} {
		if got := status.Convert(p.explain(test.err)); got.Code() != test.code || got.Message() != test.want {
			t.Errorf("%v: %v %q, want %q", test.err, got.Code(), got.Message(), test.want)
		}
	}
}
