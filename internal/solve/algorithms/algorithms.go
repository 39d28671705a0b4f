// Package algorithms lists the algorithms that Everystate solves with. It must never
// hold an algorithm, nor keep state: a new one is one more entry of [All].
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

// All returns the algorithms in listing order.
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

// ByName returns the algorithm with a name.
func ByName(name string) (solve.Algorithm, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a solve.Algorithm) bool { return a.Name == name })
	if i < 0 {
		return solve.Algorithm{}, false
	}
	return all[i], true
}

// plays reports whether the algorithms for Sokoban work on a level: it is played forwards,
// and not too large.
func plays(b *puzzle.Board) bool {
	_, err := sokoban.NewLevel(puzzle.Unmerged(b.Puzzle), nil)
	return err == nil
}

// Default returns the algorithm for a board when none is named: the first in the
// table made for its family; IDA* for tiles, whose spaces are too large to store and
// whose heuristic is good; otherwise the first in the table.
func Default(b *puzzle.Board) solve.Algorithm {
	all := All()
	for _, a := range all {
		if a.Optimal && slices.Contains(a.Families, b.Family) && (b.Family != sokoban.Family || plays(b)) {
			return a
		}
	}
	if h, err := heuristic.For(b, ""); b.Family == tiles.Family && h != nil && err == nil {
		return solve.IDAStar()
	}
	return all[0]
}
