package tiles_test

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestParity compares what is said of the parts of a space with all that is reached.
func TestParity(t *testing.T) {
	for text, formula := range map[string]string{
		"1 2 3 / 4 5 0": "6!/2",
		"goal: 0 1 / 2 3 / 4 5\n\n1 2 / 3 4 / 5 0": "6!/2",
		"1 2 / 3 0":            "4!/2",
		"size: 1x4\n\n1 2 3 0": "4 cells",
		"size: 4x1\n\n3 1 2 0": "4 cells",
	} {
		for _, metric := range []string{"tile", "line"} {
			b, err := readOne(text, metric)
			if err != nil {
				t.Fatal(err)
			}
			goal := b.Puzzle.(puzzle.GoalLister).GoalStates()[0]
			reached := map[uint64]bool{goal: true}
			var edges puzzle.Edges
			for queue := []uint64{goal}; len(queue) > 0; {
				edges.Reset()
				b.Puzzle.Successors(queue[:1], &edges)
				queue = queue[1:]
				for _, key := range edges.Keys {
					if !reached[key] {
						reached[key] = true
						queue = append(queue, key)
					}
				}
			}
			all := 0
			for key := uint64(0); b.Puzzle.Valid([]uint64{key}); key++ {
				all++
				if why := b.Puzzle.(puzzle.SolvabilityChecker).Unsolvable([]uint64{key}); (why == "") != reached[key] {
					t.Fatalf("%q, %s: %s", text, b.Puzzle.Format([]uint64{key}), why)
				}
			}
			if s := b.Puzzle.(puzzle.Sized).Size(); !s.Exact || s.States.Int64() != int64(len(reached)) || s.Formula != formula || all < len(reached) {
				t.Errorf("%q: %v by %s, not %d of %d", text, s.States, s.Formula, len(reached), all)
			}
		}
	}
}
