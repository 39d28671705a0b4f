package peg

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Where the board allows it, its rows lie one after the other in a word, a fixed step
// apart: then the holes of every jump along an axis lie the same distance apart, and
// all jumps along it that are possible are found at once, with shifts. What such a
// shift brings together from different rows is no jump, and masked out.

// strip is the jumps along one axis.
type strip struct {
	step   uint
	firsts board // first holes of jumps
	// By the bit of the first hole.
	forwards, backwards [64]stripJump
}

// stripJump is a jump as it goes into the edges.
type stripJump struct {
	delta uint64
	move  puzzle.Move
}

// stripStep returns the least distance between rows that keeps the holes apart and in
// reading order, and whether they then fit a word.
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

// Successors appends the successors of each state.
func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		g.edges(key, false, out)
	}
}

// Predecessors appends the predecessors of each state.
func (g *game) Predecessors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		g.edges(key, true, out)
	}
}

// edges appends the states that jumps lead to from a state or, back, from which they
// lead to it.
func (g *game) edges(key uint64, back bool, out *puzzle.Edges) {
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
		n = g.search(b, key, back, keys, moves)
	}
	flip := board(0)
	if back {
		flip = ^flip // after a jump, pegs are where there were none
	}
	for i := range g.strips {
		s := &g.strips[i]
		first, middle, last := b, b>>(s.step&63), b>>(2*s.step&63)
		first, middle, last = first^flip, middle^flip, last^flip
		possible := middle & s.firsts
		n = emit(possible&first&^last, &s.forwards, key, keys, moves, n)
		n = emit(possible&last&^first, &s.backwards, key, keys, moves, n)
	}
	out.Keys = out.Keys[:len(out.Keys)+n]
	out.Moves = out.Moves[:len(out.Moves)+n]
}

// emit writes the jumps whose first holes are given.
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
func (g *game) search(b board, key uint64, back bool, keys []uint64, moves []puzzle.Move) int {
	if back {
		b = ^b
	}
	n := 0
	for id := range g.rules {
		r := &g.rules[id]
		keys[n] = key ^ r.delta
		moves[n] = puzzle.Move(id)
		if b&r.mask == r.pegs {
			n++
		}
	}
	return n
}
