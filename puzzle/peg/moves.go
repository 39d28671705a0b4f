package peg

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// If the board allows it, its rows are stored one after another in a word, a fixed
// step apart. The holes of every jump along an axis then have the same distance, and
// all possible jumps along it are found at once, with shifts. Combinations of holes in
// different rows that such a shift yields are not jumps and are masked out.

// strip holds the jumps along one axis.
type strip struct {
	step   uint
	firsts board // first holes of jumps
	// By the bit of the first hole.
	forwards, backwards [64]stripJump
}

// stripJump is the effect of a jump as written into edges.
type stripJump struct {
	delta uint64
	move  puzzle.Move
}

// stripStep returns the least distance between rows that keeps the holes distinct and
// in reading order, and whether they then fit a word.
func (s *shape) stripStep() (int, bool) {
	step := 1
	for i := 1; i < len(s.holes); i++ {
		before, after := s.holes[i-1], s.holes[i]
		if rows := after.row - before.row; rows > 0 {
			step = max(step, (before.col-after.col+rows)/rows) // after.col + rows*step > before.col
		}
	}
	first, last := s.holes[0], s.holes[len(s.holes)-1]
	return step, (last.row-first.row)*step+last.col-first.col < 64
}

func (g *game) newStrips(axes []axisJumps, step int) []strip {
	strips := make([]strip, len(axes))
	id := 0
	for n, a := range axes {
		s := &strips[n]
		s.step = uint(a.step.row*step + a.step.col)
		for _, list := range []*[64]stripJump{&s.forwards, &s.backwards} {
			for _, t := range a.triples {
				s.firsts |= 1 << g.at[t[0]]
				list[g.at[t[0]]] = stripJump{g.rules[id].delta, puzzle.Move(id)}
				id++
			}
		}
	}
	return strips
}

func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		g.edges(key, false, g.adjacent.none, out)
	}
}

func (g *game) Predecessors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		g.edges(key, true, g.adjacent.none, out)
	}
}

// Onward appends the successors of each state except those that its link prunes: jumps
// with greater ids that share no hole with it.
func (p plain) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i, key := range states {
		pruned += p.edges(key, false, p.adjacent.sets[links[i]], out)
	}
	return pruned
}

// Homeward appends the predecessors of each state except those that its link prunes,
// by the same rule.
func (p plain) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i, key := range states {
		pruned += p.edges(key, true, p.adjacent.sets[links[i]], out)
	}
	return pruned
}

// adjacentJumps lists the jumps that are made before or after a jump, the link. Two
// jumps that are possible one after another commute if they share no hole. If they
// share one, the second was not possible before the first, which flips that hole.
type adjacentJumps struct {
	none   jumpSet   // all jumps
	sets   []jumpSet // by link
	search []bool    // by link, then by jump, if there are no strips
}

// jumpSet holds the jumps that are not pruned.
type jumpSet struct {
	strips []board // for each strip, the first holes of forwards and of backwards jumps
	link   int     // the link, or -1
}

func (g *game) newAdjacentJumps() adjacentJumps {
	a := adjacentJumps{none: jumpSet{slices.Repeat([]board{^board(0)}, 2*len(g.strips)), -1}}
	for l := range g.rules {
		set := jumpSet{make([]board, 2*len(g.strips)), l}
		made := func(m int) bool { return m < l || g.rules[m].mask&g.rules[l].mask != 0 }
		for i := range g.strips {
			s := &g.strips[i]
			for firsts := s.firsts; firsts != 0; firsts &= firsts - 1 {
				at := bits.TrailingZeros64(firsts)
				if made(int(s.forwards[at].move)) {
					set.strips[2*i] |= 1 << at
				}
				if made(int(s.backwards[at].move)) {
					set.strips[2*i+1] |= 1 << at
				}
			}
		}
		a.sets = append(a.sets, set)
		if g.strips == nil {
			for m := range g.rules {
				a.search = append(a.search, made(m))
			}
		}
	}
	return a
}

// edges appends the states that jumps of a set lead to or, if back is set, come from.
// It returns how many possible jumps are not in the set.
func (g *game) edges(key uint64, back bool, set jumpSet, out *puzzle.Edges) (pruned int) {
	b := g.expand(key)
	if cap(out.Keys)-len(out.Keys) < len(g.rules) {
		out.Keys = slices.Grow(out.Keys, len(g.rules))
	}
	if cap(out.Moves)-len(out.Moves) < len(g.rules) {
		out.Moves = slices.Grow(out.Moves, len(g.rules))
	}
	keys := out.Keys[len(out.Keys) : len(out.Keys)+len(g.rules)]
	moves := out.Moves[len(out.Moves) : len(out.Moves)+len(g.rules)]
	n := 0
	if g.strips == nil {
		n, pruned = g.search(b, key, back, set.link, keys, moves)
	}
	flip := board(0)
	if back {
		flip = ^flip // after a jump, pegs and empty holes are exchanged
	}
	for i := range g.strips {
		s := &g.strips[i]
		first, middle, last := b, b>>(s.step&63), b>>(2*s.step&63)
		first, middle, last = first^flip, middle^flip, last^flip
		possible := middle & s.firsts
		forwards, backwards := possible&first&^last, possible&last&^first
		made, madeBack := forwards&set.strips[2*i], backwards&set.strips[2*i+1]
		pruned += bits.OnesCount64(forwards&^made) + bits.OnesCount64(backwards&^madeBack)
		n = emit(made, &s.forwards, key, keys, moves, n)
		n = emit(madeBack, &s.backwards, key, keys, moves, n)
	}
	out.Keys = out.Keys[:len(out.Keys)+n]
	out.Moves = out.Moves[:len(out.Moves)+n]
	return pruned
}

// emit writes the jumps with the given first holes.
func emit(firsts board, list *[64]stripJump, key uint64, keys []uint64, moves []puzzle.Move, n int) int {
	for firsts != 0 {
		j := &list[bits.TrailingZeros64(firsts)&63]
		firsts &= firsts - 1
		keys[n] = key ^ j.delta
		moves[n] = j.move
		n++
	}
	return n
}

// search tries every jump.
func (g *game) search(b board, key uint64, back bool, link int, keys []uint64, moves []puzzle.Move) (n, pruned int) {
	if back {
		b = ^b
	}
	for id := range g.rules {
		r := &g.rules[id]
		keys[n] = key ^ r.delta
		moves[n] = puzzle.Move(id)
		switch {
		case b&r.mask != r.pegs:
		case link >= 0 && !g.adjacent.search[link*len(g.rules)+id]:
			pruned++
		default:
			n++
		}
	}
	return n, pruned
}
