package sweep_test

import (
	"cmp"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
)

// TestCompare orders records by distance, size and board, in which empty cells come
// first.
func TestCompare(t *testing.T) {
	t.Parallel()
	sorted := []sweep.Record{
		{Board: "BBoAAo", Layers: []uint64{1, 1, 1}},
		{Board: "BBoAAo", Layers: []uint64{2, 3}},
		{Board: "ooBAAB", Layers: []uint64{2, 2}},
		{Board: "BoBAAo", Layers: []uint64{1, 3}},
		{Board: "BBoAAo", Layers: []uint64{1, 3}},
		{Board: "BBBAAo", Layers: []uint64{1, 3}},
		{Board: "BBBAAx", Layers: []uint64{1, 3}},
		{Board: "BBBAAxo", Layers: []uint64{1, 3}},
	}
	for i := range sorted {
		for j := range sorted {
			if got := sweep.Compare(&sorted[i], &sorted[j]); got != cmp.Compare(i, j) {
				t.Errorf("records %d and %d: %d", i, j, got)
			}
		}
	}
}
