package wire_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// TestWant checks that a message says all that is wanted, and that a number too large for
// this program does not turn into another.
func TestWant(t *testing.T) {
	t.Parallel()
	for _, w := range []history.Want{
		{},
		{MaxDepth: new(0), GoalDistance: true},
		{MaxDepth: new(7), MaxStates: math.MaxInt64, StopAtGoal: true, GoalDistance: true, Settle: true},
	} {
		if got := wire.WantOf(wire.Want(w)); !reflect.DeepEqual(got, w) {
			t.Errorf("%+v became %+v", w, got)
		}
	}
	if got := wire.WantOf(&everystatev1.Want{MaxStates: math.MaxUint64}).MaxStates; got != math.MaxInt64 {
		t.Errorf("at most %d states", got)
	}
	if got := wire.Want(history.Want{MaxStates: -1, MaxDepth: new(-1)}); got.GetMaxStates() != 0 || got.GetMaxDepth() != 0 {
		t.Errorf("limits below zero became %v", got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := wire.Check("worker a", wire.Version); err != nil {
		t.Error(err)
	}
	for says, want := range map[uint32]string{
		0: "worker a speaks version 1 of the protocol and this program version 4: install the same version of everystate on all of the cluster",
		1: "worker a speaks version 1 of the protocol and this program version 4: install the same version of everystate on all of the cluster",
		2: "worker a speaks version 2 of the protocol and this program version 4: install the same version of everystate on all of the cluster",
		3: "worker a speaks version 3 of the protocol and this program version 4: install the same version of everystate on all of the cluster",
		7: "worker a speaks version 7 of the protocol and this program version 4: install the same version of everystate on all of the cluster",
	} {
		if err := wire.Check("worker a", says); err == nil || err.Error() != want {
			t.Errorf("%d: %v", says, err)
		}
	}
}
