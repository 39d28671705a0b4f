package permutation

import (
	"math/big"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/group"
)

// Size returns the order of the group of the moves, all pieces told apart, and how
// many states there are.
func (g *game) Size() puzzle.Size { return g.size() }

// sizeOf counts the states of a system without a visit to any.
//
// Let W be all that could be done to the places of the orbits: any permutation, any
// turns. The parities of the permutations and the sums of the turns, orbit by orbit,
// are a homomorphism of W; K is its kernel. The moves' group G has as many elements as
// its image A times those of it in K, so at most |A||K|. If it has so many, it holds
// all of K, and then the states are the cosets of what does not change the start:
// |K||A+H| / |S|, where S are the elements of W that do not change it, and H is the
// image of S.
func sizeOf(s *system) puzzle.Size {
	all := newInvariants(s)
	bound := new(big.Int).Mul(all.kernel(), group.Spanned(all.moduli, all.of(s.turns)))
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
	states := group.Spanned(all.moduli, append(all.of(s.turns), fixing...))
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

// permutations returns what the moves do to the points, one for each place and turn.
func permutations(s *system) []group.Permutation {
	first := make([]int, len(s.moduli))
	points := 0
	for place, m := range s.moduli {
		first[place] = points
		points += int(m)
	}
	var list []group.Permutation
	for _, t := range s.turns {
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

// invariants are the parities and sums of turns of the orbits, in this order, each
// modulo its modulus. An orbit of one place has no parity.
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

// of returns the invariants of turns.
func (v *invariants) of(turns []turn) [][]int {
	var list [][]int
	for _, t := range turns {
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

// kernel returns the number of elements of W with no invariants.
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
// invariants of those that generate them.
func (v *invariants) fixing(s *system) (count *big.Int, generators [][]int) {
	count = big.NewInt(1)
	for i := range v.orbits {
		o := &v.orbits[i]
		var seen [256]int64
		for _, place := range o.places {
			piece := s.start.pieces[place]
			seen[piece]++
			if seen[piece] == 2 { // two alike change places
				vector := make([]int, len(v.moduli))
				vector[2*i] = 1 % v.moduli[2*i]
				generators = append(generators, vector)
			}
			count.Mul(count, big.NewInt(seen[piece]))
			if s.ways == nil {
				continue
			}
			if ways := int(s.ways[piece]); ways < o.modulus { // it turns as far as nobody can tell
				vector := make([]int, len(v.moduli))
				vector[2*i+1] = ways
				generators = append(generators, vector)
				count.Mul(count, big.NewInt(int64(o.modulus/ways)))
			}
		}
	}
	return count, generators
}

// sizer counts once.
func sizer(s *system) func() puzzle.Size {
	return sync.OnceValue(func() puzzle.Size { return sizeOf(s) })
}
