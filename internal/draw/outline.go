package draw

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// corner is a corner of a cell.
type corner struct{ row, col int }

// outline returns the outline of touching cells, moved inwards by inset (outwards if
// negative), with its corners rounded by radius.
func outline(cells []puzzle.Cell, inset, radius float64) path {
	var out path
	for _, loop := range loops(cells) {
		out = append(out, rounded(loop, inset, radius)...)
	}
	return out
}

// loops returns the corners of the outlines of cells, with the cells on the right:
// clockwise around them, anticlockwise in their holes.
func loops(cells []puzzle.Cell) [][]corner {
	in := make(map[puzzle.Cell]bool, len(cells))
	for _, c := range cells {
		in[c] = true
	}
	// Edges by their starting corner. Where two cells touch at a corner, two edges
	// start.
	next := map[corner][]corner{}
	var starts []corner
	edge := func(from, to corner) {
		next[from] = append(next[from], to)
		starts = append(starts, from)
	}
	for _, c := range cells {
		at := corner{c.Row, c.Col}
		right, below, both := corner{c.Row, c.Col + 1}, corner{c.Row + 1, c.Col}, corner{c.Row + 1, c.Col + 1}
		if !in[puzzle.Cell{Row: c.Row - 1, Col: c.Col}] {
			edge(at, right)
		}
		if !in[puzzle.Cell{Row: c.Row, Col: c.Col + 1}] {
			edge(right, both)
		}
		if !in[puzzle.Cell{Row: c.Row + 1, Col: c.Col}] {
			edge(both, below)
		}
		if !in[puzzle.Cell{Row: c.Row, Col: c.Col - 1}] {
			edge(below, at)
		}
	}
	var all [][]corner
	for _, start := range starts {
		if len(next[start]) == 0 {
			continue
		}
		var loop []corner
		at, from := start, corner{}
		for {
			to := next[at]
			pick := 0
			if len(to) == 2 && len(loop) > 0 && !turnsRight(from, at, to[0]) {
				pick = 1 // stay with the cell rather than cross to the one at its corner
			}
			then := to[pick]
			next[at] = slices.Delete(to, pick, pick+1)
			loop = append(loop, at)
			from, at = at, then
			if at == start {
				break
			}
		}
		all = append(all, straightened(loop))
	}
	return all
}

func turnsRight(a, b, c corner) bool {
	return (b.col-a.col)*(c.row-b.row)-(b.row-a.row)*(c.col-b.col) > 0
}

// straightened removes the corners at which a loop does not turn.
func straightened(loop []corner) []corner {
	var out []corner
	n := len(loop)
	for i, c := range loop {
		a, b := loop[(i+n-1)%n], loop[(i+1)%n]
		if a.row == c.row && c.row == b.row || a.col == c.col && c.col == b.col {
			continue
		}
		out = append(out, c)
	}
	return out
}

// rounded moves a loop inwards by inset and rounds its corners.
func rounded(loop []corner, inset, radius float64) path {
	n := len(loop)
	unit := func(a, b corner) point {
		p := point{float64(b.col - a.col), float64(b.row - a.row)}
		return p.times(1 / p.length())
	}
	var out path
	for i, c := range loop {
		in, away := unit(loop[(i+n-1)%n], c), unit(c, loop[(i+1)%n])
		// The inside lies to the right of both edges.
		at := point{float64(c.col) * Cell, float64(c.row) * Cell}.
			plus(point{-in.y, in.x}.times(inset)).plus(point{-away.y, away.x}.times(inset))
		r := radius
		if in.cross(away) < 0 { // a concave corner stays parallel to its cells
			r = max(radius/2, 1)
		}
		a, b := at.minus(in.times(r)), at.plus(away.times(r))
		if i == 0 {
			out.move(a.x, a.y)
		} else {
			out.line(a.x, a.y)
		}
		out.turn(at, b)
	}
	out.close()
	return out
}

// connected reports whether cells are connected by their sides.
func connected(cells []puzzle.Cell) bool {
	if len(cells) == 0 {
		return true
	}
	left := make(map[puzzle.Cell]bool, len(cells))
	for _, c := range cells {
		left[c] = true
	}
	edge := []puzzle.Cell{cells[0]}
	delete(left, cells[0])
	for len(edge) > 0 {
		c := edge[len(edge)-1]
		edge = edge[:len(edge)-1]
		for _, n := range []puzzle.Cell{{Row: c.Row - 1, Col: c.Col}, {Row: c.Row + 1, Col: c.Col}, {Row: c.Row, Col: c.Col - 1}, {Row: c.Row, Col: c.Col + 1}} {
			if left[n] {
				delete(left, n)
				edge = append(edge, n)
			}
		}
	}
	return len(left) == 0
}

// hull returns the convex hull of some points, clockwise.
func hull(points []point) []point {
	slices.SortFunc(points, func(a, b point) int {
		if a.x != b.x {
			return sign(a.x - b.x)
		}
		return sign(a.y - b.y)
	})
	half := func(points []point) []point {
		var out []point
		for _, p := range points {
			for len(out) > 1 && out[len(out)-1].minus(out[len(out)-2]).cross(p.minus(out[len(out)-1])) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out[:len(out)-1]
	}
	upper := half(points)
	slices.Reverse(points)
	return append(upper, half(points)...)
}

func sign(f float64) int {
	switch {
	case f < 0:
		return -1
	case f > 0:
		return 1
	}
	return 0
}

func middle(c puzzle.Cell) point {
	return point{(float64(c.Col) + 0.5) * Cell, (float64(c.Row) + 0.5) * Cell}
}
