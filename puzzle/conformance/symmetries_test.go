package conformance

import (
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// mirrored is the toy with the symmetry that reflects the row and exchanges the pieces,
// and a goal that it preserves.
type mirrored struct {
	toy
	lie func(s *puzzle.Symmetries, a *mirrorAction)
}

// mirrorAction is what that symmetry does, with some functions put in the place of
// others.
type mirrorAction struct {
	image  func(state uint64, symmetry int) uint64
	first  func(state uint64) int
	fixing func(state uint64) int
	merge  func(keys []uint64, moves []puzzle.Move)
}

func mirror(state uint64, symmetry int) uint64 {
	if symmetry == 0 {
		return state
	}
	at := toyPlaces(state)
	return toyKey(toyCells-1-at[1], toyCells-1-at[0])
}

func newMirrorAction() *mirrorAction {
	a := &mirrorAction{image: mirror}
	a.first = func(state uint64) int {
		if mirror(state, 1) < state {
			return 1
		}
		return 0
	}
	a.fixing = func(state uint64) int {
		if mirror(state, 1) == state {
			return 2
		}
		return 1
	}
	a.merge = func(keys []uint64, moves []puzzle.Move) {
		for i, m := range moves {
			first := a.first(keys[i])
			keys[i], moves[i] = a.image(keys[i], first), 2*m+puzzle.Move(first)
		}
	}
	return a
}

func (a *mirrorAction) Image(dst, state []uint64, symmetry int) {
	dst[0] = a.image(state[0], symmetry)
}
func (a *mirrorAction) First(state []uint64) int                    { return a.first(state[0]) }
func (a *mirrorAction) Fixing(state []uint64) int                   { return a.fixing(state[0]) }
func (a *mirrorAction) Merge(_, keys []uint64, moves []puzzle.Move) { a.merge(keys, moves) }

func (m mirrored) Goals(states []uint64, marks []bool) {
	for i := range marks {
		marks[i] = states[i] == toyKey(0, toyCells-1)
	}
}

func (m mirrored) Symmetries(string) (*puzzle.Symmetries, error) {
	a := newMirrorAction()
	s := &puzzle.Symmetries{
		Puzzle: m, Names: []string{"", "m"}, Moves: [][]puzzle.Move{{0, 1, 2, 3}, {3, 2, 1, 0}}, Inverse: []int{0, 1}, SymmetryAction: a,
	}
	if m.lie != nil {
		m.lie(s, a)
	}
	return s, nil
}

func TestSymmetries(t *testing.T) {
	p := mirrored{toy: truth}
	if r := Check(boardOf(p), optionsOf(p)); len(r.Findings) > 0 {
		t.Errorf("got %+v", r)
	}
}

func liarsOfSymmetries() []liarCase {
	lie := func(name string, lie func(s *puzzle.Symmetries, a *mirrorAction)) liarCase {
		return liarCase{name: name, rule: "symmetry", p: mirrored{truth, lie}}
	}
	under := func(l liarCase, rule string) liarCase {
		l.rule = rule
		return l
	}
	end := toyKey(0, toyCells-1)
	return []liarCase{
		lie("a symmetry without a name", func(s *puzzle.Symmetries, _ *mirrorAction) { s.Names = s.Names[:1] }),
		lie("an inverse that is not there", func(s *puzzle.Symmetries, _ *mirrorAction) { s.Inverse[1] = 2 }),
		lie("an identity that changes moves", func(s *puzzle.Symmetries, _ *mirrorAction) { s.Moves[0] = []puzzle.Move{1, 0, 2, 3} }),
		lie("a first symmetry that is not there", func(_ *puzzle.Symmetries, a *mirrorAction) { a.first = func(uint64) int { return 2 } }),
		lie("an image that is no state", func(_ *puzzle.Symmetries, a *mirrorAction) {
			a.image = func(state uint64, n int) uint64 { return mirror(state, n) + uint64(n)<<10 }
		}),
		lie("an image without its way back", func(_ *puzzle.Symmetries, a *mirrorAction) {
			a.image = func(state uint64, n int) uint64 {
				if n == 1 && state == end {
					return toyKey(1, 2)
				}
				return mirror(state, n)
			}
		}),
		under(lie("an image that is no goal", func(_ *puzzle.Symmetries, a *mirrorAction) {
			a.image = func(state uint64, n int) uint64 {
				if other := toyKey(1, toyCells-2); n == 1 && (state == end || state == other) {
					return end ^ other ^ state
				}
				return mirror(state, n)
			}
		}), "symmetric goals"),
		lie("moves that stay what they are", func(s *puzzle.Symmetries, _ *mirrorAction) { s.Moves[1] = s.Moves[0] }),
		lie("an orbit of two that is one", func(_ *puzzle.Symmetries, a *mirrorAction) { a.fixing = func(uint64) int { return 2 } }),
		lie("every state for itself", func(_ *puzzle.Symmetries, a *mirrorAction) { a.first = func(uint64) int { return 0 } }),
		lie("a representative under another symmetry", func(_ *puzzle.Symmetries, a *mirrorAction) {
			first := a.first
			a.first = func(state uint64) int {
				if mirror(state, 1) == state {
					return 1
				}
				return first(state)
			}
		}),
		under(lie("two symmetries of a group of three", func(s *puzzle.Symmetries, a *mirrorAction) {
			s.Names, s.Inverse = []string{"", "x", "y"}, []int{0, 1, 2}
			s.Moves = [][]puzzle.Move{s.Moves[0], s.Moves[1], s.Moves[0]}
			a.image = func(state uint64, n int) uint64 {
				if n == 2 { // it exchanges two states
					if pair := []uint64{toyKey(0, 1), toyKey(0, 2)}; slices.Contains(pair, state) {
						return pair[0] ^ pair[1] ^ state
					}
					return state
				}
				return mirror(state, n)
			}
		}), "symmetry group"),
		lie("moves without their symmetry", func(_ *puzzle.Symmetries, a *mirrorAction) {
			a.merge = func(keys []uint64, moves []puzzle.Move) {
				for i := range keys {
					keys[i] = mirror(keys[i], a.first(keys[i]))
				}
			}
		}),
	}
}
