package product

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Bounds are those of blocks.
type Bounds struct {
	Items    int                  // how many items a block should have at most
	ItemsMax int                  // how many it may have
	Blocks   int                  // how many blocks there may be
	Wasteful func(items int) bool // whether blocks of so many items waste memory
}

const (
	// blockCost is what a block costs, in items.
	blockCost = 64
	// workMax ends the search for a better choice after some tenths of a second.
	workMax = 1 << 23
	// choicesMax bounds the parts that are chosen from.
	choicesMax = 12
)

// Share divides parts into those that number the items of a block, of which it returns a
// set of bits, and those that number the blocks. Where moves reach all combinations, the
// items' product is the largest that fits the bounds, or the smallest part if each is too
// large. Where parts are tied to one another, those that are had better be on one side, or
// blocks have items that are never reached. states is how many there are, or at most 1 where
// that is not known. It reports false if it finds no division.
func Share(parts []Part, moves int, states float64, bounds Bounds) (items uint, ok bool) {
	s := sharing{parts: parts, moves: moves, states: states, bounds: bounds}
	best, bestSize := uint(0), 0
	var choices []uint
	for chosen := uint(1); chosen < 1<<min(len(parts), choicesMax); chosen++ {
		size := s.sizeOf(chosen)
		if size <= bounds.Items {
			choices = append(choices, chosen)
		}
		if size <= bounds.Items && size > bestSize || bits.OnesCount(chosen) == 1 && (bestSize == 0 || bestSize > bounds.Items && size < bestSize) {
			best, bestSize = chosen, size
		}
	}
	s.best, s.least = best, math.Inf(1)
	if s.consider(best, false); states <= 1 && math.IsInf(s.least, 1) {
		return 0, false
	}
	// Few blocks are soon counted.
	slices.SortStableFunc(choices, func(a, b uint) int { return cmp.Compare(s.sizeOf(b), s.sizeOf(a)) })
	// First those that waste nothing, which is soon told.
	for _, perfect := range []bool{true, false} {
		for _, chosen := range choices {
			if s.least <= s.bound(bounds.Items) || s.work >= workMax {
				break
			}
			s.consider(chosen, perfect)
		}
		s.work = 0
	}
	return s.best, !math.IsInf(s.least, 1)
}

// sharing finds the choice of parts that costs least.
type sharing struct {
	parts  []Part
	moves  int
	states float64
	bounds Bounds

	best  uint
	least float64 // what best costs, in items, if that is known
	work  float64 // combinations found so far, times moves
}

// sizeOf returns how many combinations the chosen parts have, or more than a block should.
func (s *sharing) sizeOf(chosen uint) int {
	size := 1
	for i, p := range s.parts {
		if chosen>>i&1 != 0 && size <= s.bounds.Items {
			size *= p.Size()
		}
	}
	return size
}

// bound returns what blocks of so many items cost at least.
func (s *sharing) bound(items int) float64 { return s.states * (1 + blockCost/float64(items)) }

// consider takes a choice if it costs less than the best so far; if it has to be perfect,
// only if it has no more items than there are states.
func (s *sharing) consider(chosen uint, perfect bool) {
	var outer, inner []Part
	for i, p := range s.parts {
		if chosen>>i&1 != 0 {
			inner = append(inner, p)
		} else {
			outer = append(outer, p)
		}
	}
	in := New(inner, s.moves, s.bounds.ItemsMax)
	if in == nil || len(outer) > 0 && s.bounds.Wasteful(in.Len()) || s.bound(in.Len()) >= s.least || s.states > float64(in.Len())*float64(s.bounds.Blocks) {
		return
	}
	per := float64(in.Len() + blockCost)
	found := min(float64(s.bounds.Blocks), s.least/per)
	if perfect {
		found = min(found, math.Ceil(s.states/float64(in.Len())))
	}
	if out := New(outer, s.moves, int(found)); out != nil {
		found = float64(out.Len())
		if cost := per * found; cost < s.least {
			s.best, s.least = chosen, cost
		}
	}
	s.work += found * float64(s.moves)
}
