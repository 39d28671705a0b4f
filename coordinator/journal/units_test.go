package journal

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

func sweepSpec() history.Spec {
	return history.Spec{Family: "rush-hour", Name: "all", Metric: "slide", Text: "sweep: rush-hour\n", Partitions: 1, Units: 9}
}

func TestUnitsAreReadAgain(t *testing.T) {
	t.Parallel()
	found := map[uint32][]byte{
		3: []byte("little"),
		0: bytes.Repeat([]byte{1, 2, 3}, ChunkBytes),
		8: bytes.Repeat([]byte{7}, ChunkBytes),
	}
	log := Begin(sweepSpec())
	log = append(log, Session(1<<20, "a test", 1, history.Identity{7}))
	log = append(log, Unit(3, 1<<20, found[3])...)
	log = append(log, Unit(0, 1<<20, found[0])[:2]...) // and then the coordinator died
	log = append(log, Session(2<<20, "a test", 2, history.Identity{7}))
	log = append(log, Unit(8, 2<<20, found[8])...)
	log = append(log, Unit(0, 2<<20, found[0])...)
	spec, past, err := Read(log)
	if err != nil {
		t.Fatal(err)
	}
	if spec != sweepSpec() {
		t.Errorf("spec is %+v", spec)
	}
	done, n := past.Units()
	if n != 3 || !done.Done(0) || !done.Done(3) || !done.Done(8) || done.Done(1) {
		t.Errorf("%d units are done: %v", n, done)
	}
	got := map[uint32][]byte{}
	if err := Findings(log, func(unit uint32, b []byte) error { got[unit] = slices.Clone(b); return nil }); err != nil {
		t.Fatal(err)
	}
	if !maps.EqualFunc(got, found, bytes.Equal) {
		t.Errorf("found %d units that are not those that were written", len(got))
	}
	for n := range log {
		if _, _, err := Read(log[:n]); err != nil {
			t.Errorf("a journal that stops behind entry %d: %v", n, err)
		}
		if _, err := ReadEntry(log[n], 1); err != nil {
			t.Errorf("entry %d alone: %v", n, err)
		}
	}
}

func TestUnitsThatCannotBe(t *testing.T) {
	t.Parallel()
	begin := append(Begin(sweepSpec()), Session(1<<20, "a test", 1, history.Identity{7}))
	large := bytes.Repeat([]byte{1}, ChunkBytes+1)
	board := append(Begin(testSpec()), Session(1<<20, "a test", 1, history.Identity{7}))
	for name, log := range map[string]Entries{
		"a unit twice":              append(append(slices.Clip(begin), Unit(1, 1<<20, []byte("x"))...), Unit(1, 1<<20, []byte("x"))...),
		"a unit that there is not":  append(slices.Clip(begin), Unit(9, 1<<20, []byte("x"))...),
		"a later session's":         append(slices.Clip(begin), Unit(1, 1<<20+1, []byte("x"))...),
		"a part that is not next":   append(slices.Clip(begin), Unit(1, 1<<20, large)[1]),
		"a part of another":         append(slices.Clip(begin), Unit(1, 1<<20, large)[0], Unit(2, 1<<20, large)[1]),
		"a unit of a board":         append(slices.Clip(board), Unit(1, 1<<20, []byte("x"))...),
		"a layer of a sweep":        append(slices.Clip(begin), Layer(history.Layer{Phase: history.Forward, Epoch: 1<<20 + 1, States: 1, PartStates: []int64{1}})),
		"a sweep with partitions":   Begin(history.Spec{Text: "x", Partitions: 2, Units: 1}),
		"a sweep of too many units": Begin(history.Spec{Text: "x", Partitions: 1, Units: UnitsMax + 1}),
	} {
		if _, _, err := Read(log); err == nil {
			t.Errorf("%s: is read", name)
		}
	}
}
