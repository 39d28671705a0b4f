package rushhour_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// shippedStatesMax is the largest shipped space that the tests explore.
const shippedStatesMax = 700_000

// TestShippedPuzzles reads every shipped board, which must promise its space,
// and explores all but the largest.
func TestShippedPuzzles(t *testing.T) {
	files, err := filepath.Glob("../../puzzles/rushhour/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			boards, err := rushhour.Read(text, puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range boards {
				if b.Expect.States < 0 || b.Expect.SolutionLength < 0 {
					t.Errorf("%q promises nothing", b.Name)
				}
				if b.Expect.States > shippedStatesMax || testing.Short() && b.Expect.States > truthStatesShort {
					continue
				}
				s := explore(b.Puzzle)
				if int64(len(s.states)) != b.Expect.States || s.solution != b.Expect.SolutionLength {
					t.Errorf("%q has %d states and %d moves, promised are %+v", b.Name, len(s.states), s.solution, b.Expect)
				}
			}
		})
	}
}
