package counting

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestBoards compares counts with those of a twin that places every row, for rows and columns
// that hold anything.
func TestBoards(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		size := rules.Size{Rows: 3 + random.IntN(3), Columns: 3 + random.IntN(4)}
		lines := func(n, cells int) (all [][][]uint32) {
			for range n {
				var own [][]uint32
				for range 1 + random.IntN(3) {
					var placements []uint32
					for range 1 + random.IntN(4) {
						placements = append(placements, random.Uint32N(1<<cells))
					}
					own = append(own, placements)
				}
				all = append(all, own)
			}
			return all
		}
		across, down := lines(size.Rows, size.Columns), lines(size.Columns, size.Rows)
		c := New(size, across, down)
		for range 5 {
			var rows, prefix []uint16
			for i := range size.Rows {
				rows = append(rows, uint16(random.IntN(len(across[i]))))
			}
			for j := range random.IntN(size.Columns + 1) {
				prefix = append(prefix, uint16(random.IntN(len(down[j]))))
			}
			if got, want := c.Boards(rows, prefix), slowBoards(across, down, rows, prefix, make([]uint32, size.Columns)); got != want {
				t.Fatalf("seed %d: %d boards with rows %v and prefix %v, want %d", seed, got, rows, prefix, want)
			}
		}
	}
}

// slowBoards counts the boards whose first rows cover some cells of each column.
func slowBoards(across, down [][][]uint32, rows, prefix []uint16, covered []uint32) (boards uint64) {
	if i := len(across) - len(rows); i < len(across) {
		for _, cells := range across[i][rows[0]] {
			then := slices.Clone(covered)
			for j := range then {
				then[j] |= cells >> j & 1 << i
			}
			boards += slowBoards(across, down, rows[1:], prefix, then)
		}
		return boards
	}
	boards = 1
	for j, lines := range down {
		fit := uint64(0)
		for k, placements := range lines {
			for _, cells := range placements {
				if cells&covered[j] == 0 && (j >= len(prefix) || int(prefix[j]) == k) {
					fit++
				}
			}
		}
		boards *= fit
	}
	return boards
}
