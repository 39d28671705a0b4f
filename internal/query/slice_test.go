package query

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// Slices of any size, one after the other, are the layer.
func TestSlice(t *testing.T) {
	eachWorld(t, reach{}, func(w *world) {
		t := w.t
		for _, layer := range w.space.History.Layers(history.Forward) {
			var all, got [][]uint64
			if err := w.space.eachState(t.Context(), layer, func(key []uint64, _ puzzle.Move) error {
				all = append(all, slices.Clone(key))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			n := 1 + int(layer.Depth)%5 + len(all)/10
			for offset := 0; offset < len(all); offset += n {
				part, err := w.space.Slice(t.Context(), layer, int64(offset), n)
				if err != nil || len(part) != min(n, len(all)-offset) {
					t.Fatalf("depth %d: %d states from %d on, %v", layer.Depth, len(part), offset, err)
				}
				got = append(got, part...)
			}
			if !slices.EqualFunc(got, all, slices.Equal[[]uint64]) {
				t.Fatalf("depth %d: other states than the layer's", layer.Depth)
			}
			if rest, err := w.space.Slice(t.Context(), layer, int64(len(all)), 1); err != nil || len(rest) != 0 {
				t.Fatalf("depth %d: %d states behind the end, %v", layer.Depth, len(rest), err)
			}
		}
	})
}
