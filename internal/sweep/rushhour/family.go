package rushhour

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/sweep/rushhour/boards"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// restrict restricts the enumeration to the family of one board. The size, the exit
// and the walls follow from the board.
func (e *Enumeration) restrict() error {
	r := &e.rules
	cells, size, err := boards.Read(r.Family)
	if err != nil {
		return fmt.Errorf("family: %w", err)
	}
	r.Size = size
	rows, columns := make([]line, size.Rows), make([]line, size.Columns)
	for i := range size.Rows {
		for j := range size.Columns {
			if cells[i*size.Columns+j] == boards.Wall {
				rows[i].walls |= 1 << j
			}
		}
	}
	vehicles, err := boards.Vehicles(cells, size)
	if err != nil {
		return fmt.Errorf("family: %w", err)
	}
	r.ExitRow = -1
	var lengths []int
	var primary boards.Vehicle
	for _, v := range vehicles {
		at := &columns[v.Column]
		gap := 0
		if !v.Vertical {
			at = &rows[v.Row]
			gap = bits.OnesCount32(at.walls & (1<<v.Column - 1))
		}
		at.lengths = append(at.lengths, v.Length)
		at.gaps = append(at.gaps, gap)
		if v.Letter != boards.Letters[0] {
			lengths = append(lengths, v.Length)
			continue
		}
		if v.Vertical || v.Length != rules.PrimaryLength {
			return fmt.Errorf("family: A must be horizontal and of 2 cells")
		}
		r.ExitRow, primary = v.Row, v
		at.primary = true
	}
	if r.ExitRow < 0 {
		return fmt.Errorf("family: the board has no vehicle A")
	}
	if len(rows[r.ExitRow].lengths) != 1 && !r.PrimaryRowShared {
		return fmt.Errorf("family: row %d has a horizontal vehicle besides A, which the rules exclude", r.ExitRow)
	}
	for _, v := range vehicles {
		if v.Row == r.ExitRow && !v.Vertical && v.Column > primary.Column {
			return fmt.Errorf("family: %c is to the right of A in its row and blocks it forever, which a sweep excludes", v.Letter)
		}
	}
	if right := rows[r.ExitRow].walls >> primary.Column; right != 0 {
		return fmt.Errorf("family: the wall in column %d is to the right of A in its row and blocks it forever, which a sweep excludes", primary.Column+bits.TrailingZeros32(right))
	}
	if len(lengths) > 0 {
		slices.Sort(lengths)
		r.Lengths = slices.Compact(lengths)
	}
	walls := strings.Count(string(cells), string(boards.Wall))
	r.WallsMin, r.WallsMax, r.Limits = walls, walls, nil
	r.FullRows, r.FullColumns = false, false
	for _, l := range rows {
		e.rowSets = append(e.rowSets, []line{l})
	}
	for _, l := range columns {
		e.columns = append(e.columns, []line{l})
	}
	return nil
}
