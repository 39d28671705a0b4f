package stored_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// The memory that a plan states for a table, in memory or as pages, is what a search needs:
// the estimates know nothing of tables, so both are compared here.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"tiles/big-3x4.txt", "permutation/pocket-cube-htm.txt", "peg/english-centre.txt", "rushhour/large-8x8.txt"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "puzzles", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		boards, err := families.Read(text, puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := boards[0].Puzzle
		e, err := estimate.Of(t.Context(), p, estimate.Options{States: 20_000, Steps: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		const lanes, accepted = 2, 32 << 20
		tables, err := stored.New(p, 64, lanes, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		least := stored.NeedBytes(tables, math.MaxInt64)
		for _, budget := range []int64{least * 8 / 7, least * 7 / 8} {
			var need estimate.Need
			for _, n := range e.NeedsOf(p, estimate.Machines{Workers: 1, Lanes: lanes, Memory: budget, MemoryMin: accepted}) {
				if n.Mode == estimate.Table {
					need = n
				}
			}
			if pages := budget < least; need.Pages != pages {
				t.Errorf("%s with %d bytes: pages are %v, want %v", file, budget, need.Pages, pages)
			}
			needs := max(accepted, float64(stored.NeedBytes(tables, budget)))
			if by := need.Memory / needs; by < 7./8 || by > 8./7 {
				t.Errorf("%s with %d bytes: a plan says %.0f, a search needs %.0f", file, budget, need.Memory, needs)
			}
		}
	}
}
