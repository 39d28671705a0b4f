package depths

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// TestFound lists the states of layers of which some are in the table, and notices if they
// are not as many as were committed.
func TestFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	s := newSpace(t, r, 5, 400)
	st := s.open(t, t.TempDir(), r, 0)
	table := s.table(t, st)
	if err := errors.Join(table.Add(t.Context(), 3, Share{Parts: everyPart}, 1, true), store.DropLayers(st, forward, 0, 3, true)); err != nil {
		t.Fatal(err)
	}
	list := func(part uint32, layers []worker.Layer) (recs []uint64, err error) {
		found, err := table.Found(part, layers)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, found.Close()) }()
		for {
			some, err := found.Next()
			if err != nil || len(some) == 0 {
				return recs, err
			}
			recs = append(recs, some...)
		}
	}
	for _, part := range everyPart {
		var want []uint64
		for rec := range s.depth[part] {
			want = append(want, rec<<s.shape.MoveBits)
		}
		slices.Sort(want)
		if got, err := list(part, s.layers); err != nil || !slices.Equal(got, want) {
			t.Errorf("partition %d has %d states, want %d: %v", part, len(got), len(want), err)
		}
		for _, more := range []int64{-1, 1} {
			wrong := slices.Clone(s.layers)
			wrong[1].PartStates = slices.Clone(wrong[1].PartStates)
			wrong[1].PartStates[part] += more
			if _, err := list(part, wrong); len(want) > 1 && !store.IsCorruption(err) {
				t.Errorf("partition %d, %d more states were committed: %v", part, more, err)
			}
		}
		if got, err := list(part, s.layers[:2]); !errors.Is(err, ErrAhead) {
			t.Errorf("partition %d of fewer layers than the table has: %d states, %v", part, len(got), err)
		}
	}
	empty := slices.Clone(s.layers)
	for i := range empty {
		empty[i].PartStates = make([]int64, len(everyPart))
	}
	if got, err := list(0, empty); err != nil || len(got) > 0 {
		t.Errorf("no states: %d, %v", len(got), err)
	}
}
