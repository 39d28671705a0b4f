package permutation

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/folding"
)

var _ puzzle.Foldable = reversible{}

// Folded returns the ranks of the states, folded along the symmetries of the moves. A
// piece that is held is let go: then more symmetries map the moves to one another.
func (r reversible) Folded() *puzzle.Ranks {
	size := r.Size()
	if r.ranked == nil || !size.Exact || !size.States.IsInt64() {
		return nil
	}
	sys, ranked := r.system, r.ranked
	var held *folding.Held
	if f := r.loose; f != nil {
		var c coder
		sys.moves = f.moves
		if !slices.Equal(sys.moduli, f.moduli) {
			return nil
		}
		if _, ok := c.setCoder(&sys, sys.orbits()); !ok || c.fields != nil {
			return nil
		}
		ranked = c.ranked
		held = &folding.Held{Turns: f.turns, Parts: partsOf(r.ranked), Moves: r.moves}
	}
	abstract := sys.abstract()
	list, _ := abstract.Automorphisms() // none if there are too many
	return folding.New(abstract, list, partsOf(ranked), size.States.Int64(), held)
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
