package journal

import (
	"reflect"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// AsLayers changes what says that a table is divided, and nothing else.
func TestAsLayers(t *testing.T) {
	t.Parallel()
	want, _ := testJournal(t)
	if same, err := AsLayers(want); err != nil || !reflect.DeepEqual(same, want) {
		t.Errorf("a run that keeps layers is changed: %v", err)
	}
	entries, spec := slices.Clone(want), testSpec()
	spec.Store = history.DividedTable
	entries[0] = Spec(spec)
	layer := testLayers()[2]
	layer.KeptFrom = 1
	entries[3] = Layer(layer)
	if _, h, err := Read(entries); err != nil || !history.Divides(&h) || h.KeptFrom() != 1 {
		t.Fatalf("records from %d: %v", h.KeptFrom(), err)
	}
	before := slices.Clone(entries)
	for n := range len(entries) + 1 {
		if got, err := AsLayers(entries[:n]); err != nil || !reflect.DeepEqual(got, want[:n]) {
			t.Errorf("%d entries differ from those of a run that keeps layers: %v", n, err)
		}
	}
	if !reflect.DeepEqual(entries, before) {
		t.Error("the entries are changed in place")
	}
	if _, err := AsLayers(append(before, []byte("x"))); err == nil {
		t.Error("an entry that cannot be read is accepted")
	}
}

func TestFirstLayers(t *testing.T) {
	t.Parallel()
	log, _ := testJournal(t)
	for n, want := range []int{1, 2, 3, len(log), len(log)} {
		if got, err := FirstLayers(log, n); err != nil || len(got) != want {
			t.Errorf("%d layers take %d entries, want %d: %v", n, len(got), want, err)
		}
	}
	again := testLayers()[1]
	again.Epoch = 8
	cut := append(slices.Clone(log[:4]), Layer(again)) // the layers from depth 1 on were made again
	if got, err := FirstLayers(cut, 1); err != nil || len(got) != 1+1 {
		t.Errorf("%d entries: %v", len(got), err)
	}
	if got, err := FirstLayers(cut, 2); err != nil || len(got) != len(cut) {
		t.Errorf("%d entries: %v", len(got), err)
	}
}
