package coordinates

import "math/bits"

// Rows collects the distinct rows by which moves change the inner coordinate of a
// Split.
type Rows struct {
	split *Split
	known map[rowKind]int
	rows  [][]uint16

	lastKind rowKind // of the last step, and its row: the next one is mostly the same
	lastRow  int
}

// rowKind identifies a row: which piece of the old order comes to each place of the
// new one, and the parity of the old order.
type rowKind struct {
	from   [PlacesMax]uint8
	parity uint8
}

// NewRows returns an empty collection.
func NewRows(s *Split) *Rows { return &Rows{split: s, known: make(map[rowKind]int)} }

// All returns the rows: the inner coordinate that each leads to.
func (r *Rows) All() [][]uint16 { return r.rows }

// Step returns the effect of a move on the arrangements with an outer coordinate: the
// new outer coordinate, and the index of the row for the inner one. The piece that the
// move brings to place i was at place from[i].
func (r *Rows) Step(outer int, from []uint8) (next, row int) {
	s := r.split
	var to, at, rank [PlacesMax]uint8
	for i, f := range from {
		to[f] = uint8(i)
	}
	s.place(at[:s.Marked], outer)
	for i := range at[:s.Marked] {
		at[i] = to[at[i]]
	}
	next = s.outer(at[:s.Marked])
	for i, left := 0, s.free[outer]; left != 0; i, left = i+1, left&(left-1) {
		rank[bits.TrailingZeros16(left)] = uint8(i)
	}
	kind := rowKind{parity: s.parity[outer]}
	for i, left := 0, s.free[next]; left != 0; i, left = i+1, left&(left-1) {
		kind.from[i] = rank[from[bits.TrailingZeros16(left)]]
	}
	if len(r.rows) > 0 && kind == r.lastKind {
		return next, r.lastRow
	}
	row, ok := r.known[kind]
	if !ok {
		row = len(r.rows)
		r.known[kind] = row
		r.rows = append(r.rows, s.row(kind))
	}
	r.lastKind, r.lastRow = kind, row
	return next, row
}

// row computes a row.
func (s *Split) row(kind rowKind) []uint16 {
	n := s.others()
	row := make([]uint16, s.Inner)
	var order, moved, digits [PlacesMax]uint8
	for inner := range row {
		s.order(order[:n], inner, kind.parity)
		for i := range n {
			moved[i] = order[kind.from[i]]
		}
		lehmer(digits[:n], moved[:n])
		row[inner] = uint16(s.inner(digits[:n]))
	}
	return row
}

// order writes the order that an inner coordinate stands for.
func (s *Split) order(order []uint8, inner int, parity uint8) {
	n := len(order)
	digits := s.digits[inner*n : (inner+1)*n]
	left := uint64(0xfedcba9876543210)
	for i := range order {
		digit := digits[i]
		if i == n-2 {
			digit ^= parity
		}
		at := uint(digit) * 4 & 63
		order[i] = uint8(left >> at & 15)
		below := uint64(1)<<at - 1
		left = left&below | left>>4&^below
	}
}
