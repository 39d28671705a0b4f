package stored

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

// countdown is a context that ends once somebody has asked so many times.
type countdown struct {
	context.Context //nolint:containedctx // it is one

	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A question about a layer that is interrupted anywhere has no effect on the answers to those
// that follow.
func TestInterruptedQuestions(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"tiles/3x3", "rushhour/jam-93"} {
		tables, h := filled(t, "../../../puzzles/"+file+".txt")
		layers := h.Layers(history.Forward)
		read := func(ctx context.Context, l history.Layer) (all []uint64, err error) {
			tables.cached, tables.cachedRecords = nil, 0
			for part := range l.PartStates {
				recs, err := Records{tables}.Partition(ctx, l, partition.ID(part))
				if err != nil {
					return nil, err
				}
				all = append(all, recs...)
			}
			return all, nil
		}
		want := make([][]uint64, len(layers))
		for i, l := range layers {
			var err error
			if want[i], err = read(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			ctx := &countdown{Context: t.Context()}
			ctx.left.Store(random.Int64N(100))
			_, _ = read(ctx, layers[random.IntN(len(layers))])
			i := random.IntN(len(layers))
			if got, err := read(t.Context(), layers[i]); err != nil || !slices.Equal(got, want[i]) {
				t.Fatalf("%s: layer %d has other records than before: %v", file, layers[i].Depth, err)
			}
		}
	}
}

// filled returns the table of all states of a board, and its layers.
func filled(t *testing.T, file string) (*Tables, *history.History) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := boards[0].Puzzle
	tables, err := New(p, 4, 2, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	what, h := tables.Space.NewTableOf(uint8(history.Forward)), new(history.History)
	search := table.NewSearch(what, uint8(history.Forward), true, 2)
	l, err := search.Begin(p.Starts())
	for ; err == nil && l.States > 0; l, err = search.Next(t.Context()) {
		h.AddLayer(history.Layer{Phase: history.Forward, Depth: l.Depth, Epoch: l.Depth + 1, States: l.States, PartStates: l.PartStates, Digest: l.Digest})
	}
	if err != nil {
		t.Fatal(err)
	}
	tables.Give(h, what)
	tables.read[history.Forward] = what // so that layers near the starts are not generated
	return tables, h
}
