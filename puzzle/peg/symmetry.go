package peg

import (
	"fmt"
	"slices"
)

// symmetry maps the board to itself.
type symmetry struct {
	name string
	to   []int // the image of hole i is hole to[i]
}

// symmetries returns the symmetries of the board: the identity, then the other
// rotations, then the reflections, both by angle.
func (s *shape) symmetries() []symmetry {
	angle, turn, mirror := 90, turnSquare, mirrorSquare
	if s.geometry == geometryTri {
		angle, turn, mirror = 60, turnTri, mirrorTri
	}
	var list []symmetry
	for _, kind := range "rm" {
		cells := slices.Clone(s.holes)
		if kind == 'm' {
			apply(cells, mirror)
		}
		for degrees := 0; degrees < 360; degrees += angle {
			if to, ok := s.onto(cells); ok && !slices.ContainsFunc(list, func(g symmetry) bool { return slices.Equal(g.to, to) }) {
				list = append(list, symmetry{fmt.Sprintf("%c%d", kind, degrees), to})
			}
			apply(cells, turn)
		}
	}
	return list
}

// The symmetries of the square and of the triangular lattice: clockwise rotation by
// the least angle, and left-right reflection.
func turnSquare(c cell) cell   { return cell{c.col, -c.row} }
func mirrorSquare(c cell) cell { return cell{c.row, -c.col} }
func turnTri(c cell) cell      { return cell{c.col, c.col - c.row} }
func mirrorTri(c cell) cell    { return cell{c.row, c.row - c.col} }

func apply(cells []cell, f func(cell) cell) {
	for i, c := range cells {
		cells[i] = f(c)
	}
}

// onto returns the hole on which each of the cells lies once they are shifted onto the
// board, and whether they cover it.
func (s *shape) onto(cells []cell) ([]int, bool) {
	shift := leastOf(s.holes)
	least := leastOf(cells)
	shift.row -= least.row
	shift.col -= least.col
	to := make([]int, len(cells))
	for i, c := range cells {
		var ok bool
		if to[i], ok = s.index[cell{c.row + shift.row, c.col + shift.col}]; !ok {
			return nil, false
		}
	}
	return to, true
}

// leastOf returns the least row and the least column of cells.
func leastOf(cells []cell) cell {
	least := cells[0]
	for _, c := range cells {
		least.row, least.col = min(least.row, c.row), min(least.col, c.col)
	}
	return least
}

// keeping returns the symmetries that preserve an arrangement.
func keeping(list []symmetry, pegs []bool) []symmetry {
	var kept []symmetry
	for _, g := range list {
		if slices.Equal(g.of(pegs), pegs) {
			kept = append(kept, g)
		}
	}
	return kept
}

// of returns the image of an arrangement.
func (g symmetry) of(pegs []bool) []bool {
	image := make([]bool, len(pegs))
	for i, peg := range pegs {
		image[g.to[i]] = peg
	}
	return image
}
