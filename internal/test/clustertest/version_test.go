package clustertest

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// TestOtherVersions has workers of other versions come: one of a time before versions
// were said is let in, one that speaks what is not known here is not, and is not taken
// for a worker that is lost.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	c := w.coordinator("c", nil)
	call := fakeWorker(t, c)
	_, err := call(&everystatev1.SynchronizeRequest{Worker: "tomorrow", Incarnation: 1, WireVersion: 2})
	const want = "worker tomorrow speaks version 2 of the protocol and this program version 1: install the same version of everystate on all of the cluster"
	if status.Code(err) != codes.FailedPrecondition || status.Convert(err).Message() != want {
		t.Errorf("%v", err)
	}
	if res, err := call(&everystatev1.SynchronizeRequest{Worker: "yesterday", Incarnation: 1}); err != nil || res.GetWireVersion() != 1 {
		t.Errorf("%v, %v", res, err)
	}
	_, workers, err := c.client.List(t.Context())
	var names []string
	for _, m := range workers {
		names = append(names, m.Name)
	}
	if err != nil || strings.Join(names, " ") != "yesterday" {
		t.Errorf("%q, %v", names, err)
	}
}
