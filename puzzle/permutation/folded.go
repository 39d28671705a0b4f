package permutation

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/folding"
)

var _ puzzle.Foldable = reversible{}

// Folded returns the ranks of the states, folded along the symmetries of the moves.
func (r reversible) Folded() *puzzle.Ranks {
	size := r.Size()
	if r.ranked == nil || !size.Exact || !size.States.IsInt64() {
		return nil
	}
	abstract := r.abstract()
	list, _ := abstract.Automorphisms() // none if there are too many
	var parts []folding.Part
	for _, c := range r.ranked {
		parts = append(parts, folding.Part{
			Places: c.places, Labels: c.labels, Local: &c.local, Distinct: c.labels != nil && c.distinct,
			Size: c.size, Stride: c.stride, Ranking: c,
		})
	}
	return folding.New(abstract, list, parts, size.States.Int64())
}
