package wire_test

import (
	"testing"

	"github.com/everystate/everystate/proto/wire"
)

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
