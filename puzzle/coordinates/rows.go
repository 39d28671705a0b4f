package coordinates

import (
	"math/bits"
	"slices"
)

// Rows collects the distinct rows by which moves change the inner coordinate of a
// Split.
type Rows struct {
	split *Split
	names [][]uint8
	known map[rowKind]int
	parts map[rowKind][]uint16 // what rows are made of
	rows  [][]uint16

	lastKind rowKind // of the last step, and its row: the next one is mostly the same
	lastRow  int
}

// rowKind identifies a row: which piece of the old order comes to each place of the
// new one, the parity of the old order, and how pieces are renamed.
type rowKind struct {
	from   [PlacesMax]uint8
	parity uint8
	naming int
}

// NewRows returns an empty collection.
func NewRows(s *Split) *Rows { return NewRenamings(s, nil) }

// NewRenamings returns an empty collection of rows that also rename the pieces in one of
// several ways, which map marked pieces to marked ones: names holds, by way, the new name of
// each piece.
func NewRenamings(s *Split, names [][]uint8) *Rows {
	return &Rows{split: s, names: names, known: make(map[rowKind]int), parts: make(map[rowKind][]uint16)}
}

// All returns the rows: the inner coordinate that each leads to.
func (r *Rows) All() [][]uint16 { return r.rows }

// Step returns the effect of a move on the arrangements with an outer coordinate: the
// new outer coordinate, and the index of the row for the inner one. The piece that the
// move brings to place i was at place from[i].
func (r *Rows) Step(outer int, from []uint8) (next, row int) {
	return r.step(outer, from, unnamed)
}

// unnamed is the way in which pieces keep their names.
const unnamed = -1

// Renamed is Step, where the pieces are renamed after the move, in one of the ways.
func (r *Rows) Renamed(outer int, from []uint8, way int) (next, row int) {
	return r.step(outer, from, way)
}

func (r *Rows) step(outer int, from []uint8, naming int) (next, row int) {
	s := r.split
	var to, at, rank [PlacesMax]uint8
	for i, f := range from {
		to[f] = uint8(i)
	}
	s.Place(at[:s.Marked], outer)
	moved := at
	for i := range at[:s.Marked] {
		name := i
		if naming != unnamed {
			name = int(r.names[naming][i])
		}
		moved[name] = to[at[i]]
	}
	next = s.OuterOf(moved[:s.Marked])
	for i, left := 0, s.free[outer]; left != 0; i, left = i+1, left&(left-1) {
		rank[bits.TrailingZeros16(left)] = uint8(i)
	}
	kind := rowKind{parity: s.parity[outer], naming: naming}
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
		r.rows = append(r.rows, r.row(kind))
	}
	r.lastKind, r.lastRow = kind, row
	return next, row
}

// row computes a row. Nearly all are made of two that many others are made of too: to move
// half of the places, in their order, to the front; and to move within both halves. Renaming
// comes last.
func (r *Rows) row(kind rowKind) []uint16 {
	n := r.split.others()
	half := n/2 + 1
	var front, within rowKind
	rank, at := 0, half
	chosen := uint32(0)
	for _, place := range kind.from[:half] {
		chosen |= 1 << place
	}
	for place := range n {
		if chosen>>place&1 != 0 {
			front.from[rank] = uint8(place)
			rank++
		} else {
			front.from[at] = uint8(place)
			at++
		}
	}
	for i, place := range kind.from[:n] {
		within.from[i] = uint8(slices.Index(front.from[:n], place))
	}
	front.parity, front.naming, within.naming = kind.parity, unnamed, unnamed
	within.parity = r.after(&front)
	naming := rowKind{parity: r.after(&within), naming: kind.naming}
	for i := range n {
		naming.from[i] = uint8(i)
	}
	first, then, last := r.direct(&front), r.direct(&within), r.direct(&naming)
	row := make([]uint16, len(first))
	for inner, to := range first {
		row[inner] = last[then[to]]
	}
	return row
}

// after returns the parity of the order after a row.
func (r *Rows) after(kind *rowKind) uint8 {
	if r.split.Parity == nil {
		return kind.parity
	}
	var digits [PlacesMax]uint8
	n := r.split.others()
	return kind.parity ^ lehmer(digits[:n], kind.from[:n])&1
}

// direct returns a row that others are made of.
func (r *Rows) direct(kind *rowKind) []uint16 {
	row := r.parts[*kind]
	if row != nil {
		return row
	}
	s := r.split
	n := s.others()
	row = make([]uint16, s.Inner)
	var order, moved, digits [PlacesMax]uint8
	for inner := range row {
		s.order(order[:n], inner, kind.parity)
		for i := range n {
			moved[i] = order[kind.from[i]]
			if kind.naming != unnamed {
				moved[i] = r.names[kind.naming][s.Marked+int(moved[i])] - uint8(s.Marked)
			}
		}
		lehmer(digits[:n], moved[:n])
		row[inner] = uint16(s.inner(digits[:n]))
	}
	r.parts[*kind] = row
	return row
}

// Order writes the order of the other pieces, numbered from 0, that an inner coordinate stands
// for with an outer one.
func (s *Split) Order(order []uint8, outer int, inner uint16) {
	s.order(order[:s.others()], int(inner), s.parity[outer])
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
