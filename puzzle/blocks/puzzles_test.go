package blocks_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
)

// TestShippedPuzzles explores every shipped board, which must promise its space.
func TestShippedPuzzles(t *testing.T) {
	files, err := filepath.Glob("../../puzzles/blocks/*.txt")
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
			boards, err := blocks.Read(text, puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			b := boards[0]
			if b.Name == "" || b.Expect.States < 0 || b.Expect.SolutionLength < 0 {
				t.Errorf("%q promises nothing", b.Name)
			}
			if testing.Short() && b.Expect.States > truthStatesShort {
				return
			}
			s := explore(b.Puzzle)
			if int64(len(s.states)) != b.Expect.States || s.solution != b.Expect.SolutionLength {
				t.Errorf("%q has %d states and %d moves, promised are %+v", b.Name, len(s.states), s.solution, b.Expect)
			}
		})
	}
}
