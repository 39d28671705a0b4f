package engine

import (
	"context"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

func everything(p puzzle.Puzzle) history.Want {
	return history.Want{GoalDistance: puzzle.GoesBack(p)}
}

// explored runs a board to its end and returns the closed run's history.
func explored(t *testing.T, board puzzle.Board, opts Options, tune func(*Run)) *history.History {
	t.Helper()
	if opts.FS == nil {
		opts.FS = vfs.NewMem()
	}
	r, err := Create("run", board, opts)
	if err != nil {
		t.Fatal(err)
	}
	if tune != nil {
		tune(r)
	}
	reason, err := r.Explore(context.Background(), everything(board.Puzzle))
	if err != nil || reason != history.Exhausted {
		t.Fatalf("reason %v, error %v", reason, err)
	}
	if _, err := r.Verify(context.Background(), func(int64) {}); err != nil {
		t.Errorf("verify: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.History()
}

// checkHistory compares a run with the slow twin's.
func checkHistory(t *testing.T, h *history.History, want *slowRun) {
	t.Helper()
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		layers := h.Layers(p)
		if len(layers) != len(want.layers[p]) {
			t.Fatalf("%v: %d layers, want %d", p, len(layers), len(want.layers[p]))
		}
	}
	if h.Generated(history.Forward) != want.generated || h.Goals() != want.goals || h.Digest() != want.digest {
		t.Errorf("generated %d, goals %d, digest %v; want %d, %d, %v",
			h.Generated(history.Forward), h.Goals(), h.Digest(), want.generated, want.goals, want.digest)
	}
}

// tinyMemory is far below what a user may ask for, so that small spaces spill.
const tinyMemory = 1 << 20

// Any number of workers and partitions and any memory give the same states, at
// the same depths, with the same links.
func TestSameAsSlowTwin(t *testing.T) {
	for name, p := range toys() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && p.size > 5000 {
				t.Skip("takes seconds")
			}
			want := slowly(p, p.reversible)
			type shape struct {
				workers, partitions int
				memory              int64
			}
			shapes := []shape{{1, 1, 0}, {2, 4, tinyMemory}, {3, 16, tinyMemory}}
			switch {
			case thorough():
				shapes = append(shapes, shape{1, 32, tinyMemory}, shape{7, 64, 0}, shape{1, 64, tinyMemory}, shape{2, 64, 0}, shape{7, 256, 0})
			case p.size > 5000:
				shapes = shapes[1:] // the one partition of one worker is compared in the smaller ones
			case testing.Short():
				shapes = []shape{{2, 4, tinyMemory}, {3, 16, 0}}
			}
			for _, c := range shapes {
				t.Run(fmt.Sprintf("%d workers %d partitions memory %d", c.workers, c.partitions, c.memory), func(t *testing.T) {
					h := explored(t, p.board(), Options{Workers: c.workers, Partitions: c.partitions, MemoryBytes: MemoryMin}, func(r *Run) {
						if c.memory > 0 {
							r.opts.MemoryBytes = c.memory
						}
					})
					checkHistory(t, h, &want)
				})
			}
		})
	}
}
