package rushhour

import (
	"fmt"

	"github.com/everystate/everystate/internal/sweep/rushhour/boards"
)

// restrict restricts the enumeration to the family of one board. The size, the exit
// and the walls follow from the board.
func (e *Enumeration) restrict() error {
	r := &e.rules
	f, err := boards.FamilyOf(r.Family, r.PrimaryRowShared)
	if err != nil {
		return fmt.Errorf("family: %w", err)
	}
	r.Size, r.ExitRow = f.Size, f.ExitRow
	if len(f.Lengths) > 0 {
		r.Lengths = f.Lengths
	}
	r.WallsMin, r.WallsMax, r.Limits = f.Walls, f.Walls, nil
	r.FullRows, r.FullColumns = false, false
	e.rowSets, e.columns = only(f.Rows), only(f.Columns)
	return nil
}

// only returns the lines of a board, each as the only one that may stand there.
func only(lines []boards.Line) (sets [][]line) {
	for _, l := range lines {
		sets = append(sets, []line{{lengths: l.Lengths, gaps: l.Gaps, walls: l.Walls, primary: l.Primary}})
	}
	return sets
}
