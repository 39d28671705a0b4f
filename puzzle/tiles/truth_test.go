package tiles_test

import (
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle/tiles"
)

// TestTruth compares whole spaces, and the first layers of those too large.
func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "sliding-tiles.json", 51, tiles.Read, bounds())
}

func TestShippedPuzzles(t *testing.T) { puzzletest.Shipped(t, "tiles", tiles.Read, bounds()) }

func bounds() puzzletest.Bounds {
	b := puzzletest.Usual()
	b.States = 300_000
	return b
}
