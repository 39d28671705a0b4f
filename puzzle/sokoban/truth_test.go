package sokoban_test

import (
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle/sokoban"
)

const truthFile = "sokoban.json"

func bounds() puzzletest.Bounds {
	return puzzletest.Bounds{States: 20_000, Begun: 20_000, Short: 2_000}
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, truthFile, 393, sokoban.Read, bounds())
}

func TestShippedPuzzles(t *testing.T) { puzzletest.Shipped(t, "sokoban", sokoban.Read, bounds()) }
