package solve

import (
	"context"

	"github.com/everystate/everystate/puzzle"
)

// DFS continues from the newest state.
func DFS() Algorithm {
	return Algorithm{
		Name: "dfs", Summary: "depth-first search: continue from the newest state, backtrack at dead ends",
		Solve: dfs,
	}
}

// dfs differs from bfs in that it takes the next state from the end of the frontier to
// which successors are added, and does not prune. Successors are taken in their order.
func dfs(ctx context.Context, p *Problem) (Result, error) {
	m, game := NewMeter(ctx, p), p.Board.Puzzle
	v := newVisited(game.Layout().Words())
	v.addStarts(p.starts())
	if goal := goalAmong(game, v.keys, v.starts); goal >= 0 {
		return m.solved(v, game, goal, true), nil
	}
	var edges puzzle.Edges
	var frontier []uint32 // state numbers, the next one last
	var marks []bool
	for n := v.len() - 1; n >= 0; n-- {
		frontier = append(frontier, uint32(n))
	}
	for len(frontier) > 0 {
		m.Stored, m.MemoryBytes = int64(v.len()), v.bytes()+int64(cap(frontier))*4
		m.waiting(len(frontier))
		if stop := m.Check(); stop != StopNone {
			return m.stopped(stop), nil
		}
		n := frontier[len(frontier)-1]
		frontier = frontier[:len(frontier)-1]
		edges.Reset()
		game.Successors(v.key(int(n)), &edges)
		m.Expanded++
		m.Generated += int64(edges.Len())
		first := v.len()
		v.addAll(&edges)
		marks = sized(marks, v.len()-first)
		game.Goals(v.keys[first*v.words:], marks)
		for i, goal := range marks {
			if goal {
				m.Stored = int64(v.len())
				return m.solved(v, game, first+i, false), nil
			}
		}
		for n := v.len() - 1; n >= first; n-- {
			frontier = append(frontier, uint32(n))
		}
	}
	return m.unsolvable(), nil
}

// sized returns a slice of length n, reusing the memory of s if it suffices.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	return s[:n]
}
