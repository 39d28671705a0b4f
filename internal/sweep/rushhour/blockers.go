package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// prune drops the states of the layer that take more than some moves: each vehicle in the
// primary's way takes one, the primary takes the last, and if one of those in its way cannot
// leave by moves in its column alone, a vehicle of another row must move as well.
//
// A search that does this with a bound that falls by one with each layer still finds each
// state that is not dropped, at its depth, as no move lowers the sum by more than one. Moves
// in a column do not change which other columns are stuck, and cannot clear one that is.
// Moves in other rows leave as many vehicles in the way. And the primary itself moves over
// free cells. So no predecessor of a state that is not dropped is dropped.
func (s *space) prune(moves int) {
	if moves > len(s.outer)+len(s.inner)+1 {
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

// unblocked returns the states of an entry that may take at most most moves before the
// primary's last.
func (s *space) unblocked(e *entry, most int) uint64 {
	r := e.rows
	ahead := s.rows.ahead(r)
	covered := s.rows.covered[r]
	var stuck uint64
	for i := range s.outer {
		o := &s.outer[i]
		if ahead>>o.column&1 == 0 || e.outer&s.blocks[i] == 0 {
			continue
		}
		if most--; most < 0 {
			return 0
		}
		if e.outer&(o.fits.Stuck[covered.of(o.column)]<<o.shift) != 0 {
			stuck = ^uint64(0)
		}
	}
	// more[k] is the states with more than k of the inner columns in the way.
	var more [rules.SizeMax]uint64
	for i := range s.inner {
		in := &s.inner[i]
		if ahead>>in.column&1 == 0 {
			continue
		}
		blocked := s.blocks[len(s.outer)+i]
		for k := most; k > 0; k-- {
			more[k] |= more[k-1] & blocked
		}
		more[0] |= blocked
		if set := in.fits.Stuck[covered.of(in.column)]; set != 0 {
			stuck |= in.anywhere(set, s.width)
		}
	}
	if most > 0 {
		stuck &= more[most-1]
	}
	return e.bits &^ (more[most] | stuck)
}

// anywhere returns the bits of all joint placements in which the column is in one of some
// placements.
func (in *innerColumn) anywhere(set uint64, width int) uint64 {
	var all uint64
	for ; set != 0; set &= set - 1 {
		all |= in.places(bits.TrailingZeros64(set), in.fits.N, width)
	}
	return all
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
		s.blocks = append(s.blocks, in.anywhere(in.line.covering(s.rows.exit), s.width))
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
	last := bits.Len64(uint64(rs.covered[p])>>rs.exit&everyByte) / 8 // the primary's, as walls are to its left
	return 1<<rs.columns - 2<<last
}
