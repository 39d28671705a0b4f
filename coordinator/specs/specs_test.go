package specs

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/partition"
)

// TestChoose reads specs that leave open how states are kept, and others, on clusters with and
// without memory for a table.
func TestChoose(t *testing.T) {
	t.Parallel()
	const large, small = "puzzle: tiles\n\n1 2 3 4 5\n6 7 8 9 0\n", "puzzle: tiles\n\n1 2\n3 0\n" // 1,814,400 states, and 12
	roomy, tight, old := Worker{2, 1 << 30}, Worker{2, 1 << 16}, Worker{2, 0}
	for _, test := range []struct {
		name    string
		text    string
		version uint32
		workers []Worker
		bucket  bool
		want    history.Store
	}{
		{"auto", large, 0, []Worker{tight, roomy, old}, false, history.Table},
		{"auto, many workers", large, 0, slices.Repeat([]Worker{roomy}, 40), false, history.Table},
		{"auto, a bucket", large, 0, []Worker{roomy}, true, history.Layers},
		{"auto, no memory", large, 0, []Worker{tight}, false, history.Layers},
		{"auto, earlier workers", large, 0, []Worker{old}, false, history.Layers},
		{"auto, nobody", large, 0, nil, false, history.Layers},
		{"auto, few states", small, 0, []Worker{roomy}, false, history.Layers},
		{"layers", large, journal.FormatVersion, []Worker{roomy}, false, history.Layers},
		{"frontier", large, journal.FrontierVersion, []Worker{roomy}, false, history.Layers},
		{"table", small, journal.TableVersion, []Worker{roomy}, false, history.Table},
		{"table, no memory", large, journal.TableVersion, []Worker{tight}, false, history.DividedTable},
		{"table, a bucket", large, journal.TableVersion, []Worker{roomy}, true, history.DividedTable},
		{"divided", large, journal.DividedVersion, []Worker{roomy}, false, history.DividedTable},
	} {
		spec, err := (&Reader{Workers: test.workers, Bucket: test.bucket}).Read(&everystatev1.RunSpec{Text: test.text, FormatVersion: test.version})
		if err != nil || spec.Store != test.want {
			t.Errorf("%s: kept as %d, want %d: %v", test.name, spec.Store, test.want, err)
		}
	}
}

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
