package symmetry_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestRandom compares what the states of random merged spaces stand for with the plain
// spaces, and their numbers with those that are worked out. Among their symmetries are some
// that leave all places and turn pieces only.
func TestRandom(t *testing.T) {
	const statesMax = 20_000
	compared, counted := 0, 0
	for seed := range uint64(200) {
		text := puzzletest.SymmetricText(rand.New(rand.NewPCG(seed, 20)))
		boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			continue
		}
		plain := boards[0].Puzzle
		if size := plain.(puzzle.Sized).Size().States; !size.IsInt64() || size.Int64() > statesMax {
			continue
		}
		merged, err := families.ReadWith([]byte(text), []families.Header{{Key: "symmetry", Value: "on"}}, puzzle.ReadOptions{})
		if err != nil {
			continue // there are none, or it takes too long to find them
		}
		compared++
		p := merged[0].Puzzle
		few, all := puzzletest.Explore(p), puzzletest.Explore(plain)
		var weights []int
		for depth := range few.Layers {
			weights = append(weights, weightOf(p, few.Layer(depth)))
		}
		if !slices.Equal(weights, all.Layers) {
			t.Fatalf("seed %d: layers %v stand for %v, want %v\n%s", seed, few.Layers, weights, all.Layers, text)
		}
		if size := p.(puzzle.Sized).Size(); size.Exact {
			counted++
			if size.States.Int64() != int64(few.Len()) {
				t.Fatalf("seed %d: %v orbits, want %d\n%s", seed, size.States, few.Len(), text)
			}
		}
	}
	if compared < 50 || counted < 25 {
		t.Errorf("only %d were compared, and %d counted", compared, counted)
	}
}
