package specs

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/partition"
)

// TestPartitions reads specs with and without a number of partitions, on clusters of some
// sizes.
func TestPartitions(t *testing.T) {
	t.Parallel()
	read := func(partitions uint32, lanes int) (history.Spec, error) {
		var workers []Worker
		if lanes > 0 {
			workers = []Worker{{Lanes: lanes - lanes/2}, {Lanes: lanes / 2}}
		}
		if lanes == 1 {
			workers = workers[:1]
		}
		return (&Reader{Workers: workers}).Read(&everystatev1.RunSpec{Text: "puzzle: tiles\n\n1 2\n3 0\n", Partitions: partitions})
	}
	for _, test := range []struct {
		partitions uint32
		lanes      int
		want       int
	}{
		{lanes: 0, want: 256}, // nobody is there yet, or somebody does not tell
		{lanes: 1, want: 64},
		{lanes: 2, want: 64},
		{lanes: 8, want: 64},
		{lanes: 9, want: 128},
		{lanes: 16, want: 128},
		{lanes: 64, want: 512},
		{lanes: 1 << 40, want: partition.Max},
		{partitions: 1, lanes: 16, want: 1},
		{partitions: partition.Max, lanes: 2, want: partition.Max},
	} {
		spec, err := read(test.partitions, test.lanes)
		if err != nil || spec.Partitions != test.want {
			t.Errorf("%d lanes, %d asked for: %d, %v; want %d", test.lanes, test.partitions, spec.Partitions, err, test.want)
		}
	}
	for _, partitions := range []uint32{3, 2 * partition.Max, 1 << 31} {
		if spec, err := read(partitions, 2); err == nil {
			t.Errorf("%d asked for: accepted as %d", partitions, spec.Partitions)
		}
	}
}
