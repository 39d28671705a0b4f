// Package algorithms is the table of the algorithms that Everystate solves with.
// It must never hold an algorithm, nor keep state: a new one is one more entry of
// [All].
package algorithms

import (
	"slices"

	"github.com/everystate/everystate/search"
	"github.com/everystate/everystate/search/rushplan"
	"github.com/everystate/everystate/search/sokoban"
)

// All returns the algorithms, in the order in which they are listed.
func All() []search.Algorithm {
	all := []search.Algorithm{
		search.BFS(),
		search.DFS(),
		search.IDDFS(),
		search.Bidirectional(),
		search.AStar(),
		search.IDAStar(),
		search.WeightedAStar(),
		search.Greedy(),
		search.Beam(),
		rushplan.Plan(),
	}
	return append(all, sokoban.Algorithms()...)
}

// ByName returns the algorithm of a name.
func ByName(name string) (search.Algorithm, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a search.Algorithm) bool { return a.Name == name })
	if i < 0 {
		return search.Algorithm{}, false
	}
	return all[i], true
}

// Default returns the algorithm for a family where none is named: the first in
// the table that was made for it, or else the first.
func Default(family string) search.Algorithm {
	all := All()
	for _, a := range all {
		if a.Optimal && slices.Contains(a.Families, family) {
			return a
		}
	}
	return all[0]
}
