package specs

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/core"
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
	roomy, tight, old := core.Able{Lanes: 2, TableBytes: 1 << 30}, core.Able{Lanes: 2, TableBytes: 1 << 16}, core.Able{Lanes: 2}
	for _, test := range []struct {
		name    string
		text    string
		version uint32
		workers []core.Able
		bucket  bool
		want    history.Store
	}{
		{"auto", large, 0, []core.Able{tight, roomy, old}, false, history.Table},
		{"auto, many workers", large, 0, slices.Repeat([]core.Able{roomy}, 40), false, history.Table},
		{"auto, a bucket", large, 0, []core.Able{roomy}, true, history.Layers},
		{"auto, no memory", large, 0, []core.Able{tight}, false, history.Layers},
		{"auto, earlier workers", large, 0, []core.Able{old}, false, history.Layers},
		{"auto, nobody", large, 0, nil, false, history.Layers},
		{"auto, few states", small, 0, []core.Able{roomy}, false, history.Layers},
		{"layers", large, journal.FormatVersion, []core.Able{roomy}, false, history.Layers},
		{"frontier", large, journal.FrontierVersion, []core.Able{roomy}, false, history.Layers},
		{"table", small, journal.TableVersion, []core.Able{roomy}, false, history.Table},
		{"table, no memory", large, journal.TableVersion, []core.Able{tight}, false, history.DividedTable},
		{"table, a bucket", large, journal.TableVersion, []core.Able{roomy}, true, history.DividedTable},
		{"divided", large, journal.DividedVersion, []core.Able{roomy}, false, history.DividedTable},
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
		var workers []core.Able
		if lanes > 0 {
			workers = []core.Able{{Lanes: lanes - lanes/2}, {Lanes: lanes / 2}}
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

// TestLanesOfMachines counts the lanes of workers that share machines.
func TestLanesOfMachines(t *testing.T) {
	t.Parallel()
	on := func(machine string, cores, lanes int) core.Able {
		return core.Able{Machine: machine, Cores: cores, Lanes: lanes}
	}
	for _, test := range []struct {
		name    string
		workers []core.Able
		want    int
	}{
		{"nobody", nil, 0},
		{"as many as cores", slices.Repeat([]core.Able{on("a", 2, 1)}, 2), 2},
		{"more than cores", slices.Repeat([]core.Able{on("a", 2, 1)}, 16), 2},
		{"machines of their own", []core.Able{on("a", 2, 2), on("b", 2, 2)}, 4},
		{"the smaller one first", []core.Able{on("a", 8, 1), on("a", 8, 8)}, 8},
		{"one with more lanes than cores", []core.Able{on("a", 2, 8)}, 8},
		{"machines unknown", slices.Repeat([]core.Able{{Lanes: 1}}, 16), 16},
		{"one that does not tell", []core.Able{on("a", 2, 2), {}}, 0},
	} {
		if lanes := lanesOf(test.workers); lanes != test.want {
			t.Errorf("%s: %d lanes, want %d", test.name, lanes, test.want)
		}
	}
}
