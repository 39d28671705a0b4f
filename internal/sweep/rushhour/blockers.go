package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// prune drops the states of the layer that take more than some moves, as more vehicles
// stand in the primary's way than can be moved out of it before its last move.
//
// A search that does this with a bound that falls by one with each layer still finds each
// state that is not dropped, at its depth. A move changes the number of vehicles in the
// way by one at most, for the primary itself moves over free cells: so no predecessor of a
// state that is not dropped is dropped.
func (s *space) prune(moves int) {
	if moves > len(s.outer)+len(s.inner) {
		return
	}
	s.layBlocks()
	kept, class := s.layer[:0], 0
	for i := range s.layer {
		for ; class < len(s.marks) && s.marks[class] <= i; class++ {
			s.marks[class] = len(kept)
		}
		e := s.layer[i]
		if e.bits = s.unblocked(&e, moves-1); e.bits != 0 {
			kept = append(kept, e)
		}
	}
	for ; class < len(s.marks); class++ {
		s.marks[class] = len(kept)
	}
	s.layer = kept
}

// unblocked returns the states of an entry with at most most vehicles in the primary's way.
func (s *space) unblocked(e *entry, most int) uint64 {
	ahead := s.rows.ahead(s.fields[e.field].rows)
	for i := range s.outer {
		o := &s.outer[i]
		if ahead>>o.column&1 != 0 && e.outer&s.blocks[i] != 0 {
			if most--; most < 0 {
				return 0
			}
		}
	}
	// more[k] is the states with more than k of the inner columns in the way.
	var more [rules.SizeMax]uint64
	for i := range s.inner {
		if ahead>>s.inner[i].column&1 == 0 {
			continue
		}
		covered := s.blocks[len(s.outer)+i]
		for k := most; k > 0; k-- {
			more[k] |= more[k-1] & covered
		}
		more[0] |= covered
	}
	return e.bits &^ more[most]
}

// layBlocks finds what of each column covers a cell of the primary's row.
func (s *space) layBlocks() {
	if len(s.blocks) > 0 {
		return
	}
	for i := range s.outer {
		o := &s.outer[i]
		s.blocks = append(s.blocks, o.line.covering(s.rows.exit)<<o.shift)
	}
	for i := range s.inner {
		in := &s.inner[i]
		var covered uint64
		for set := in.line.covering(s.rows.exit); set != 0; set &= set - 1 {
			covered |= in.places(bits.TrailingZeros64(set), in.fits.n, s.width)
		}
		s.blocks = append(s.blocks, covered)
	}
}

// covering returns the placements that cover a cell.
func (l *line) covering(cell int) uint64 {
	var set uint64
	for p := range l.placements {
		set |= uint64(l.placements[p].cells>>cell&1) << p
	}
	return set
}

// ahead returns the columns to the right of the primary.
func (rs *rowSet) ahead(p int32) uint {
	const everyByte = 0x0101010101010101
	last := bits.Len64(rs.joined[p]>>rs.exit&everyByte) / 8 // the primary's, as walls are to its left
	return 1<<rs.columns - 2<<last
}
