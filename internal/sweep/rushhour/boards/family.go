package boards

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A Family is what all boards have in common that have the same vehicles and walls line by
// line.
type Family struct {
	Size          rules.Size
	Rows, Columns []Line
	ExitRow       int   // the primary's
	Lengths       []int // of the other vehicles, each once, ascending; nil if there are none
	Walls         int
}

// A Line is what a row or column has, from the left or the top.
type Line struct {
	Walls   uint32 // the cells that are walls
	Lengths []int  // of the vehicles
	Gaps    []int  // the number of walls before each vehicle
	Primary bool   // the last vehicle is the primary
}

// FamilyOf reads a board and returns its family. shared says that the primary may share its
// row.
func FamilyOf(text string, shared bool) (*Family, error) {
	cells, size, err := Read(text)
	if err != nil {
		return nil, err
	}
	f := &Family{Size: size, Rows: make([]Line, size.Rows), Columns: make([]Line, size.Columns), ExitRow: -1}
	for i, c := range cells {
		if c == Wall {
			f.Rows[i/size.Columns].Walls |= 1 << (i % size.Columns)
			f.Walls++
		}
	}
	vehicles, err := Vehicles(cells, size)
	if err != nil {
		return nil, err
	}
	var primary Vehicle
	for _, v := range vehicles {
		at, gap := &f.Columns[v.Column], 0
		if !v.Vertical {
			at = &f.Rows[v.Row]
			gap = bits.OnesCount32(at.Walls & (1<<v.Column - 1))
		}
		at.Lengths, at.Gaps = append(at.Lengths, v.Length), append(at.Gaps, gap)
		if v.Letter != Letters[0] {
			f.Lengths = append(f.Lengths, v.Length)
			continue
		}
		if v.Vertical || v.Length != rules.PrimaryLength {
			return nil, fmt.Errorf("vehicle A must be horizontal and of 2 cells")
		}
		f.ExitRow, primary, at.Primary = v.Row, v, true
	}
	slices.Sort(f.Lengths)
	f.Lengths = slices.Compact(f.Lengths)
	if err := f.check(vehicles, primary, shared); err != nil {
		return nil, err
	}
	return f, nil
}

// check refuses boards that a sweep excludes.
func (f *Family) check(vehicles []Vehicle, primary Vehicle, shared bool) error {
	if f.ExitRow < 0 {
		return fmt.Errorf("the board has no vehicle A")
	}
	if len(f.Rows[f.ExitRow].Lengths) != 1 && !shared {
		return fmt.Errorf("row %d has a horizontal vehicle besides A, which the rules exclude", f.ExitRow)
	}
	for _, v := range vehicles {
		if v.Row == f.ExitRow && !v.Vertical && v.Column > primary.Column {
			return fmt.Errorf("%c is to the right of A in its row and blocks it forever, which a sweep excludes", v.Letter)
		}
	}
	if right := f.Rows[f.ExitRow].Walls >> primary.Column; right != 0 {
		return fmt.Errorf("the wall in column %d is to the right of A in its row and blocks it forever, which a sweep excludes", primary.Column+bits.TrailingZeros32(right))
	}
	return nil
}
