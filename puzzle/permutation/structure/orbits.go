package structure

import (
	"math/big"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/group"
)

// OrbitSize counts the orbits of the states under automorphisms that are a group, without
// visiting any state; size is that of the system. It is exact if the states are told apart
// as far as can be and only parities and sums of turns keep moves from making every
// arrangement (see Size); otherwise it is a bound.
//
// By Burnside's lemma the orbits are the mean number of states that an automorphism t maps
// to themselves. A state is an element of W here, so these are a subgroup: what of G
// commutes with t. Let C be what of W does, with the invariants H. As G holds all of W
// whose invariants are in A, it has |C| |A| / |A+H| such elements.
func (s *System) OrbitSize(size puzzle.Size, list []Automorphism) puzzle.Size {
	all := newInvariants(s)
	free := group.Spanned(all.moduli, all.of(s.Moves))
	bound := new(big.Int).Mul(all.kernel(), free)
	if !size.Exact || size.Group == nil || size.Group.Cmp(bound) != 0 || !s.distinct() {
		size.Exact = false
		return size
	}
	sum := new(big.Int)
	for i := range list {
		count, generators := s.commuting(&list[i])
		count.Mul(count, free)
		sum.Add(sum, count.Div(count, group.Spanned(all.moduli, append(all.of(s.Moves), all.of(generators)...))))
	}
	size.States = sum.Div(sum, big.NewInt(int64(len(list))))
	return size
}

// distinct reports whether no two pieces look alike and all turns are told apart.
func (s *System) distinct() bool {
	seen := make(map[uint8]bool)
	for place, piece := range s.Start.Pieces {
		if seen[piece] || len(s.Ways) > 0 && s.Ways[piece] != s.Moduli[place] {
			return false
		}
		seen[piece] = true
	}
	return true
}

// commuting returns how many elements of W commute with an automorphism, and elements whose
// invariants generate those of all.
//
// The automorphism moves places in cycles, and what commutes with it maps each cycle as a
// whole to one as long: where the piece of one place comes from, and how it is turned,
// decides the rest of the cycle, if that fits together. Of cycles that can be mapped to one
// another any may be mapped to any.
func (s *System) commuting(t *Automorphism) (count *big.Int, generators []Move) {
	type kind struct {
		first          int // a place of the first of its cycles
		cycles, itself int64
	}
	count = big.NewInt(1)
	var kinds []kind
	for _, place := range t.cycles() {
		k := slices.IndexFunc(kinds, func(k kind) bool { return len(s.maps(t, place, k.first)) > 0 })
		if k < 0 {
			itself := s.maps(t, place, place)
			generators = append(generators, itself...)
			k, kinds = len(kinds), append(kinds, kind{first: place, itself: int64(len(itself))})
		} else { // they change places
			swap, back := s.maps(t, place, kinds[k].first)[0], s.maps(t, kinds[k].first, place)[0]
			for at, from := range back.From {
				if int(from) != at {
					swap.From[at], swap.By[at] = from, back.By[at]
				}
			}
			generators = append(generators, swap)
		}
		kinds[k].cycles++
		count.Mul(count, big.NewInt(kinds[k].cycles*kinds[k].itself))
	}
	return count, generators
}

// maps returns all that bring pieces from the cycle of a place to that of another, so that it
// commutes with an automorphism there; all other places remain as they are. Pieces stay in
// their orbits of places, of which a cycle may pass through several.
func (s *System) maps(t *Automorphism, to, from int) (list []Move) {
	start := from
	for {
		if s.together(to, from) {
			for turn := range int(s.Moduli[to]) {
				if m, ok := s.mapped(t, to, from, turn); ok {
					list = append(list, m)
				}
			}
		}
		if from = int(t.To[from]); from == start {
			return list
		}
	}
}

// together reports whether two places are in one orbit.
func (s *System) together(a, b int) bool {
	return slices.ContainsFunc(s.Orbits, func(o Orbit) bool { return slices.Contains(o.Places, a) && slices.Contains(o.Places, b) })
}

// mapped returns what brings a piece from one place to another with a turn, if that fits
// together.
func (s *System) mapped(t *Automorphism, to, from, turn int) (m Move, fits bool) {
	m = Still(len(s.Moduli))
	modulus := int(s.Moduli[to])
	for at, source, by := to, from, turn; ; {
		m.From[at], m.By[at] = uint8(source), uint8(by)
		by = (int(t.Unit[at])*by + int(t.Turns[at]) + modulus - int(t.Turns[source])) % modulus
		if at, source = int(t.To[at]), int(t.To[source]); at == to || source == from {
			return m, at == to && source == from && by == turn
		}
	}
}

// cycles returns a place of each cycle in which an automorphism moves the places.
func (t *Automorphism) cycles() (first []int) {
	seen := make([]bool, len(t.To))
	for place := range t.To {
		if !seen[place] {
			first = append(first, place)
		}
		for at := place; !seen[at]; at = int(t.To[at]) {
			seen[at] = true
		}
	}
	return first
}
