// Package product numbers the combinations of coordinates that moves reach. Coordinates
// are often tied to one another: two orbits may always have the same permutation, or the
// parity of one follows from that of another. Then few of all combinations are reached.
//
// The package must never know what coordinates mean: a coordinate is a number, and a move
// leads from each number to another.
package product

import (
	"math/bits"
	"slices"
)

// A Part is a coordinate: by move, where it leads from each number. Number 0 is the
// start's. All parts have the same moves.
type Part [][]int32

// Size returns how many numbers there are.
func (p Part) Size() int { return len(p[0]) }

// A Product is the combinations of the numbers of some parts that moves reach together. It
// is immutable and safe for concurrent use.
type Product struct {
	parts  []Part
	all    uint64   // combinations, reached or not
	sorted []uint64 // the combinations that are reached, nil if all are
	starts []int32  // by the high bits of a combination, where it is in sorted
	shift  int
}

// combinationsMax is how many combinations there may be, reached or not.
const combinationsMax = 1 << 28

// New returns the product of parts for a number of moves, of at most limit combinations
// that are reached. It returns nil if there are more, or too many to tell.
func New(parts []Part, moves, limit int) *Product {
	p := &Product{parts: parts, all: 1}
	for _, part := range parts {
		high, low := bits.Mul64(p.all, uint64(part.Size()))
		if high != 0 {
			return nil
		}
		p.all = low
	}
	if limit < 1 {
		return nil
	}
	if p.all > combinationsMax {
		return nil
	}
	reached := make(set, p.all/64+1)
	reached.add(0)
	queue := []uint64{0}
	n := 1
	for len(queue) > 0 && uint64(n) < p.all {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for move := range moves {
			to := p.moved(at, move)
			if !reached.add(to) {
				continue
			}
			if n == limit {
				return nil
			}
			n++
			queue = append(queue, to)
		}
	}
	if uint64(n) == p.all {
		return p
	}
	p.sorted = reached.sorted()
	p.index()
	return p
}

// set is a set of combinations, a bit each.
type set []uint64

// add adds a combination, and reports whether it is new.
func (s set) add(c uint64) bool {
	word, bit := &s[c/64], uint64(1)<<(c%64)
	is := *word&bit == 0
	*word |= bit
	return is
}

func (s set) sorted() (all []uint64) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			all = append(all, uint64(i*64+bits.TrailingZeros64(word)))
		}
	}
	return all
}

// index finds where the combinations with the same high bits begin, so that there are about
// as many of these as combinations.
func (p *Product) index() {
	p.shift = max(0, bits.Len64(p.all-1)-bits.Len(uint(len(p.sorted))))
	p.starts = make([]int32, p.all>>p.shift+2)
	for _, combination := range p.sorted {
		p.starts[combination>>p.shift+1]++
	}
	for i := 1; i < len(p.starts); i++ {
		p.starts[i] += p.starts[i-1]
	}
}

// moved returns where a move leads from a combination.
func (p *Product) moved(combination uint64, move int) uint64 {
	to, stride := uint64(0), uint64(1)
	for i := len(p.parts) - 1; i >= 0; i-- {
		size := uint64(p.parts[i].Size())
		to += uint64(p.parts[i][move][combination%size]) * stride
		combination /= size
		stride *= size
	}
	return to
}

// Len returns how many combinations are reached.
func (p *Product) Len() int {
	if p.sorted == nil {
		return int(p.all)
	}
	return len(p.sorted)
}

// Combination returns the combination with number i: of the numbers of the parts, the last
// one's varies fastest.
func (p *Product) Combination(i int) uint64 {
	if p.sorted == nil {
		return uint64(i)
	}
	return p.sorted[i]
}

// Number returns the number of a combination, and false if moves do not reach it.
// Combinations are numbered in their order.
func (p *Product) Number(combination uint64) (int, bool) {
	if combination >= p.all {
		return 0, false
	}
	if p.sorted == nil {
		return int(combination), true
	}
	from, to := p.starts[combination>>p.shift], p.starts[combination>>p.shift+1]
	at, ok := slices.BinarySearch(p.sorted[from:to], combination)
	return int(from) + at, ok
}

// Numbers splits a combination into the numbers of the parts.
func (p *Product) Numbers(combination uint64, f func(part, number int)) {
	for i := len(p.parts) - 1; i >= 0; i-- {
		size := uint64(p.parts[i].Size())
		f(i, int(combination%size))
		combination /= size
	}
}

// Next returns where a move leads from each combination that is reached, by number.
func (p *Product) Next(move int) []int32 {
	next := make([]int32, p.Len())
	for i := range next {
		to, ok := p.Number(p.moved(p.Combination(i), move))
		if !ok {
			panic("product: a move leads out of what moves reach")
		}
		next[i] = int32(to)
	}
	return next
}
