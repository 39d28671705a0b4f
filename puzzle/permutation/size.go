package permutation

import (
	"math/big"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/group"
)

// Size returns the order of the group of the moves on distinct pieces, and the number
// of states.
func (g *game) Size() puzzle.Size { return g.size() }

// sizeOf counts the states of a system without visiting any.
//
// Let W be the group of everything that could be done to the places of the orbits: any
// permutation, any turns. The parities of the permutations and the sums of the turns,
// by orbit, are a homomorphism of W; K is its kernel. The moves generate a group G
// with as many elements as its image A times those it has in K, so at most |A||K|. If
// G has that many, it contains all of K, and the states are the cosets of the
// stabilizer of the start. Their number is |K||A+H| / |S|, where S is the subgroup of
// W that does not change the start and H is the image of S.
func sizeOf(s *system) puzzle.Size {
	all := newInvariants(s)
	bound := new(big.Int).Mul(all.kernel(), group.Spanned(all.moduli, all.of(s.moves)))
	var size puzzle.Size
	points := 0
	for _, m := range s.moduli {
		points += int(m)
	}
	if points <= group.PointsMax {
		order, proved := group.Order(points, permutations(s), bound)
		if proved {
			size.Group = order
		}
	}
	stable, fixing := all.fixing(s)
	states := group.Spanned(all.moduli, append(all.of(s.moves), fixing...))
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
	size.Exact = size.Exact && s.blocked == nil
	return size
}

// permutations returns the effect of the moves on the points, one per place and turn.
func permutations(s *system) []group.Permutation {
	first := make([]int, len(s.moduli))
	points := 0
	for place, m := range s.moduli {
		first[place] = points
		points += int(m)
	}
	var list []group.Permutation
	for _, t := range s.moves {
		p := make(group.Permutation, points)
		for to, from := range t.from {
			m := int(s.moduli[to])
			for turn := range m {
				p[first[from]+turn] = uint16(first[to] + (turn+int(t.by[to]))%m)
			}
		}
		list = append(list, p)
	}
	return list
}

// invariants are the parity and the sum of turns of each orbit, in this order, with
// their moduli. An orbit of one place has parity modulo 1.
type invariants struct {
	orbits []orbit
	moduli []int
}

func newInvariants(s *system) *invariants {
	v := &invariants{orbits: s.orbits()}
	for i := range v.orbits {
		parities := 1
		if len(v.orbits[i].places) > 1 {
			parities = 2
		}
		v.moduli = append(v.moduli, parities, v.orbits[i].modulus)
	}
	return v
}

// of returns the invariants of moves.
func (v *invariants) of(moves []move) [][]int {
	var list [][]int
	for _, t := range moves {
		var vector []int
		for i := range v.orbits {
			o := &v.orbits[i]
			odd, sum := 0, 0
			for j, place := range o.places {
				sum += int(t.by[place])
				for _, other := range o.places[:j] {
					if t.from[other] > t.from[place] {
						odd ^= 1
					}
				}
			}
			vector = append(vector, odd%v.moduli[2*i], sum%o.modulus)
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
		for k := range o.places {
			n.Mul(n, big.NewInt(int64(k+1)))
			n.Mul(n, big.NewInt(int64(o.modulus)))
		}
		n.Div(n, big.NewInt(int64(v.moduli[2*i]*o.modulus)))
	}
	return n
}

// fixing returns the number of elements of W that do not change the start, and the
// invariants of a set that generates them.
func (v *invariants) fixing(s *system) (count *big.Int, generators [][]int) {
	count = big.NewInt(1)
	for i := range v.orbits {
		o := &v.orbits[i]
		var seen [256]int64
		for _, place := range o.places {
			piece := s.start.pieces[place]
			seen[piece]++
			if seen[piece] == 2 { // two alike swap places
				vector := make([]int, len(v.moduli))
				vector[2*i] = 1 % v.moduli[2*i]
				generators = append(generators, vector)
			}
			count.Mul(count, big.NewInt(seen[piece]))
			if s.ways == nil {
				continue
			}
			if ways := int(s.ways[piece]); ways < o.modulus { // multiples of ways are not distinguished
				vector := make([]int, len(v.moduli))
				vector[2*i+1] = ways
				generators = append(generators, vector)
				count.Mul(count, big.NewInt(int64(o.modulus/ways)))
			}
		}
	}
	return count, generators
}

// sizer returns sizeOf, evaluated at most once.
func sizer(s *system) func() puzzle.Size {
	return sync.OnceValue(func() puzzle.Size { return sizeOf(s) })
}
