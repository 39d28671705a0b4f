// Package group finds the exact order of a group of permutations by the Schreier–Sims
// method.
//
// It must never know what is permuted. Pseudo-random products find generators early,
// but no answer depends on them: an order is returned only if every Schreier generator
// has been sifted, or if it has reached a bound that the caller has proved.
package group

import "math/big"

// Permutation maps points, numbered from 0: point i goes to Permutation[i].
type Permutation []uint16

// Bounds of the work.
const (
	// PointsMax is the largest number of points.
	PointsMax = 512
	// idleMax is the number of random products in a row that must bring nothing new.
	idleMax = 40
	// SiftsMax bounds the products made to prove an order.
	SiftsMax = 3_000_000
)

// chain is a stabilizer chain: each level fixes the base points of those above it.
type chain struct {
	points int
	levels []*level
	made   int // products
}

// level is one group of the chain.
type level struct {
	base       uint16
	generators []Permutation
	orbit      []uint16
	// by holds, by point, the permutation that takes the base to it, or nil if none
	// does.
	by []Permutation
}

// Order returns the order of the group that permutations of the given number of points
// generate. bound is nil or a proved multiple of it, which saves the proof if the
// order reaches it. proved is false if the work was too much: order is then a divisor
// of the true one.
func Order(points int, generators []Permutation, bound *big.Int) (order *big.Int, proved bool) {
	c := &chain{points: points}
	for _, g := range generators {
		c.add(g, 0)
	}
	c.random(generators, bound)
	if bound != nil && c.order().Cmp(bound) == 0 {
		return c.order(), true
	}
	proved = c.complete()
	return c.order(), proved
}

func (c *chain) order() *big.Int {
	n := big.NewInt(1)
	for _, l := range c.levels {
		n.Mul(n, big.NewInt(int64(len(l.orbit))))
	}
	return n
}

// add sifts a permutation from a level on, and keeps the residue. It reports whether
// there is one.
func (c *chain) add(p Permutation, from int) bool {
	rest, at := c.sift(p, from)
	moved := rest.moved()
	if moved < 0 {
		return false
	}
	if at == len(c.levels) {
		c.levels = append(c.levels, &level{base: uint16(moved), orbit: []uint16{uint16(moved)}, by: make([]Permutation, c.points)})
		c.levels[at].by[moved] = identity(c.points)
	}
	// Since it fixes the base points above, the residue belongs to those levels as
	// well.
	for i := from; i <= at; i++ {
		c.levels[i].generators = append(c.levels[i].generators, rest)
		c.extend(c.levels[i])
	}
	return true
}

// sift divides a permutation by the levels' representatives for the images of their
// base points. It returns the residue, and the level at which that is new.
func (c *chain) sift(p Permutation, from int) (Permutation, int) {
	rest := append(Permutation(nil), p...)
	back := make(Permutation, c.points)
	for i := from; i < len(c.levels); i++ {
		l := c.levels[i]
		to := rest[l.base]
		if to == l.base {
			continue
		}
		by := l.by[to]
		if by == nil {
			return rest, i
		}
		c.made++
		for from, to := range by {
			back[to] = uint16(from)
		}
		for j, to := range rest {
			rest[j] = back[to]
		}
	}
	return rest, len(c.levels)
}

// extend extends the orbit of a level by its generators.
func (c *chain) extend(l *level) {
	last := len(l.generators) - 1
	old := len(l.orbit)
	for at := 0; at < len(l.orbit); at++ {
		first := 0
		if at < old {
			first = last // the others have already been applied
		}
		for _, g := range l.generators[first:] {
			if to := g[l.orbit[at]]; l.by[to] == nil {
				l.by[to] = l.by[l.orbit[at]].then(g)
				l.orbit = append(l.orbit, to)
				c.made++
			}
		}
	}
}

// random sifts products of the generators until they bring nothing new, or the order
// is the bound.
func (c *chain) random(generators []Permutation, bound *big.Int) {
	const pool = 12
	rng := chance(1)
	list := make([]Permutation, 0, max(pool, len(generators)))
	for len(list) < max(pool, len(generators)) {
		list = append(list, generators[len(list)%len(generators)])
	}
	sum := identity(c.points)
	for idle := 0; idle < idleMax && c.made < SiftsMax; idle++ {
		i, j := rng.below(len(list)), rng.below(len(list)-1)
		if j >= i {
			j++
		}
		list[i] = list[i].then(list[j])
		sum = sum.then(list[i])
		if c.add(sum, 0) {
			idle = -1
			if bound != nil && c.order().Cmp(bound) == 0 {
				return
			}
		}
	}
}

// chance generates the same pseudo-random numbers on every run.
type chance uint64

func (c *chance) below(n int) int {
	*c = *c*6364136223846793005 + 1442695040888963407
	return int(uint64(*c) >> 33 % uint64(n))
}

// complete sifts every Schreier generator of every level, from the last level up,
// until all are in the groups below.
func (c *chain) complete() bool {
	for i := len(c.levels) - 1; i >= 0; {
		found := false
		l := c.levels[i]
		for at := 0; at < len(l.orbit) && !found; at++ {
			for n := 0; n < len(l.generators) && !found; n++ {
				if c.made > SiftsMax {
					return false
				}
				g := l.generators[n]
				p := l.by[l.orbit[at]].then(g)
				c.made++
				p = p.then(l.by[g[l.orbit[at]]].inverse())
				found = c.add(p, i+1)
			}
		}
		if found {
			i = len(c.levels) - 1
			continue
		}
		i--
	}
	return true
}

func identity(points int) Permutation {
	p := make(Permutation, points)
	for i := range p {
		p[i] = uint16(i)
	}
	return p
}

// moved returns the first point that is moved, or -1.
func (p Permutation) moved() int {
	for i, to := range p {
		if int(to) != i {
			return i
		}
	}
	return -1
}

// then returns the permutation that does p and then q.
func (p Permutation) then(q Permutation) Permutation {
	r := make(Permutation, len(p))
	for i, to := range p {
		r[i] = q[to]
	}
	return r
}

func (p Permutation) inverse() Permutation {
	r := make(Permutation, len(p))
	for i, to := range p {
		r[to] = uint16(i)
	}
	return r
}
