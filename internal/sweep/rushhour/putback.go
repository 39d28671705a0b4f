package rushhour

import "math/bits"

// putBack puts the piece that was removed from a board back, anywhere in its line,
// and looks up the distance: without the piece a board needs no more moves. So a
// search that asks whether a board is easier without a piece need not go on to a
// goal: it ends where the piece, put back elsewhere, leaves few enough moves.
type putBack struct {
	known   *ledger
	rows    *rowSet // with the piece
	columns []*line // with it, but in its column, if it has one
	column  int     // the piece's, -1 if it is in a row
	row     int     // the piece's, if it is in a row
	line    *line   // the piece's, with it
	less    *reduction
	fewer   *rowSet // the rows without the piece, if it is in one

	looked int
}

// putBackMax is how many boards are looked up in one search.
const putBackMax = 512

// solves reports whether a state of the layer is known to need at most moves moves.
func (b *putBack) solves(s *space, moves int) bool {
	if moves < 1 {
		return false
	}
	for i := range s.layer {
		e := &s.layer[i]
		at := position{rows: s.fields[e.field].rows}
		for rest := e.bits; rest != 0; rest &= rest - 1 {
			if b.looked++; b.looked > putBackMax {
				return false
			}
			s.placements(e.outer, bits.TrailingZeros64(rest), &at)
			if b.anywhere(&at, moves) {
				return true
			}
		}
	}
	return false
}

// anywhere reports whether a state is known to need at most moves moves with the
// piece in one of its places.
func (b *putBack) anywhere(at *position, moves int) bool {
	if b.column < 0 {
		return b.inRow(at, moves)
	}
	there := *at
	b.columns[b.column] = b.line
	found := false
	mask := b.rows.masks[int(at.rows)*len(b.columns)+b.column]
	for set := b.line.fits.set[mask]; set != 0 && !found; set &= set - 1 {
		p := int32(bits.TrailingZeros64(set))
		if b.less.placement[p] == at.columns[b.column] {
			there.columns[b.column] = p
			found = b.within(&there, moves)
		}
	}
	b.columns[b.column] = b.less.line
	return found
}

func (b *putBack) inRow(at *position, moves int) bool {
	there := *at
	from := 0
	for i := range b.rows.lines {
		if i != b.row {
			from += b.fewer.digit(int(at.rows), i) * b.rows.strides[i]
		}
	}
	digit := int32(b.fewer.digit(int(at.rows), b.row))
	for p, q := range b.less.placement {
		if q != digit {
			continue
		}
		there.rows = int32(from + p*b.rows.strides[b.row])
		if b.fits(&there) && b.within(&there, moves) {
			return true
		}
	}
	return false
}

// fits reports whether the columns fit between the rows.
func (b *putBack) fits(at *position) bool {
	masks := b.rows.masks[int(at.rows)*len(b.columns):][:len(b.columns)]
	for j, c := range b.columns {
		if c.fits.set[masks[j]]>>at.columns[j]&1 == 0 {
			return false
		}
	}
	return true
}

// within reports whether a state is known to need at most moves moves. A distance of
// 1 may stand for a state that the ledger does not know.
func (b *putBack) within(at *position, moves int) bool {
	distance := b.known.distance(b.columns, at)
	return distance > 1 && distance <= moves
}
