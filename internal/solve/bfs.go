package solve

import (
	"context"

	"github.com/everystate/everystate/puzzle"
)

// BFS explores the states in order of depth.
func BFS() Algorithm {
	return Algorithm{
		Name: "bfs", Summary: "breadth-first search: all states at one depth before any at the next",
		Optimal: true, Solve: bfs,
	}
}

// batchStates is how many states are expanded together. A goal among their successors
// is noticed only when all have been expanded, so counts can be high by up to one
// batch.
const batchStates = 64

func bfs(ctx context.Context, p *Problem) (Result, error) {
	m, game := NewMeter(ctx, p), p.Board.Puzzle
	v := newVisited(game.Layout().Words())
	rule := ahead(game)
	v.addStarts(p.starts())
	if goal := goalAmong(game, v.keys, v.starts); goal >= 0 {
		return m.solved(v, game, goal, true), nil
	}
	var edges puzzle.Edges
	marks := make([]bool, 0, 8*batchStates)
	for next := 0; next < v.len(); {
		m.Stored, m.MemoryBytes = int64(v.len()), v.bytes()
		m.waiting(v.len() - next)
		if stop := m.Check(); stop != StopNone {
			return m.stopped(stop), nil
		}
		batch := m.left(min(batchStates, v.len()-next))
		edges.Reset()
		m.Generated += rule.expandFrom(v, next, next+batch, &edges)
		next += batch
		m.Expanded += int64(batch)
		first := v.len()
		v.addAll(&edges)
		fresh := v.len() - first
		if cap(marks) < fresh {
			marks = make([]bool, 2*fresh)
		}
		game.Goals(v.keys[first*v.words:], marks[:fresh])
		for i, goal := range marks[:fresh] {
			if goal {
				m.Stored, m.MemoryBytes = int64(v.len()), v.bytes()
				return m.solved(v, game, first+i, true), nil
			}
		}
	}
	m.Stored, m.MemoryBytes = int64(v.len()), v.bytes()
	return m.unsolvable(), nil
}

// addAll adds successors to the set.
func (v *visited) addAll(edges *puzzle.Edges) {
	if v.words == 1 {
		for i, key := range edges.Keys {
			v.addWord(key, edges.Moves[i])
		}
		return
	}
	for i, move := range edges.Moves {
		v.add(edges.Keys[i*v.words:(i+1)*v.words], move)
	}
}

// goalAmong returns the first goal among count states, or -1.
func goalAmong(game puzzle.Puzzle, states []uint64, count int) int {
	marks := make([]bool, count)
	game.Goals(states, marks)
	for i, goal := range marks {
		if goal {
			return i
		}
	}
	return -1
}

// solved returns the result of a search that reached a goal.
func (m *Meter) solved(v *visited, game puzzle.Puzzle, goal int, optimal bool) Result {
	start, moves := v.path(game, goal)
	return Result{Outcome: Solved, Start: start, Moves: moves, Optimal: optimal, Stats: m.Stats}
}
