package engine

import (
	"context"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// bare hides all that spares work: moves that are pruned, and grades.
type bare struct {
	puzzle.Puzzle
	puzzle.Backward
}

func (b bare) Layout() puzzle.Layout {
	l := b.Puzzle.Layout()
	l.Graded, l.Alternating = false, false
	return l
}

// A run is the same with pruning and grades as without, in every layer of both
// phases, with some workers and little memory.
func TestPrunedRuns(t *testing.T) {
	for _, c := range []struct{ file, metric string }{
		{"rushhour/jam-93.txt", "step"}, {"rushhour/jam-93.txt", "slide"}, {"rushhour/small-5x5.txt", "step"},
		{"blocks/dads-puzzler.txt", "step"}, {"blocks/dads-puzzler.txt", "slide"}, {"blocks/dads-puzzler.txt", "move"},
		{"hanoi/five-pegs-9.txt", "disc"}, {"permutation/topspin-9-3.txt", "turn"}, {"tiles/2x4.txt", "tile"}, {"tiles/2x4.txt", "line"},
		{"peg/triangle-15.txt", "jump"}, {"peg/plus.txt", "jump"}, {"peg/cross.txt", "jump"},
		{"sudoku/empty-4x4-any.txt", "any-cell"}, {"sudoku/nine-eight-solutions.txt", "row-major"},
	} {
		t.Run(c.file+"/"+c.metric, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.file != "rushhour/small-5x5.txt" && c.file != "peg/plus.txt" {
				t.Skip("takes seconds")
			}
			text, err := os.ReadFile("../../puzzles/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			boards, err := families.Read(text, puzzle.ReadOptions{Metric: c.metric})
			if err != nil {
				t.Fatal(err)
			}
			plain := boards[0]
			backward, _ := plain.Puzzle.(puzzle.Backward)
			plain.Puzzle = bare{plain.Puzzle, backward}
			sameRuns(t, historyOf(t, boards[0], Options{Workers: 3, Partitions: 16, MemoryBytes: MemoryMin}),
				historyOf(t, plain, Options{Workers: 1, Partitions: 16, MemoryBytes: MemoryMin}))
		})
	}
}

func historyOf(t *testing.T, board puzzle.Board, opts Options) *history.History {
	t.Helper()
	opts.FS = vfs.NewMem()
	r, err := Create("run", board, opts)
	if err != nil {
		t.Fatal(err)
	}
	r.opts.MemoryBytes = tinyMemory
	want := history.Want{MaxStates: 8_000}
	if thorough() {
		want.MaxStates = 60_000
	}
	if _, err := r.Explore(context.Background(), want); err != nil {
		t.Fatal(err)
	}
	want.GoalDistance = puzzle.GoesBack(board.Puzzle)
	if _, err := r.Explore(context.Background(), want); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Verify(context.Background(), func(int64) {}); err != nil {
		t.Errorf("verify: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.History()
}

func sameRuns(t *testing.T, got, want *history.History) {
	t.Helper()
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		a, b := got.Layers(phase), want.Layers(phase)
		if len(a) != len(b) || (got.End(phase) == nil) != (want.End(phase) == nil) {
			t.Fatalf("%v: %d layers, want %d", phase, len(a), len(b))
		}
		for d := range a {
			x, y := a[d], b[d]
			if x.States != y.States || x.Generated != y.Generated || x.Goals != y.Goals || x.Digest != y.Digest || x.Bytes != y.Bytes {
				t.Errorf("%v layer %d:\n%+v\nwant\n%+v", phase, d, x, y)
			}
		}
		if end := got.End(phase); end != nil && end.Generated != want.End(phase).Generated {
			t.Errorf("%v ends with %+v, want %+v", phase, *end, *want.End(phase))
		}
	}
}
