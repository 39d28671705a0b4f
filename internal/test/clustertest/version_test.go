package clustertest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/engine"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// TestLanes has a worker call with as many lanes as a worker may have, and with one more.
func TestLanes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	call := fakeWorker(t, w.coordinator("c", nil))
	for lanes, want := range map[uint32]codes.Code{0: codes.OK, engine.WorkersMax: codes.OK, engine.WorkersMax + 1: codes.InvalidArgument, math.MaxUint32: codes.InvalidArgument} {
		_, err := call(&everystatev1.SynchronizeRequest{Worker: fmt.Sprint("w", lanes), Incarnation: 1, WireVersion: wire.Version, Lanes: lanes})
		if status.Code(err) != want {
			t.Errorf("%d lanes: %v, want %v", lanes, err, want)
		}
	}
}

// TestOtherVersions has workers of other versions call: none that speaks an unknown
// version is admitted, or taken for a lost worker.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	c := w.coordinator("c", nil)
	call := fakeWorker(t, c)
	for name, speaks := range map[string]uint32{"tomorrow": wire.Version + 1, "yesterday": wire.Version - 1} {
		_, err := call(&everystatev1.SynchronizeRequest{Worker: name, Incarnation: 1, WireVersion: speaks})
		want := fmt.Sprintf("worker %s speaks version %d of the protocol and this program version %d: install the same version of everystate on all of the cluster", name, speaks, wire.Version)
		if status.Code(err) != codes.FailedPrecondition || status.Convert(err).Message() != want {
			t.Errorf("%v", err)
		}
	}
	if res, err := call(&everystatev1.SynchronizeRequest{Worker: "today", Incarnation: 1, WireVersion: wire.Version}); err != nil || res.GetWireVersion() != wire.Version {
		t.Errorf("%v, %v", res, err)
	}
	_, workers, err := c.client.List(t.Context())
	var names []string
	for _, m := range workers {
		names = append(names, m.Name)
	}
	if err != nil || strings.Join(names, " ") != "today" {
		t.Errorf("%q, %v", names, err)
	}
}
