package tiles

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Move ids count by direction in the order of the single steps (the hole to the next
// lane, to the one before, forward and back along the lane), and within each direction
// by the number of tiles that move together.

// spread is how far a hole moves at most, across and along lanes.
type spread struct{ across, along int }

func (g *game) spread() spread {
	s := spread{g.lanes() - 1, g.width() - 1}
	if g.metric == metricTile {
		s = spread{min(1, s.across), min(1, s.along)}
	}
	return s
}

// moves returns the number of move ids.
func (s spread) moves() int { return 2 * (s.across + s.along) }

// step decodes a move id: the single step, and how many of them.
func (s spread) step(m puzzle.Move) (step, count int) {
	at := int(m)
	if at < 2*s.across {
		return at / s.across, at%s.across + 1
	}
	at -= 2 * s.across
	return stepForward + at/s.along, at%s.along + 1
}

// opposite returns the inverse move.
func (s spread) opposite(m puzzle.Move) puzzle.Move {
	at := int(m)
	switch {
	case at < s.across:
		at += s.across
	case at < 2*s.across:
		at -= s.across
	case at < 2*s.across+s.along:
		at += s.along
	default:
		at -= s.along
	}
	return puzzle.Move(at) // a move id
}

// Successors appends the successors of each state.
func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	if g.single {
		g.table.lanes().steps(states, nil, out)
		return
	}
	g.shifts(states, nil, out)
}

// Onward appends the successors of each state except the one before it. If moves are
// of several tiles, it leaves out all moves along the line of the hole's last move:
// each leads to the state before or to one that is a single move from it.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	if g.single {
		g.table.lanes().steps(states, links, out)
		return len(links)
	}
	return g.shifts(states, links, out)
}

// steps appends the states that are one single step away, for puzzles whose move ids
// are the single steps. It has no branches that depend on a state.
func (l *lanes) steps(states []uint64, links []puzzle.Move, out *puzzle.Edges) {
	keys, moves := slices.Grow(out.Keys, 4*len(states)), slices.Grow(out.Moves, 4*len(states))
	n := len(keys)
	keys, moves = keys[:n+4*len(states)], moves[:n+4*len(states)]
	cells, turns := uint64(l.shape.cells()), l.turns
	link := puzzle.Move(linksMax - 1)
	for i, key := range states {
		if links != nil {
			link = links[i]
		}
		at, _ := bits.Mul64(key*l.cellsInverse, cells)
		h := &l.holes[at%cellsMax][link]
		to := (*[4]uint64)(keys[n:])
		to[h.places[stepNext]&3] = h.next.apply(turns, key)
		to[h.places[stepBefore]&3] = h.before.apply(turns, key)
		to[h.places[stepForward]&3] = key + 1
		to[h.places[stepBack]&3] = key - 1
		*(*[4]puzzle.Move)(moves[n:]) = h.moves
		n += int(h.count)
	}
	out.Keys, out.Moves = keys[:n], moves[:n]
}

// shifts appends the results of all moves except those pruned by links, if there are
// any, direction by direction: of a move of several tiles, each intermediate state is
// a successor too.
func (g *game) shifts(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	s := g.spread()
	l := g.table.lanes()
	width, cells := g.width(), g.cells()
	most := s.across + s.along // at least as many moves as any state has
	if g.metric == metricTile {
		most *= 2
	}
	keys, moves := slices.Grow(out.Keys, most*len(states)+1), slices.Grow(out.Moves, most*len(states)+1)
	n := len(keys)
	keys, moves = keys[:n+most*len(states)+1], moves[:n+most*len(states)+1]
	from, to := -1, -1
	for i, state := range states {
		if links != nil {
			var legal int
			from, to, legal = g.pruned(s, links[i])
			pruned += legal
		}
		high, _ := bits.Mul64(state*l.cellsInverse, uint64(cells))
		at := int(high) // less than 16
		place := at % width
		key, id := state, 0
		for count, hole := 0, at; count < s.across && hole+width < cells; count++ {
			key = l.cross[2*hole].apply(l.turns, key)
			keys[n], moves[n] = key, puzzle.Move(id+count)
			n += outside(id+count, from, to)
			hole += width
		}
		key, id = state, s.across
		for count, hole := 0, at; count < s.across && hole >= width; count++ {
			key = l.cross[2*hole+1].apply(l.turns, key)
			keys[n], moves[n] = key, puzzle.Move(id+count)
			n += outside(id+count, from, to)
			hole -= width
		}
		id = 2 * s.across
		for count := range min(s.along, width-1-place) {
			keys[n], moves[n] = state+uint64(count)+1, puzzle.Move(id+count)
			n += outside(id+count, from, to)
		}
		id += s.along
		for count := range min(s.along, place) {
			keys[n], moves[n] = state-uint64(count)-1, puzzle.Move(id+count)
			n += outside(id+count, from, to)
		}
	}
	out.Keys, out.Moves = keys[:n], moves[:n]
	return pruned
}

// pruned returns the moves that are pruned after a link, as from and to (exclusive),
// and how many of them are legal.
func (g *game) pruned(s spread, link puzzle.Move) (from, to, legal int) {
	switch {
	case g.metric == metricTile:
		back := int(s.opposite(link))
		return back, back + 1, 1
	case int(link) < 2*s.across:
		return 0, 2 * s.across, s.across // in all lanes but the hole's own
	default:
		return 2 * s.across, s.moves(), s.along
	}
}

// outside returns 0 if from <= move < to, that is, if the move is pruned, and 1
// otherwise.
func outside(move, from, to int) int {
	if from <= move && move < to {
		return 0
	}
	return 1
}

// Apply writes the state that a move leads to.
func (g *game) Apply(dst, state []uint64, m puzzle.Move) bool {
	if int(m) >= g.layout.Moves {
		return false
	}
	step, count := g.spread().step(m)
	l, key := g.table.lanes(), state[0]
	cells, width := uint64(g.cells()), uint64(g.width())
	for range count {
		at := key % cells
		switch {
		case step < stepForward && l.cross[2*at+uint64(step)].allowed:
			key = l.cross[2*at+uint64(step)].apply(l.turns, key)
		case step == stepForward && at%width+1 < width:
			key++
		case step == stepBack && at%width > 0:
			key--
		default:
			return false
		}
	}
	dst[0] = key
	return true
}

// Undo writes the state that a move comes from: the result of the inverse move.
func (g *game) Undo(dst, state []uint64, m puzzle.Move) bool {
	return int(m) < g.layout.Moves && g.Apply(dst, state, g.spread().opposite(m))
}
