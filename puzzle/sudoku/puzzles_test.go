package sudoku_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sudoku"
)

// TestShippedPuzzles reads every shipped grid. In the metric row-major, every state is
// reached in one way: the spaces are counted without remembering states.
func TestShippedPuzzles(t *testing.T) {
	files, err := filepath.Glob("../../puzzles/sudoku/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		boards, err := sudoku.Read(text, puzzle.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		b := boards[0]
		if b.Metric != "row-major" {
			continue
		}
		words, states := b.Puzzle.Layout().Words(), int64(0)
		var edges puzzle.Edges
		for layer := b.Puzzle.Starts(); len(layer) > 0; {
			states += int64(len(layer) / words)
			edges.Reset()
			b.Puzzle.Successors(layer, &edges)
			layer = append([]uint64(nil), edges.Keys...)
		}
		if states != b.Expect.States {
			t.Errorf("%s: %d states, promised are %d", file, states, b.Expect.States)
		}
	}
}
