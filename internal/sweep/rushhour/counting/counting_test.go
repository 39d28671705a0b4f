package counting

import (
	"math/rand/v2"
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
		var covers, fits [][][]uint64
		for i := range size.Rows {
			var row [][]uint64
			for range 1 + random.IntN(3) {
				var line []uint64
				for range 1 + random.IntN(4) {
					var covered uint64
					for j := range size.Columns {
						covered |= random.Uint64N(2) << (8*j + i)
					}
					line = append(line, covered)
				}
				row = append(row, line)
			}
			covers = append(covers, row)
		}
		for range size.Columns {
			var column [][]uint64
			for range 1 + random.IntN(3) {
				line := make([]uint64, 1<<size.Rows)
				for m := range line {
					line[m] = random.Uint64N(4)
				}
				column = append(column, line)
			}
			fits = append(fits, column)
		}
		c := New(size, covers, fits)
		for range 5 {
			var rows, prefix []uint16
			for i := range size.Rows {
				rows = append(rows, uint16(random.IntN(len(covers[i]))))
			}
			for j := range random.IntN(size.Columns + 1) {
				prefix = append(prefix, uint16(random.IntN(len(fits[j]))))
			}
			if got, want := c.Boards(rows, prefix), slowBoards(covers, fits, rows, prefix, 0); got != want {
				t.Fatalf("seed %d: %d boards with rows %v and prefix %v, want %d", seed, got, rows, prefix, want)
			}
		}
	}
}

// slowBoards counts the boards whose other rows cover some cells.
func slowBoards(covers, fits [][][]uint64, rows, prefix []uint16, covered uint64) uint64 {
	if i := len(covers) - len(rows); i < len(covers) {
		var sum uint64
		for _, cells := range covers[i][rows[0]] {
			sum += slowBoards(covers, fits, rows[1:], prefix, covered|cells)
		}
		return sum
	}
	product := uint64(1)
	for j, lines := range fits {
		var sum uint64
		for k, line := range lines {
			if j >= len(prefix) || int(prefix[j]) == k {
				sum += line[covered>>(8*j)&0xff]
			}
		}
		product *= sum
	}
	return product
}
