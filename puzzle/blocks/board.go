package blocks

import (
	"slices"
	"strings"
)

const (
	// sideMax is the largest number of rows and of columns.
	sideMax  = 16
	cellsMax = sideMax * sideMax

	// symbols are the letters and digits that a piece may have.
	symbols   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	piecesMax = len(symbols)

	goalSymbol = 'A' // of the piece that is distinct unless a goal says otherwise
)

// piece is a piece and its position.
type piece struct {
	symbol byte // 0: any interchangeable piece of the shape
	shape  *shape
	first  int // its first cell, row by row
}

// board is a placement of pieces, as a text describes it, without a goal.
type board struct {
	rows, cols int
	walls      []bool  // rows*cols, row by row
	pieces     []piece // by first cell
}

// find returns the index of the piece with a symbol, or -1.
func (b *board) find(symbol byte) int {
	return slices.IndexFunc(b.pieces, func(p piece) bool { return p.symbol == symbol })
}

// setup is a board with everything that makes it a puzzle.
type setup struct {
	board
	metric   metric
	distinct bool    // no two pieces are interchangeable
	goal     []piece // all must hold; empty: there is no goal

	// own holds the symbols of the pieces that are distinct although others are
	// interchangeable: A, or the pieces that the goal names.
	own string
}

// isOwn reports whether the piece with a symbol is not interchangeable.
func (s *setup) isOwn(symbol byte) bool {
	return s.distinct || strings.IndexByte(s.own, symbol) >= 0
}

// shape is a polyomino in a fixed orientation. Equal shapes of a board are one
// pointer.
type shape struct {
	cols  int    // of its bounding box
	cells []cell // in the bounding box, row by row
}

// cell is a position on the board or in a bounding box.
type cell struct{ row, col int }

// shapeOf returns the shape of cells of a board, given row by row, and the top left
// corner of their bounding box.
func shapeOf(cells []cell) (s *shape, corner cell) {
	lo, right := cells[0], cells[0].col
	for _, c := range cells {
		lo, right = cell{min(lo.row, c.row), min(lo.col, c.col)}, max(right, c.col)
	}
	s = &shape{cols: right - lo.col + 1}
	for _, c := range cells {
		s.cells = append(s.cells, cell{c.row - lo.row, c.col - lo.col})
	}
	return s, lo
}

func (s *shape) equal(o *shape) bool { return slices.Equal(s.cells, o.cells) }

// at returns the cells of the shape with its first cell at first, on a board with the
// given number of columns.
func (s *shape) at(first, cols int) []cell {
	corner := s.corner(first, cols)
	cells := make([]cell, len(s.cells))
	for i, c := range s.cells {
		cells[i] = cell{corner.row + c.row, corner.col + c.col}
	}
	return cells
}

// corner returns the top left corner of the bounding box, given the first cell. It may
// lie left of the board.
func (s *shape) corner(first, cols int) cell {
	return cell{first / cols, first%cols - s.cells[0].col}
}

// fits reports whether the shape fits on the board's floor with the given first cell.
func (s *shape) fits(b *board, first int) bool {
	for _, c := range s.at(first, b.cols) {
		if c.row >= b.rows || c.col < 0 || c.col >= b.cols || b.walls[c.row*b.cols+c.col] {
			return false
		}
	}
	return true
}
