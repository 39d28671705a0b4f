package permutation

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/folding"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

var _ puzzle.Foldable = reversible{}

// Folded returns the ranks of the states, folded along the symmetries of the moves. A
// piece that is held is let go: then more symmetries map the moves to one another.
func (r reversible) Folded(during func(done float64) bool) (ranks *puzzle.Ranks) {
	r.fold(func(s *structure.System, list []structure.Automorphism, parts []folding.Part, states int64, held *folding.Held) {
		ranks = folding.New(s, list, parts, states, held, during)
	})
	return ranks
}

// FoldNeeds returns about how many they are, and how much memory they take.
func (r reversible) FoldNeeds() (ranks, bytes int64) {
	r.fold(func(s *structure.System, list []structure.Automorphism, parts []folding.Part, states int64, held *folding.Held) {
		ranks, bytes = folding.Needs(s, list, parts, states, held)
	})
	return ranks, bytes
}

// fold calls f with what folded ranks depend on, if there may be any.
func (r reversible) fold(f func(*structure.System, []structure.Automorphism, []folding.Part, int64, *folding.Held)) {
	size := r.Size()
	if r.ranked == nil || !size.Exact || !size.States.IsInt64() {
		return
	}
	sys, ranked := r.system, r.ranked
	var held *folding.Held
	if free := r.loose; free != nil {
		var c coder
		sys.moves = free.moves
		if !slices.Equal(sys.moduli, free.moduli) {
			return
		}
		if _, ok := c.setCoder(&sys, sys.orbits()); !ok || c.fields != nil {
			return
		}
		ranked = c.ranked
		held = &folding.Held{Turns: free.turns, Parts: partsOf(r.ranked), Moves: r.moves}
	}
	abstract := sys.abstract()
	list, _ := abstract.Automorphisms() // none if there are too many
	f(abstract, list, partsOf(ranked), size.States.Int64(), held)
}

// partsOf describes coordinates.
func partsOf(ranked []*coordinate) (parts []folding.Part) {
	for _, c := range ranked {
		parts = append(parts, folding.Part{
			Places: c.places, Labels: c.labels, Local: &c.local, Distinct: c.labels != nil && c.distinct,
			Size: c.size, Stride: c.stride, Ranking: c,
		})
	}
	return parts
}
