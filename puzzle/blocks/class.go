package blocks

import "math/bits"

// class is a set of interchangeable pieces. Its places are numbered by the first cell
// of a piece there.
type class struct {
	kind   piece // of its pieces: without a position, and with a symbol if it is distinct
	count  int
	places []place
	at     []int16 // the place by first cell, or -1
	piece  int     // the number of its first piece, in order of class
	wants  []uint8 // places that the goal requires to be taken
}

// place is a position where a piece of a class fits.
type place struct {
	cells mask
	first int
	next  [4]int16 // the place one cell up, left, right or down, or -1
}

// directions are the four directions, in the order of the cells they lead to.
var directions = [4]struct {
	name     string
	row, col int
}{{"up", -1, 0}, {"left", 0, -1}, {"right", 0, 1}, {"down", 1, 0}}

// classesOf returns the classes of a setup: larger pieces first, then by their first
// piece on the board. The order of keys depends on it.
func classesOf(s *setup) []*class {
	var classes []*class
	known := map[piece]*class{}
	for size := s.rows * s.cols; size > 0; size-- {
		for _, p := range s.pieces {
			if len(p.shape.cells) != size {
				continue
			}
			kind := s.kind(p)
			if known[kind] == nil {
				known[kind] = &class{kind: kind}
				classes = append(classes, known[kind])
			}
			known[kind].count++
		}
	}
	piece := 0
	for _, c := range classes {
		c.piece = piece
		piece += c.count
		c.setPlaces(s)
	}
	for _, w := range s.goal {
		c := known[w.kind()]
		c.wants = append(c.wants, uint8(c.at[w.first]))
	}
	return classes
}

// setPlaces lists where a piece fits.
func (c *class) setPlaces(s *setup) {
	shape := c.kind.shape
	c.at = make([]int16, s.rows*s.cols)
	for first := range c.at {
		c.at[first] = -1
		if !shape.fits(&s.board, first) {
			continue
		}
		p := place{first: first}
		for _, at := range shape.at(first, s.cols) {
			p.cells.add(at.row*s.cols + at.col)
		}
		c.at[first] = int16(len(c.places))
		c.places = append(c.places, p)
	}
	for i := range c.places {
		p := &c.places[i]
		for d, to := range directions {
			row, col := p.first/s.cols+to.row, p.first%s.cols+to.col
			p.next[d] = -1
			if row >= 0 && row < s.rows && col >= 0 && col < s.cols {
				p.next[d] = c.at[row*s.cols+col]
			}
		}
	}
}

// widthOf returns the number of bits that hold the numbers below n.
func widthOf(n int) int { return bits.Len(uint(n - 1)) }
