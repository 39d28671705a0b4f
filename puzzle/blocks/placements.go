package blocks

import (
	"iter"
	"math"
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Placements are all ways to place the pieces of a puzzle on its board, reachable or
// not: its states.
type Placements struct{ g *game }

// PlacementsOf returns the placements of a puzzle of this family, or false.
func PlacementsOf(p puzzle.Puzzle) (Placements, bool) {
	g, ok := p.(*game)
	return Placements{g}, ok
}

// Pieces returns the number of pieces.
func (p Placements) Pieces() int { return len(p.g.pieces) }

// All iterates over the keys of all placements, class by class, each piece place by
// place. A key is valid until the next iteration.
func (p Placements) All() iter.Seq[[]uint64] {
	g := p.g
	return func(yield func([]uint64) bool) {
		var now placed
		key := make([]uint64, g.layout.Words())
		var put func(class, piece, least int, taken mask) bool
		put = func(class, piece, least int, taken mask) bool {
			if class == len(g.classes) {
				g.encode(key, &now)
				return yield(key)
			}
			c := g.classes[class]
			if piece == c.count {
				return put(class+1, 0, 0, taken)
			}
			for at := least; at < len(c.places); at++ {
				cells := &c.places[at].cells
				if taken.meets(cells) {
					continue
				}
				wider := taken
				wider.join(cells)
				now[c.piece+piece] = uint8(at)
				if !put(class, piece+1, at+1, wider) {
					return false
				}
			}
			return true
		}
		put(0, 0, 0, mask{})
	}
}

// countStatesMax bounds the memory of a count.
const countStatesMax = 1 << 14

// Count counts the placements without enumerating them: cell by cell, by how many
// pieces of each class are left to place and which cells ahead are covered. It returns
// MaxUint64 if there are more than that, and false if even this takes too much memory.
func (p Placements) Count() (n uint64, ok bool) {
	type state struct {
		ahead mask // cells that are covered
		left  [piecesMax]uint8
	}
	var begin state
	for i, c := range p.g.classes {
		begin.left[i] = uint8(c.count)
	}
	now, next := map[state]uint64{begin: 1}, map[state]uint64{}
	for at, wall := range p.g.walls {
		clear(next)
		add := func(s state, n uint64) {
			sum, carry := bits.Add64(next[s], n, 0)
			if carry != 0 {
				sum = math.MaxUint64
			}
			next[s] = sum
		}
		for s, n := range now {
			if wall || s.ahead.has(at) {
				s.ahead.remove(at)
				add(s, n)
				continue
			}
			add(s, n)
			for i, c := range p.g.classes {
				if s.left[i] == 0 || c.at[at] < 0 || s.ahead.meets(&c.places[c.at[at]].cells) {
					continue
				}
				with := s
				with.left[i]--
				with.ahead.join(&c.places[c.at[at]].cells)
				with.ahead.remove(at)
				add(with, n)
			}
		}
		now, next = next, now
		if len(now) > countStatesMax {
			return 0, false
		}
	}
	return now[state{}], true
}
