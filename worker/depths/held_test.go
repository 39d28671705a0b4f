package depths

import (
	"errors"
	"slices"
	"testing"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// TestHeld has what is noted outlive the store that is open, and takes nothing into the table
// of a partition that is being got from elsewhere.
func TestHeld(t *testing.T) {
	t.Parallel()
	s := newSparse(t)
	holds := func(want ...uint32) {
		t.Helper()
		again, err := Open(s.st, forward, s.scheme, s.shape)
		if err != nil {
			t.Fatal(err)
		}
		if here, then := s.table.Held(), again.Held(); !slices.Equal(here, want) || !slices.Equal(then, want) {
			t.Errorf("%v are held, and %v when it is opened again; want %v", here, then, want)
		}
	}
	holds()
	for _, step := range []struct {
		change func([]uint32) error
		parts  []uint32
		want   []uint32
	}{
		{s.table.Release, []uint32{1}, nil},
		{s.table.Hold, []uint32{3, 1}, []uint32{1, 3}},
		{s.table.Hold, []uint32{1}, []uint32{1, 3}},
		{s.table.Hold, []uint32{0, 2}, everyPart},
		{s.table.Release, []uint32{1, 7}, []uint32{0, 2, 3}},
	} {
		if err := step.change(step.parts); err != nil {
			t.Fatal(err)
		}
		holds(step.want...)
	}

	s.write(t, 0, 1, 5)
	s.write(t, 2, 7) // there is nothing of layer 1 yet
	if err := errors.Join(s.table.Add(t.Context(), 3, Share{Parts: s.table.Held()}, 1, false), store.DropLayers(s.st, forward, 0, 3, false)); err != nil {
		t.Fatal(err)
	}
	if id, has := s.table.Part(1); has {
		t.Errorf("a partition with a gap is in the table: %v", id)
	}
	if err := errors.Join(s.table.Hold(everyPart), s.table.Add(t.Context(), 4, Share{Parts: []uint32{0, 3}}, 1, false)); err != nil {
		t.Fatal(err)
	}
	holds(0, 3)                                              // layers of the others may be gone
	for _, layers := range [][]int64{{2, 1}, {2, 0, 1, 1}} { // with one that is not there, before or behind
		var known []worker.Layer
		for _, n := range layers {
			known = append(known, worker.Layer{PartStates: []int64{0, n}})
		}
		if err := s.table.Add(t.Context(), uint32(len(known)), Share{[]uint32{1}, known}, 1, false); !store.IsCorruption(err) {
			t.Errorf("%v states in layers: %v", layers, err)
		}
	}
	if err := s.table.Release(everyPart); err != nil {
		t.Fatal(err)
	}
	holds()
}

// TestLastAttempt reads the records of the last attempt at a layer that was made again.
func TestLastAttempt(t *testing.T) {
	t.Parallel()
	s := newSparse(t)
	s.write(t, 0, 1)
	s.writeAttempt(t, 1, 2, 5)
	s.writeAttempt(t, 1, 77, 6)
	s.write(t, 2, 9)
	if got, err := s.read(t, 3); err != nil || !slices.Equal(got, []uint64{1 << 2, 6<<2 | 1, 9<<2 | 2}) {
		t.Errorf("%v: %v", got, err)
	}
}

// TestFurther leaves a partition alone that has layers which the run no longer has.
func TestFurther(t *testing.T) {
	t.Parallel()
	s := newSparse(t)
	s.write(t, 0, 1)
	s.write(t, 1, 2)
	if err := s.table.Add(t.Context(), 2, Share{Parts: everyPart}, 1, false); err != nil {
		t.Fatal(err)
	}
	before, _ := s.table.Part(1)
	if err := s.table.Add(t.Context(), 1, Share{Parts: everyPart}, 1, false); err != nil {
		t.Error(err)
	}
	if after, _ := s.table.Part(1); after != before {
		t.Errorf("%v became %v", before, after)
	}
}
