package puzzlescript

import (
	"math/bits"
	"slices"
)

// A scatter writes the digits of all cells that hold one object: it goes through the
// cells where the object is, instead of through all cells that have a digit.
type scatter struct {
	id    int
	first int      // word of the object's plane, at which mask begins
	mask  []uint64 // cells with a digit that may be the object, a bit per cell
	// before counts the cells of mask in the words before; shares are by cell of mask.
	before []int32
	shares []share
}

// share is what a digit adds to a key.
type share struct {
	word int
	bits uint64
}

// scatters returns what writes the digits of a key. Their fields must be arranged.
func (f *fields) scatters() []scatter {
	type pair struct{ cell, digit, n int }
	of := make(map[int][]pair) // by object
	for i := range f.digits {
		for n, id := range f.digits[i].objects {
			if id >= 0 && n > 0 { // a digit of 0 need not be written
				of[id] = append(of[id], pair{f.digits[i].cell, i, n})
			}
		}
	}
	var out []scatter
	for id, pairs := range of {
		slices.SortFunc(pairs, func(a, b pair) int { return a.cell - b.cell })
		first, last := pairs[0].cell>>6, pairs[len(pairs)-1].cell>>6
		s := scatter{id: id, first: first, mask: make([]uint64, last-first+1), before: make([]int32, last-first+1)}
		for _, p := range pairs {
			d := &f.digits[p.digit]
			s.mask[p.cell>>6-first] |= 1 << (p.cell & 63)
			s.shares = append(s.shares, share{d.word, uint64(p.n) << d.shift})
		}
		for n := range s.mask[1:] {
			s.before[n+1] = s.before[n] + int32(bits.OnesCount64(s.mask[n]))
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b scatter) int { return a.id - b.id })
	return out
}

// put writes the digits of the cells where the object is, given its plane.
func (s *scatter) put(plane, key []uint64) {
	for n, mask := range s.mask {
		for w := plane[s.first+n] & mask; w != 0; w &= w - 1 {
			p := &s.shares[int(s.before[n])+bits.OnesCount64(mask&(w&-w-1))]
			key[p.word] |= p.bits
		}
	}
}
