package depths

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// sparse is a table of which a test writes the segments.
type sparse struct {
	st     *store.Store
	scheme partition.Scheme
	table  *Table
	shape  store.Shape
}

func newSparse(t *testing.T) *sparse {
	t.Helper()
	scheme, err := partition.New(puzzle.Layout{KeyBits: 40, Moves: 4}, 4)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := &sparse{st: st, scheme: scheme, shape: store.Shape{Stride: 1, KeyBits: scheme.LocalBits(), MoveBits: scheme.MoveBits()}}
	if s.table, err = Open(st, forward, scheme, s.shape); err != nil {
		t.Fatal(err)
	}
	return s
}

// write writes a layer of partition 1 with the given keys, ascending.
func (s *sparse) write(t *testing.T, layer uint32, keys ...uint64) {
	t.Helper()
	s.writeAttempt(t, layer, layer+1, keys...)
}

func (s *sparse) writeAttempt(t *testing.T, layer, epoch uint32, keys ...uint64) {
	t.Helper()
	w := s.st.NewWriter(s.shape, store.SegmentID{Phase: forward, Layer: layer, Epoch: epoch})
	recs := make([]uint64, len(keys))
	for i, key := range keys {
		recs[i] = key<<s.shape.MoveBits | key%4
	}
	err := errors.Join(w.Append(1, recs, nil), w.EndPartition(nil))
	if err == nil {
		_, err = w.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sparse) read(t *testing.T, end uint32) (recs []uint64, err error) {
	t.Helper()
	c, err := s.table.Cursor(1, end)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for {
		some, err := c.Next()
		if err != nil || len(some) == 0 {
			return recs, err
		}
		if len(some) > store.BlockRecords {
			t.Fatalf("%d records at once", len(some))
		}
		recs = append(recs, some...)
	}
}

// TestCursor merges layers with dense and sparse keys, and then later layers with the table
// that this makes.
func TestCursor(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	s := newSparse(t)
	const layers, end = 7, 12
	var keys [end][]uint64
	var want [2][]uint64 // of the first layers, and of all
	for key := uint64(0); key < 1<<24; {
		depth := uint64(r.IntN(end))
		keys[depth] = append(keys[depth], key)
		rec := key<<2 | depth%Modulo
		if want[1] = append(want[1], rec); depth < layers {
			want[0] = append(want[0], rec)
		}
		switch gap := r.IntN(5000); {
		case gap < 2:
			key += r.Uint64N(1 << 20)
		default:
			key += 1 + r.Uint64N(4)
		}
	}
	for depth := range uint32(layers) {
		s.write(t, depth, keys[depth]...)
	}
	if err := s.table.Add(t.Context(), layers, Share{Parts: everyPart}, 1, false); err != nil {
		t.Fatal(err)
	}
	for depth := uint32(layers); depth < end; depth++ {
		s.write(t, depth, keys[depth]...)
	}
	for i, n := range []uint32{layers, end} {
		if got, err := s.read(t, n); err != nil || !slices.Equal(got, want[i]) {
			t.Errorf("%d records of %d layers, want %d: %v", len(got), n, len(want[i]), err)
		}
	}
}

// TestTwice finds a state that is in two layers, whether or not one of them is in the table.
func TestTwice(t *testing.T) {
	t.Parallel()
	for _, added := range []bool{false, true} {
		s := newSparse(t)
		s.write(t, 0, 1, 5, 1<<30)
		if added {
			if err := s.table.Add(t.Context(), 1, Share{Parts: everyPart}, 1, false); err != nil {
				t.Fatal(err)
			}
		}
		s.write(t, 1, 4, 6, 1<<30)
		if _, err := s.read(t, 2); !store.IsCorruption(err) {
			t.Errorf("a state is in two layers: %v", err)
		}
		if err := s.table.Add(t.Context(), 2, Share{Parts: everyPart}, 1, false); !store.IsCorruption(err) {
			t.Errorf("such layers are added: %v", err)
		}
	}
}
