package blocks

import "math/bits"

// rest is the part of a key for the class of one-cell pieces with the most pieces.
// These and the empty cells fill what the pieces of the groups leave open, always the
// same number of cells, so a state is determined by which of the open cells are empty,
// or by which are not: whichever are fewer. A set of cells is ranked among all sets of
// its size: with open cells numbered from 0, it is the sum over its cells, from the
// lowest on, of choose(number, 1), choose(number, 2) and so on.
type rest struct {
	class   *class // nil: the board has no such pieces, and open cells are empty
	open    int    // number of open cells
	pick    int    // how many of them are ranked
	empties bool   // the empty cells are ranked
	states  uint64
	width   int      // bits of the rank, the lowest of the key
	binom   []uint64 // choose(p, i) at 64*i+p
}

// newRest makes the rest for the class that no group holds, or for nil if there is
// none.
func newRest(class *class, open int) *rest {
	r := &rest{class: class, open: open, states: 1}
	if class == nil {
		return r
	}
	r.pick, r.empties = class.count, false
	if empty := open - class.count; empty <= class.count {
		r.pick, r.empties = empty, true
	}
	r.binom = make([]uint64, 64*(r.pick+1))
	for p := range 64 {
		r.binom[p] = 1
		for i := 1; i <= r.pick && p > 0; i++ {
			r.binom[64*i+p] = r.binom[64*i+p-1] + r.binom[64*(i-1)+p-1]
		}
	}
	if r.pick > 0 {
		// choose(open, pick) as a sum of entries: open may be 64
		r.states = r.binom[64*r.pick+open-1] + r.binom[64*(r.pick-1)+open-1]
	}
	r.width = bits.Len64(r.states - 1)
	return r
}

// rank ranks the empty cells among the open ones.
func (r *rest) rank(open, empty uint64) (rank uint64) {
	if r.class == nil {
		return 0
	}
	ranked := empty
	if !r.empties {
		ranked = open &^ empty
	}
	for row := 64; ranked != 0 && row < len(r.binom); row += 64 {
		below := ranked&-ranked - 1
		ranked &= ranked - 1
		rank += r.binom[row+bits.OnesCount64(open&below)]
	}
	return rank
}

// empty returns the empty cells of a rank.
func (r *rest) empty(open, rank uint64) uint64 {
	if r.class == nil {
		return open
	}
	ranked, left := uint64(0), open
	for i, p := r.pick, r.open-1; i > 0 && p >= 0; p-- {
		top := uint64(1) << (63 - bits.LeadingZeros64(left))
		left &^= top
		if term := r.binom[64*i+p]; term <= rank {
			rank -= term
			ranked |= top
			i--
		}
	}
	if r.empties {
		return ranked
	}
	return open &^ ranked
}
