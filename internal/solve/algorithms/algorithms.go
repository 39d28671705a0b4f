// Package algorithms is the table of the algorithms that Everystate solves with.
// It must never hold an algorithm, nor keep state: a new one is one more entry of
// [All].
package algorithms

import (
	"slices"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/internal/solve/rushplan"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/tiles"
)

// All returns the algorithms, in the order in which they are listed.
func All() []solve.Algorithm {
	all := []solve.Algorithm{
		solve.BFS(),
		solve.DFS(),
		solve.IDDFS(),
		solve.Bidirectional(),
		solve.AStar(),
		solve.IDAStar(),
		solve.WeightedAStar(),
		solve.Greedy(),
		solve.Beam(),
		rushplan.Plan(),
	}
	return append(all, sokoban.Algorithms()...)
}

// ByName returns the algorithm of a name.
func ByName(name string) (solve.Algorithm, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a solve.Algorithm) bool { return a.Name == name })
	if i < 0 {
		return solve.Algorithm{}, false
	}
	return all[i], true
}

// Default returns the algorithm for a board where none is named: the first in the
// table that was made for its family, IDA* for tiles, whose spaces are too large to
// be kept and whose heuristic is good, or else the first.
func Default(b *puzzle.Board) solve.Algorithm {
	all := All()
	for _, a := range all {
		if a.Optimal && slices.Contains(a.Families, b.Family) {
			return a
		}
	}
	if h, err := heuristic.For(b, ""); b.Family == tiles.Family && h != nil && err == nil {
		return solve.IDAStar()
	}
	return all[0]
}
