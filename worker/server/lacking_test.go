package server

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/keptrun"
)

// While a worker lacks records of partitions that it has taken over, nothing goes into its
// table and no records are removed, whether it works on the run or not. The partitions taken
// over do not go into it before everything is here.
func TestTableWaitsForRecords(t *testing.T) {
	t.Parallel()
	spec := specOf(readBoard(t), 2)
	spec.FormatVersion = keptrun.DividedVersion
	k := keepLayerOf(t, t.TempDir(), spec, map[uint32]int{0: 3, 1: 2})
	run, err := k.stores.take(runName, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.stores.give(run); err != nil {
			t.Error(err)
		}
	}()
	id := history.Identity{1}
	if err := run.Enter(keptrun.SessionEpochs, id); err != nil {
		t.Fatal(err)
	}
	if err := run.Table.Hold([]uint32{0, 1}); err != nil { // as it once had both
		t.Fatal(err)
	}
	e := &engine{
		stores: k.stores, kept: run, holds: newHolds(run, nil, nil, "w"), desk: new(desk), run: new(assigned), log: slog.New(slog.DiscardHandler),
		removed: make(map[string]dropped), workCtx: t.Context, lanesMax: 1,
	}
	at := &attempt{sources: []source{{parts: []uint32{1}}}, first: []worker.Layer{}, own: []partition.ID{0, 1}}
	if err := e.takeOver(at); err != nil {
		t.Fatal(err)
	}
	d := dropped{id, k.id.Layer + 1}
	state := func(want int, held ...uint32) {
		t.Helper()
		absent, err := run.Store.Absent(k.id, []uint32{0, 1})
		if err != nil || 2-len(absent) != want || !slices.Equal(run.Table.Held(), held) {
			t.Errorf("records of %d partitions, want %d, and %v are held, want %v: %v", 2-len(absent), want, run.Table.Held(), held, err)
		}
	}
	state(2, 0)
	if err := e.removeOwn(&assigned{keptFrom: d.keptFrom}, d, at); err != nil {
		t.Fatal(err)
	}
	state(2, 0)
	e.tidy(map[string]dropped{runName: d})
	state(2, 0)
	if err := k.stores.mender.Whole(runName); err != nil {
		t.Fatal(err)
	}
	e.tidy(map[string]dropped{runName: d})
	state(0, 0)
	if n, err := run.Table.Count(0); err != nil || n != 3 {
		t.Errorf("%d states are in the table: %v", n, err)
	}
}
