// Package coordinates divides arrangements of pieces into two coordinates of moderate
// size, for puzzles whose states are ranked (puzzle.Dense): the places of some marked
// pieces, and the order of the others at the places that are left.
//
// It must never depend on a family, and keeps no state between calls. A Split is
// immutable and safe for concurrent use.
package coordinates

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// PlacesMax bounds the places of a Split, so that ranks fit a word.
const PlacesMax = 16

// Shape describes arrangements of the pieces 0, 1, ... at as many places.
type Shape struct {
	// Places is the number of places, at most PlacesMax. Marked is the number of
	// pieces, the first ones, that the outer coordinate places; at least three must be
	// left for the inner one.
	Places, Marked int

	// Hole means that piece 0 is a hole, which is marked: the rank of an arrangement
	// is then the rank of the order of the other pieces, times Places, plus the place
	// of the hole.
	Hole bool

	// Parity returns, for the places of the marked pieces, whether the arrangements
	// with them there are even permutations (0) or odd ones (1). If it is nil, they
	// are of both kinds.
	Parity func(at []uint8) uint8
}

// Split is a pair of coordinates: Outer for the places of the marked pieces, Inner for
// the order of the others.
type Split struct {
	Shape
	Outer, Inner int

	base   []uint64 // by outer: the rank without the digits that the inner coordinate determines
	free   []uint16 // by outer: the places of the other pieces, as bits
	parity []uint8  // by outer: the parity of the digits of the inner coordinate
	digits []uint8  // by inner, Places-Marked each: its Lehmer code

	// What an inner coordinate adds to a rank is the sum of what its leading digits add
	// and what the others do. They are numbered, and each inner coordinate has a pair.
	leading      int // how many digits lead
	heads, tails int // how many numbers there are of the ones, and of the others
	halves       []pair
}

// pair is an inner coordinate as the numbers of its leading digits, and of the others.
type pair struct{ head, tail uint16 }

// New returns the coordinates of a shape.
func New(shape Shape) *Split {
	s := NewLocator(shape)
	n := s.others()
	s.base, s.free, s.parity = make([]uint64, s.Outer), make([]uint16, s.Outer), make([]uint8, s.Outer)
	var wait sync.WaitGroup
	share := s.Outer/runtime.GOMAXPROCS(0) + 1
	for first := 0; first < s.Outer; first += share {
		wait.Go(func() {
			var at [PlacesMax]uint8
			for outer := first; outer < min(first+share, s.Outer); outer++ {
				s.Place(at[:s.Marked], outer)
				s.set(outer, at[:s.Marked])
			}
		})
	}
	wait.Wait()
	s.digits = make([]uint8, s.Inner*n)
	for inner := range s.Inner {
		s.setDigits(inner)
	}
	s.setHalves()
	return s
}

// NewLocator returns the coordinates of a shape for Rank alone, without any tables.
func NewLocator(shape Shape) *Split {
	s := &Split{Shape: shape, Outer: 1, Inner: 1}
	for i := range s.Marked {
		s.Outer *= s.Places - i
	}
	for i := 2; i <= s.others(); i++ {
		s.Inner *= i
	}
	if s.Parity != nil {
		s.Inner /= 2
	}
	return s
}

// others returns the number of pieces that are not marked.
func (s *Split) others() int { return s.Places - s.Marked }

// Place writes the places of the marked pieces with an outer coordinate.
func (s *Split) Place(at []uint8, outer int) {
	for i := range at {
		radix := s.Places - (len(at) - 1 - i)
		at[len(at)-1-i], outer = uint8(outer%radix), outer/radix
	}
	// Each digit counts among the places left free by those before it.
	free := ^uint32(0)
	for i, digit := range at {
		left := free
		for range digit {
			left &= left - 1
		}
		at[i] = uint8(bits.TrailingZeros32(left))
		free &^= 1 << at[i]
	}
}

// OuterOf is the inverse of Place.
func (s *Split) OuterOf(at []uint8) int {
	outer, taken := 0, uint32(0)
	for i, place := range at {
		digit := int(place) - bits.OnesCount32(taken&(1<<place-1))
		outer = outer*(s.Places-i) + digit
		taken |= 1 << place
	}
	return outer
}

// weight returns the weight of a place's digit in the rank.
func (s *Split) weight(place int, at []uint8) uint64 {
	if !s.Hole {
		return factorial(s.Places - 1 - place)
	}
	if place > int(at[0]) {
		place--
	}
	return factorial(s.Places-2-place) * uint64(s.Places)
}

// set computes what an outer coordinate contributes to the rank.
func (s *Split) set(outer int, at []uint8) {
	s.base[outer], s.free[outer], s.parity[outer] = s.contribution(at)
}

// contribution returns what marked pieces contribute to the rank, the places of the others,
// and the parity of the digits of the inner coordinate, 0 if that is free.
func (s *Split) contribution(at []uint8) (base uint64, free uint16, parity uint8) {
	var marked [PlacesMax]int8 // the piece plus 1
	for piece, place := range at {
		marked[place] = int8(piece + 1)
	}
	least := int8(1) // least piece that counts in the order
	if s.Hole {
		least, base = 2, uint64(at[0])
	}
	odd := 0
	for place := range s.Places {
		piece := marked[place]
		later, inversions := 0, 0 // smaller marked pieces at later places: those that count, and all
		for _, other := range marked[place+1 : s.Places] {
			if other > 0 && (piece == 0 || other < piece) {
				inversions++
				if other >= least {
					later++
				}
			}
		}
		odd ^= inversions & 1
		if piece == 0 {
			free |= 1 << place
		}
		if piece == 0 || piece >= least {
			base += uint64(later) * s.weight(place, at)
		}
	}
	if s.Parity != nil {
		parity = s.Parity(at) ^ uint8(odd)
	}
	return base, free, parity
}

// setDigits writes the Lehmer code of an inner coordinate. If the parity is fixed, the
// last digit but one is written as for even parity.
func (s *Split) setDigits(inner int) {
	n := s.others()
	digits := s.digits[inner*n : (inner+1)*n]
	last, rest, sum := n-1, inner, uint8(0)
	if s.Parity != nil {
		last = n - 2
	}
	for i := last - 1; i >= 0; i-- {
		radix := n - i
		digits[i] = uint8(rest % radix)
		rest /= radix
		sum += digits[i]
	}
	if s.Parity != nil {
		digits[n-2] = sum & 1
	}
}

// inner is the inverse of setDigits.
func (s *Split) inner(digits []uint8) int {
	n, last, inner := s.others(), s.others()-1, 0
	if s.Parity != nil {
		last = n - 2
	}
	for i := range last {
		inner = inner*(n-i) + int(digits[i])
	}
	return inner
}

// setHalves divides the digits so that the numbers are few. Where the parity is fixed, the
// last digit but one also depends on the sum of the leading ones, so that the others have
// two numbers, one for each parity of that sum.
func (s *Split) setHalves() {
	n, last, kinds := s.others(), s.others()-1, 1
	if s.Parity != nil {
		last, kinds = n-2, 2
	}
	s.heads, s.tails = 1, kinds*s.Inner
	for i := range last {
		heads := s.heads * (n - i)
		tails := kinds * (s.Inner / heads)
		if heads+tails >= s.heads+s.tails {
			break
		}
		s.leading, s.heads, s.tails = i+1, heads, tails
	}
	s.halves = make([]pair, s.Inner)
	each := s.Inner / s.heads
	for inner := range s.halves {
		p := pair{uint16(inner / each), uint16(inner % each)}
		if s.Parity != nil {
			odd := s.digits[inner*n+n-2] ^ s.digits[int(p.tail)*n+n-2] // of the leading digits
			p.tail += uint16(each) * uint16(odd)
		}
		s.halves[inner] = p
	}
}

// halvesMax is how many numbers of halves of digits there are, unless very many pieces are
// left to the inner coordinate.
const halvesMax = 1 << 7

// AppendRanks appends the lexicographic ranks of arrangements.
func (s *Split) AppendRanks(ranks []uint64, outer int, inner []uint16) []uint64 {
	var weights [PlacesMax]uint64
	s.weights(&weights, outer)
	var headArray, tailArray [halvesMax]uint64
	heads, tails := headArray[:], tailArray[:]
	if s.heads > halvesMax || s.tails > halvesMax {
		heads, tails = make([]uint64, s.heads), make([]uint64, s.tails)
	}
	heads, tails = heads[:s.heads], tails[:s.tails]
	heads[0] = s.base[outer]
	s.sums(heads, weights[:], 0, s.leading)
	s.setTails(tails, weights[:], s.parity[outer])
	at := len(ranks)
	ranks = slices.Grow(ranks, len(inner))[:at+len(inner)]
	halves, out := s.halves, ranks[at:][:len(inner)]
	for i, item := range inner {
		p := halves[item]
		out[i] = heads[p.head] + tails[p.tail]
	}
	return ranks
}

// Free returns the places of the pieces that are not marked, as bits.
func (s *Split) Free(outer int) uint16 { return s.free[outer] }

// weights sets the weights of the digits of an inner coordinate.
func (s *Split) weights(weights *[PlacesMax]uint64, outer int) {
	at := [1]uint8{PlacesMax}
	if s.Hole {
		at[0] = uint8(s.base[outer] % uint64(s.Places))
	}
	for i, left := 0, s.free[outer]; left != 0; i, left = i+1, left&(left-1) {
		weights[i] = s.weight(bits.TrailingZeros16(left), at[:])
	}
}

// sums extends the sum in sums[0] to all values of some digits.
func (s *Split) sums(sums, weights []uint64, first, end int) {
	known := 1
	for i := first; i < end; i++ {
		radix, weight := s.others()-i, weights[i]
		// From the back, as each sum is replaced by as many.
		for k := known - 1; k >= 0; k-- {
			sum := sums[k]
			for digit := range radix {
				sums[k*radix+digit] = sum
				sum += weight
			}
		}
		known *= radix
	}
}

// setTails sets what the digits that do not lead add to a rank.
func (s *Split) setTails(tails, weights []uint64, parity uint8) {
	n := s.others()
	tails[0] = 0
	if s.Parity == nil {
		s.sums(tails, weights, s.leading, n-1)
		return
	}
	each := len(tails) / 2
	s.sums(tails, weights, s.leading, n-2)
	for i, sum := range tails[:each] {
		digit := s.digits[i*n+n-2] ^ parity
		tails[i] = sum + uint64(digit)*weights[n-2]
		tails[each+i] = sum + uint64(digit^1)*weights[n-2]
	}
}

// Rank returns the coordinates of an arrangement, given the piece at each place, or
// false if it has the wrong parity.
func (s *Split) Rank(pieces []uint8) (outer int, inner uint16, ok bool) {
	var at, digits, order [PlacesMax]uint8
	n := 0
	for place, piece := range pieces {
		if int(piece) < s.Marked {
			at[piece] = uint8(place)
			continue
		}
		order[n] = piece
		n++
	}
	sum := lehmer(digits[:n], order[:n])
	outer = s.OuterOf(at[:s.Marked])
	if s.Parity != nil && sum&1 != s.parityOf(outer, at[:s.Marked]) {
		return 0, 0, false
	}
	return outer, uint16(s.inner(digits[:n])), true
}

// parityOf returns the parity of the digits of the inner coordinate.
func (s *Split) parityOf(outer int, at []uint8) uint8 {
	if s.parity != nil {
		return s.parity[outer]
	}
	_, _, parity := s.contribution(at)
	return parity
}

// lehmer writes the Lehmer code of an order of pieces below 64 and returns the sum of its
// digits.
func lehmer(digits, order []uint8) (sum uint8) {
	left := uint64(0)
	for i := len(order) - 1; i >= 0; i-- {
		bit := uint64(1) << (order[i] & 63)
		digits[i] = uint8(bits.OnesCount64(left & (bit - 1)))
		left |= bit
		sum += digits[i]
	}
	return sum
}

func factorial(n int) uint64 {
	product := uint64(1)
	for i := 2; i <= n; i++ {
		product *= uint64(i)
	}
	return product
}
