package relay

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	k := Keeper{Name: "w", Address: "10.0.0.1:7001"}
	for _, test := range []struct {
		code codes.Code
		text string
		want string
	}{
		{codes.Unavailable, "connection error: desc = refused", "worker w does not answer at 10.0.0.1:7001: ask again when it is back or its lease has expired"},
		{codes.Unavailable, "error reading from server: EOF", "the connection to worker w at 10.0.0.1:7001 broke"},
		{codes.Unavailable, "the connection to worker v at 10.0.0.2:7001 broke", "worker w: the connection to worker v at 10.0.0.2:7001 broke"},
		{codes.NotFound, "no such layer", "worker w: no such layer"},
	} {
		got := status.Convert(k.Explain(status.Error(test.code, test.text)))
		if got.Code() != test.code || got.Message() != test.want {
			t.Errorf("%v %q: %v %q, want %q", test.code, test.text, got.Code(), got.Message(), test.want)
		}
	}
}
