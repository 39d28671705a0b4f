package worker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/store"
)

// Archives of small layers are in memory, which the cache of layers lends them, and
// those that find no room are in scratch files; the layers are the same.
func TestSmallArchivesAreInMemory(t *testing.T) {
	const depths = 700
	for _, words := range []int{1, 3} {
		var want []int64
		for _, cacheBytes := range []int64{1 << 20, 4 << 10, 0} {
			c := newCrew(t, oneWayRing(depths, words, 1), 5, 2, 4, 1<<20, cacheBytes)
			c.settled = true
			var layers []Layer
			var found []int64
			for n := range depths + 1 {
				a := Attempt{Target: store.SegmentID{Phase: 1, Layer: uint32(n)}, Source: FromStarts, CountGoals: true}
				if n > 0 {
					a.Source, a.Expand, a.Exclude = FromSuccessors, layers[n-1:], layers
				}
				m := c.layer(a)
				layers = append(layers, Layer{Segment: m.Segment, PartStates: m.PartStates})
				found = append(found, states(m))
			}
			if want == nil {
				want = found
			} else if !slices.Equal(found, want) {
				t.Errorf("%d words, %d bytes: other layers", words, cacheBytes)
			}
			inMemory, onDisk := 0, 0
			for _, w := range c.workers {
				var lent int64
				for _, r := range w.archives[1].segments {
					lent += r.lent
					if r.keys != nil {
						inMemory++
					} else {
						onDisk++
					}
				}
				if lent != w.cache.lent || lent > cacheBytes/4 {
					t.Errorf("%d words: archives have %d of %d bytes, counted as %d", words, lent, cacheBytes, w.cache.lent)
				}
				if err := w.Close(); err != nil {
					t.Error(err)
				}
				if w.cache.lent != 0 {
					t.Errorf("%d words: %d bytes are not given back", words, w.cache.lent)
				}
			}
			switch cacheBytes {
			case 1 << 20:
				if inMemory == 0 || onDisk > 0 {
					t.Errorf("%d words: %d segments in memory, %d in scratch files", words, inMemory, onDisk)
				}
			case 0:
				if inMemory > 0 || onDisk == 0 {
					t.Errorf("%d words, no memory: %d segments in memory, %d in scratch files", words, inMemory, onDisk)
				}
			}
		}
	}
}

// A stream over held keys finds what the slow way finds, wherever it is asked to begin.
func TestHeldCursor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 17))
	for range 200 {
		stride := 1 + rng.IntN(3)
		shape := store.Shape{Stride: stride, KeyBits: 40}
		draw := func(n int) (recs []uint64) {
			for range n {
				for i := range stride {
					v := rng.Uint64N(30)
					if stride > 1 && i == stride-1 {
						v = 0 // the move
					}
					if stride == 1 {
						v = rng.Uint64N(900)
					}
					recs = append(recs, v)
				}
			}
			return new(sortSpace).sortedForTest(recs, shape)
		}
		all, asked := draw(rng.IntN(400)), draw(1+rng.IntN(20))
		s := stream{source: &heldCursor{recs: all, stride: stride}}
		got, err := s.subtract(slices.Clone(asked), shape)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for rec := range slices.Chunk(asked, stride) {
			has := false
			for other := range slices.Chunk(all, stride) {
				has = has || shape.Compare(other, rec) == 0
			}
			if !has {
				want = append(want, rec...)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("stride %d: %v of %v remain without %v, want %v", stride, got, asked, all, want)
		}
	}
}

// sortedForTest returns records in order, each key once.
func (s *sortSpace) sortedForTest(recs []uint64, shape store.Shape) []uint64 {
	if shape.Stride == 1 {
		slices.Sort(recs)
		return uniqueNarrow(recs, 0)
	}
	return uniqueWide(slices.Clone(s.sortWide(recs, shape.Stride)), shape)
}
