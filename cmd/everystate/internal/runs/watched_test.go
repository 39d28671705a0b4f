package runs

import (
	"context"
	"math"
	"testing"

	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestEnds has a puzzle that knows its number of states, one that is estimated, and one
// whose exploration ends before.
func TestEnds(t *testing.T) {
	t.Parallel()
	read := func(text string) puzzle.Puzzle {
		boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return boards[0].Puzzle
	}
	if got := ownSize(read("8 6 7\n2 5 4\n3 0 1")); got != 181_440 {
		t.Errorf("%d states of the 8-puzzle", got)
	}
	board := read("E.BB\nECCC\nAA.F\nDD.F")
	if got := ownSize(board); got != 0 {
		t.Errorf("%d states of a board that does not know", got)
	}
	if got := likelyStates(t.Context(), board, 0); got != 34 {
		t.Errorf("%d states estimated, not 34", got)
	}
	for _, e := range []struct {
		low, high float64
		good      bool
	}{{40e6, 87e6, true}, {40e6, 161e6, false}, {40e6, math.Inf(1), false}} {
		if got := withinTwofold(&estimate.Estimate{States: 59e6, Low: e.low, High: e.high}); got != e.good {
			t.Errorf("from %v to %v: %v", e.low, e.high, got)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if got := likelyStates(ended, board, estimateAfter); got != 0 {
		t.Errorf("%d states estimated after the end", got)
	}
}
