package permutation

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/folding"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Marked is the name of the symmetries with marked pieces.
const Marked = "marked"

// Symmetries returns the automorphisms of the moves. A puzzle has other symmetries: the
// inverse of each state, for example. They do not map moves to moves, as a move acts on
// places and would then have to act on pieces.
//
// They are the same with both names. With Marked, marked pieces decide which state stands for
// the others.
func (g *game) Symmetries(name string) (*puzzle.Symmetries, error) {
	abstract := g.abstract()
	list, what := abstract.Automorphisms()
	if what != "" {
		return nil, &puzzle.InputError{What: "the symmetries of the moves cannot be used: " + what}
	}
	if len(list) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps moves to moves and both the start and the goals to themselves"}
	}
	a := newAction(g, abstract, list)
	if name == Marked && !a.mark() {
		return nil, &puzzle.InputError{What: "no pieces of a single set can be marked"}
	}
	s := &puzzle.Symmetries{SymmetryAction: a, Cancels: abstract.Canceller(), Inverse: a.inverse}
	for i := range list {
		s.Names = append(s.Names, fmt.Sprintf("s%d", i))
		s.Moves = append(s.Moves, list[i].Moves)
	}
	return s, nil
}

func (r reversible) Symmetries(name string) (*puzzle.Symmetries, error) { return of(r, r.game, name) }
func (o oneWay) Symmetries(name string) (*puzzle.Symmetries, error)     { return of(o, o.game, name) }
func (w walled) Symmetries(name string) (*puzzle.Symmetries, error)     { return of(w, w.game, name) }

// of returns the symmetries of a game for the puzzle that it is.
func of(p interface {
	puzzle.Puzzle
	puzzle.Pictured
}, g *game, name string) (*puzzle.Symmetries, error) {
	s, err := g.Symmetries(name)
	if err == nil {
		s.Puzzle = p
	}
	return s, err
}

// abstract returns the system as package structure sees it.
func (s *system) abstract() *structure.System {
	look := func(a arrangement) structure.Arrangement {
		return structure.Arrangement{Pieces: a.pieces, Orients: a.orients}
	}
	t := &structure.System{Moduli: s.moduli, Ways: s.ways, Start: look(s.start), Moves: s.moves}
	for _, goal := range s.goals {
		t.Goals = append(t.Goals, look(goal))
	}
	for _, b := range s.blocked {
		t.Blocked = append(t.Blocked, structure.Block{Place: b.place, Piece: b.piece})
	}
	for _, o := range s.orbits() {
		t.Orbits = append(t.Orbits, structure.Orbit{Places: o.places, Modulus: o.modulus})
	}
	return t
}

// Orbits returns the number of orbits, or a bound.
func (a *action) Orbits() puzzle.Size { return a.orbitSize() }

// OrbitRanks returns the ranks of the representatives, or nil.
func (a *action) OrbitRanks() *puzzle.Ranks {
	p := a.pilot()
	if p == nil || !a.layout.Reversible || a.blocked != nil {
		return nil
	}
	if p.marks != nil {
		return p.marks.Ranks(a.abstract(), a.list, a.inverse)
	}
	m := folding.Merged{
		System: a.abstract(), List: a.list, Inverse: a.inverse, Parts: partsOf(a.ranked), Pilot: slices.Index(a.ranked, p.coordinate),
		Best: p.best, Least: p.least, Order: a.images.Order(),
	}
	return m.Ranks()
}

// Size returns the order of the group of the moves on distinct pieces, and the number
// of states.
func (g *game) Size() puzzle.Size { return g.size() }
