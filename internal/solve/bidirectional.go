package solve

import (
	"context"

	"github.com/everystate/everystate/puzzle"
)

// Bidirectional goes breadth first from both ends until they meet.
func Bidirectional() Algorithm {
	return Algorithm{
		Name: "bidirectional", Summary: "breadth-first search from the start and from the goals, expanding the smaller frontier, until they meet",
		Optimal: true, Solve: bidirectional,
	}
}

// A side is a breadth-first search whose last layer is being expanded. The side of
// the goals goes back along moves.
type side struct {
	*visited
	layer int // the number of the first state of the last layer
	back  func(states []uint64, out *puzzle.Edges)
}

func bidirectional(ctx context.Context, p *Problem) (Result, error) {
	game := p.Board.Puzzle
	ended, ok := game.(puzzle.Ended)
	if !ok {
		return unsuited("the goal states of %s are not known in advance", p.Board.Family)
	}
	back := game.Successors
	if backward, ok := game.(puzzle.Backward); ok {
		back = backward.Predecessors
	} else if !game.Layout().Reversible {
		return unsuited("the moves of %s cannot be undone", p.Board.Family)
	}
	m, words := NewMeter(ctx, p), game.Layout().Words()
	sides := [2]*side{
		{visited: newVisited(words), back: game.Successors},
		{visited: newVisited(words), back: back},
	}
	sides[0].addStarts(p.starts())
	sides[1].addStarts(ended.GoalStates())
	for n := range sides[0].len() {
		if other := sides[1].number(sides[0].key(n)); other >= 0 {
			return m.joined(game, sides, sides[0].key(n)), nil
		}
	}
	for {
		at := 0
		if sides[1].len()-sides[1].layer < sides[0].len()-sides[0].layer {
			at = 1
		}
		meeting, stop := m.widen(sides, at)
		switch {
		case stop != StopNone:
			return m.stopped(stop), nil
		case meeting != nil:
			return m.joined(game, sides, meeting), nil
		case sides[at].layer == sides[at].len():
			return m.unsolvable(), nil
		}
	}
}

// widen makes the next layer of a side, and returns a state that the other side
// has as well. The sides then meet for the first time, so the way over it is as
// short as any.
func (m *Meter) widen(sides [2]*side, at int) (meeting []uint64, stop Stop) {
	s, other := sides[at], sides[1-at]
	var edges puzzle.Edges
	from, to := s.layer, s.len()
	s.layer = to
	for from < to {
		m.Stored = int64(s.len() + other.len())
		m.MemoryBytes = s.bytes() + other.bytes()
		m.waiting(s.len() - from + other.len() - other.layer)
		if stop := m.Check(); stop != StopNone {
			return nil, stop
		}
		batch := m.left(min(batchStates, to-from))
		edges.Reset()
		s.back(s.keys[from*s.words:(from+batch)*s.words], &edges)
		from += batch
		m.Expanded += int64(batch)
		m.Generated += int64(edges.Len())
		first := s.len()
		s.addAll(&edges)
		for n := first; n < s.len(); n++ {
			if other.number(s.key(n)) >= 0 {
				return s.key(n), StopNone
			}
		}
	}
	return nil, StopNone
}

// joined is the result of two sides that meet in a state.
func (m *Meter) joined(game puzzle.Puzzle, sides [2]*side, meeting []uint64) Result {
	m.Stored = int64(sides[0].len() + sides[1].len())
	r := m.solved(sides[0].visited, game, sides[0].number(meeting), true)
	r.Moves = append(r.Moves, sides[1].onward(game, meeting)...)
	return r
}

// onward returns the moves from a state on the goals' side to a goal. Which state
// comes next is not to be had from links: of a puzzle that goes back by its moves
// they name moves the wrong way round. So each step asks which successor was there
// a layer before; the side's states come in the order of their layers.
func (s *side) onward(game puzzle.Puzzle, from []uint64) []puzzle.Move {
	var moves []puzzle.Move
	var edges puzzle.Edges
	at := s.number(from)
	for at >= s.starts {
		edges.Reset()
		game.Successors(s.key(at), &edges)
		best, by := at, puzzle.Move(0)
		for i, move := range edges.Moves {
			if n := s.number(edges.Keys[i*s.words : (i+1)*s.words]); n >= 0 && n < best {
				best, by = n, move
			}
		}
		if best == at {
			panic("search: a state of the goals' side that leads to none before it")
		}
		moves = append(moves, by)
		at = best
	}
	return moves
}
