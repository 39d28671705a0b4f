package peg

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// symmetryStart is the name of the group of symmetries that preserve the start too.
const symmetryStart = "start"

// Symmetries returns the symmetries of the holes and the goal: "on" those that may
// change the start, and "start" those that preserve it. The states of the former are
// closed under them.
func (p plain) Symmetries(name string) (*puzzle.Symmetries, error) {
	group := p.symmetries()
	if p.goal.pegs != nil {
		group = keeping(group, p.goal.pegs)
	}
	if name == symmetryStart {
		group = keeping(group, p.pegs)
	}
	g := newGame(p.setup, group)
	a, ok := newAction(g, group)
	if !ok {
		return nil, &puzzle.InputError{What: "the board has too many holes to merge symmetric states"}
	}
	s := &puzzle.Symmetries{Puzzle: plain{g}, SymmetryAction: a}
	for i := range group {
		s.Names = append(s.Names, group[i].name)
		s.Inverse = append(s.Inverse, inverseOf(group, i))
		var images []puzzle.Move
		for id := range g.rules {
			images = append(images, g.jumpImage(id, group[i]))
		}
		if len(images) == 0 { // Layout counts a move even if there is none
			images = append(images, 0)
		}
		s.Moves = append(s.Moves, images)
	}
	if len(g.rules) > 0 {
		s.Commutes = func(a, b puzzle.Move) bool { return g.rules[a].mask&g.rules[b].mask == 0 }
	}
	return s, nil
}

// action is what symmetries do to keys. Of the states of an orbit, that with the least
// key is the representative.
type action struct {
	*game
	count int

	// Images of keys under all symmetries are compared together with the symmetry:
	// image<<shift | symmetry. The least such value holds the key of the
	// representative and the first symmetry that leads to it.
	shift  uint
	images spread
	// Under symmetry s, jump m changes an image by deltas[m*count+s].
	deltas []uint64
}

// symmetriesMax is the size of the largest symmetry group of a board.
const symmetriesMax = 12

// imageList is the images of one key.
type imageList [symmetriesMax]uint64

// newAction reports false if keys leave no room for symmetries.
func newAction(g *game, group []symmetry) (*action, bool) {
	a := &action{game: g, count: len(group), shift: uint(bits.Len(uint(len(group) - 1)))}
	if g.layout.KeyBits+int(a.shift) > 64 {
		return nil, false
	}
	image := func(b board, i int) uint64 { return g.coset.key(g.turned(b, group[i])) << a.shift }
	base := make([]uint64, len(group))
	vectors := make([][]uint64, len(g.coset.vectors))
	for i := range group {
		base[i] = image(g.coset.base, i) | uint64(i)
		for n, v := range g.coset.vectors {
			vectors[n] = append(vectors[n], image(v, i))
		}
	}
	a.images = newSpread(base, vectors)
	for n := range g.rules {
		for i := range group {
			a.deltas = append(a.deltas, image(g.rules[n].mask, i))
		}
	}
	return a, true
}

// turned returns the image of a board under a symmetry.
func (g *game) turned(b board, s symmetry) board {
	image := board(0)
	for i, to := range s.to {
		image |= b >> g.at[i] & 1 << g.at[to]
	}
	return image
}

// jumpImage returns the id of a jump's image under a symmetry.
func (g *game) jumpImage(id int, s symmetry) puzzle.Move {
	j := g.rules[id].jump
	want := jump{s.to[j.from], s.to[j.over], s.to[j.to]}
	return puzzle.Move(slices.IndexFunc(g.rules, func(r rule) bool { return r.jump == want })) // the board's jumps are closed under its symmetries
}

// inverseOf returns the inverse of a symmetry.
func inverseOf(group []symmetry, i int) int {
	for n := range group {
		inverse := true
		for hole, to := range group[i].to {
			inverse = inverse && group[n].to[to] == hole
		}
		if inverse {
			return n
		}
	}
	panic("peg: a symmetry has no inverse") // they form a group
}

// Merge changes the images of the state as each jump does.
func (a *action) Merge(state, keys []uint64, moves []puzzle.Move) {
	var images imageList
	a.imagesOf(state[0], &images)
	for i := range moves {
		at := int(moves[i]) * a.count
		best := a.least(&images, a.deltas[at:at+a.count])
		keys[i] = best >> a.shift
		moves[i] = puzzle.Move(at + int(best&(1<<a.shift-1)))
	}
}

// least returns the least image after a jump, given its changes to the images.
func (a *action) least(images *imageList, deltas []uint64) uint64 {
	if len(deltas) == 8 { // all symmetries of a square, unrolled
		d := (*[8]uint64)(deltas)
		return min(
			min(min(images[0]^d[0], images[1]^d[1]), min(images[2]^d[2], images[3]^d[3])),
			min(min(images[4]^d[4], images[5]^d[5]), min(images[6]^d[6], images[7]^d[7])))
	}
	best := ^uint64(0)
	for i, d := range deltas {
		best = min(best, images[i]^d)
	}
	return best
}

// imagesOf returns all images of a key.
func (a *action) imagesOf(key uint64, list *imageList) {
	a.images.images(key, list[:a.count])
}

// First returns the first symmetry that maps a state to its representative.
func (a *action) First(state []uint64) int {
	var images imageList
	a.imagesOf(state[0], &images)
	return int(slices.Min(images[:a.count]) & (1<<a.shift - 1))
}

// Image returns the image of a key under one symmetry.
func (a *action) Image(dst, state []uint64, symmetry int) {
	dst[0] = a.images.one(state[0], symmetry) >> a.shift
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	var images imageList
	a.imagesOf(state[0], &images)
	same := 0
	for _, image := range images[:a.count] {
		if image>>a.shift == state[0] {
			same++
		}
	}
	return same
}
