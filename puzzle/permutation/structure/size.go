package structure

import (
	"math/big"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/group"
)

// Size counts the states of a system without visiting any.
//
// Let W be the group of everything that could be done to the places of the orbits: any
// permutation, any turns. The parities of the permutations and the sums of the turns,
// by orbit, are a homomorphism of W; K is its kernel. The moves generate a group G
// with as many elements as its image A times those it has in K, so at most |A||K|. If
// G has that many, it contains all of K, and the states are the cosets of the
// stabilizer of the start. Their number is |K||A+H| / |S|, where S is the subgroup of
// W that does not change the start and H is the image of S.
func (s *System) Size() puzzle.Size {
	all := newInvariants(s)
	bound := new(big.Int).Mul(all.kernel(), group.Spanned(all.moduli, all.of(s.Moves)))
	var size puzzle.Size
	points := 0
	for _, m := range s.Moduli {
		points += int(m)
	}
	if points <= group.PointsMax {
		order, proved := group.Order(points, permutations(s), bound)
		if proved {
			size.Group = order
		}
	}
	stable, fixing := all.fixing(s)
	states := group.Spanned(all.moduli, append(all.of(s.Moves), fixing...))
	states.Mul(states, all.kernel())
	states.Div(states, stable)
	size.States = states
	switch {
	case size.Group == nil:
	case size.Group.Cmp(bound) == 0:
		size.Exact = true
	case len(fixing) == 0 && stable.IsInt64() && stable.Int64() == 1:
		size.States, size.Exact = size.Group, true
	}
	size.Exact = size.Exact && s.Blocked == nil
	return size
}

// permutations returns the effect of the moves on the points, one per place and turn.
func permutations(s *System) []group.Permutation {
	first := make([]int, len(s.Moduli))
	points := 0
	for place, m := range s.Moduli {
		first[place] = points
		points += int(m)
	}
	var list []group.Permutation
	for _, t := range s.Moves {
		p := make(group.Permutation, points)
		for to, from := range t.From {
			m := int(s.Moduli[to])
			for turn := range m {
				p[first[from]+turn] = uint16(first[to] + (turn+int(t.By[to]))%m)
			}
		}
		list = append(list, p)
	}
	return list
}

// invariants are the parity and the sum of turns of each orbit, in this order, with
// their moduli. An orbit of one place has parity modulo 1.
type invariants struct {
	orbits []Orbit
	moduli []int
}

func newInvariants(s *System) *invariants {
	v := &invariants{orbits: s.Orbits}
	for i := range v.orbits {
		parities := 1
		if len(v.orbits[i].Places) > 1 {
			parities = 2
		}
		v.moduli = append(v.moduli, parities, v.orbits[i].Modulus)
	}
	return v
}

// of returns the invariants of moves.
func (v *invariants) of(moves []Move) [][]int {
	var list [][]int
	for _, t := range moves {
		var vector []int
		for i := range v.orbits {
			o := &v.orbits[i]
			odd, sum := 0, 0
			for j, place := range o.Places {
				sum += int(t.By[place])
				for _, other := range o.Places[:j] {
					if t.From[other] > t.From[place] {
						odd ^= 1
					}
				}
			}
			vector = append(vector, odd%v.moduli[2*i], sum%o.Modulus)
		}
		list = append(list, vector)
	}
	return list
}

// kernel returns the number of elements of W whose invariants are all zero.
func (v *invariants) kernel() *big.Int {
	n := big.NewInt(1)
	for i := range v.orbits {
		o := &v.orbits[i]
		for k := range o.Places {
			n.Mul(n, big.NewInt(int64(k+1)))
			n.Mul(n, big.NewInt(int64(o.Modulus)))
		}
		n.Div(n, big.NewInt(int64(v.moduli[2*i]*o.Modulus)))
	}
	return n
}

// fixing returns the number of elements of W that do not change the start, and the
// invariants of a set that generates them.
func (v *invariants) fixing(s *System) (count *big.Int, generators [][]int) {
	count = big.NewInt(1)
	for i := range v.orbits {
		o := &v.orbits[i]
		var seen [256]int64
		for _, place := range o.Places {
			piece := s.Start.Pieces[place]
			seen[piece]++
			if seen[piece] == 2 { // two alike swap places
				vector := make([]int, len(v.moduli))
				vector[2*i] = 1 % v.moduli[2*i]
				generators = append(generators, vector)
			}
			count.Mul(count, big.NewInt(seen[piece]))
			if s.Ways == nil {
				continue
			}
			if ways := int(s.Ways[piece]); ways < o.Modulus { // multiples of ways are not distinguished
				vector := make([]int, len(v.moduli))
				vector[2*i+1] = ways
				generators = append(generators, vector)
				count.Mul(count, big.NewInt(int64(o.Modulus/ways)))
			}
		}
	}
	return count, generators
}
