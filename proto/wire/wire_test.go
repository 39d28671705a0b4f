package wire_test

import (
	"testing"

	"github.com/everystate/everystate/proto/wire"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, says := range []uint32{0, wire.Version} {
		if err := wire.Check("worker a", says); err != nil {
			t.Errorf("%d: %v", says, err)
		}
	}
	const want = "worker a speaks version 7 of the protocol and this program version 1: install the same version of everystate on all of the cluster"
	if err := wire.Check("worker a", 7); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
