package sudoku

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// sideMax is the number of digits.
const sideMax = 9

// digits is a set; bit d stands for digit d.
type digits uint16

// grid is a grid with its givens, row by row, 0 for an empty cell.
type grid struct {
	side             int
	boxRows, boxCols int
	cells            []uint8
}

// box returns the box of a cell.
func (g *grid) box(row, col int) int {
	return row/g.boxRows*(g.side/g.boxCols) + col/g.boxCols
}

// used holds the digits of each row, column and box.
type used struct {
	rows, cols, boxes [sideMax]digits
}

// add adds a digit. It returns the kind of line that already has the digit, or "".
func (u *used) add(row, col, box int, digit uint8) string {
	d := digits(1) << digit
	switch {
	case u.rows[row]&d != 0:
		return "row"
	case u.cols[col]&d != 0:
		return "column"
	case u.boxes[box]&d != 0:
		return "box"
	}
	u.rows[row] |= d
	u.cols[col] |= d
	u.boxes[box] |= d
	return ""
}

// givens returns the digits that the cells use, or reports a clash.
func (g *grid) givens(places []boardfile.Piece) (used, *puzzle.InputError) {
	var u used
	for i, digit := range g.cells {
		if digit == 0 {
			continue
		}
		row, col := i/g.side, i%g.side
		if line := u.add(row, col, g.box(row, col), digit); line != "" {
			return u, places[i].Faultf("digit %d appears twice in a %s: a digit appears once in each row, column and box", digit, line)
		}
	}
	return u, nil
}

// open is a cell that is empty at the start.
type open struct {
	row, col, box int
	allowed       digits // those that clash with no given
}

// opens lists the empty cells in reading order.
func (g *grid) opens(u *used) []open {
	all := digits(1)<<(g.side+1) - 2
	var list []open
	for i, digit := range g.cells {
		if digit == 0 {
			row, col := i/g.side, i%g.side
			box := g.box(row, col)
			list = append(list, open{row, col, box, all &^ (u.rows[row] | u.cols[col] | u.boxes[box])})
		}
	}
	return list
}

// base returns the number of values of the cell, including empty.
func (o *open) base() int { return 1 + bits.OnesCount16(uint16(o.allowed)) }

// rank returns the number of a digit among those allowed, from 1.
func (o *open) rank(digit uint8) int {
	return 1 + bits.OnesCount16(uint16(o.allowed&(1<<digit-1)))
}
