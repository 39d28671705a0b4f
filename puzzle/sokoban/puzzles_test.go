package sokoban_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sokoban"
)

// TestShippedPuzzles reads every shipped level, which must promise its space, and
// explores all but the largest.
func TestShippedPuzzles(t *testing.T) {
	files, err := filepath.Glob("../../puzzles/sokoban/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files, %v", err)
	}
	statesMax := int64(truthStatesMax)
	if testing.Short() {
		statesMax = truthStatesShort
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		boards, err := sokoban.Read(text, puzzle.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, b := range boards {
			if b.Name == "" || b.Expect.States < 0 || b.Metric == "push" && b.Expect.SolutionLength < 0 {
				t.Errorf("%s, %q promises nothing", filepath.Base(file), b.Name)
			}
			if b.Expect.States > statesMax {
				continue
			}
			s := explore(b.Puzzle, 0)
			equal(t, b.Name+": states", int64(len(s.states)), b.Expect.States)
			if b.Metric == "push" {
				equal(t, b.Name+": solution", s.solution, b.Expect.SolutionLength)
			}
		}
	}
}
