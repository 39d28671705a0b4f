package permutation

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

var _ puzzle.Phased = &game{}

// WithSolved reads which pieces are to be solved: sets, or places of them, as "only" names them.
// Where turns of the whole do not count, a state has them solved if it has after some turn.
func (g *game) WithSolved(pieces string) (func(state []uint64, f func(state []uint64)), error) {
	r, ok := g.notation.(*moveReader)
	if !ok {
		return puzzle.WithSolved(nil, pieces)
	}
	if len(g.goals) == 0 {
		return nil, &puzzle.InputError{What: "the board has no goal, so no pieces of it are solved"}
	}
	lists, fault := r.readPlaces(boardfile.Piece{Text: pieces}.Trim(), false)
	if fault != nil {
		return nil, fault
	}
	places, n := slices.Concat(lists...), len(g.system.moduli)
	turns := []structure.Move{structure.Still(n)}
	if r.turns != nil {
		turns = r.turns.All()
	}
	from, to := newArrangement(n), newArrangement(n)
	return func(state []uint64, f func(state []uint64)) {
		g.decode(from, state)
		for _, t := range turns {
			apply(t, to, from, g.system.moduli)
			g.settle(to)
			if slices.ContainsFunc(g.goals, func(goal arrangement) bool { return goal.agrees(to, places) }) {
				f(state)
				return
			}
		}
	}, nil
}

// agrees reports whether another arrangement is the same at some places.
func (a arrangement) agrees(b arrangement, places []int) bool {
	for _, place := range places {
		if a.pieces[place] != b.pieces[place] || a.orients[place] != b.orients[place] {
			return false
		}
	}
	return true
}
