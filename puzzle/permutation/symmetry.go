package permutation

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Symmetries returns the automorphisms of the moves. A puzzle has other symmetries: the
// inverse of each state, for example. They do not map moves to moves, as a move acts on
// places and would then have to act on pieces.
func (g *game) Symmetries(string) (*puzzle.Symmetries, error) {
	abstract := g.abstract()
	list, what := abstract.Automorphisms()
	if what != "" {
		return nil, &puzzle.InputError{What: "the symmetries of the moves cannot be used: " + what}
	}
	if len(list) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps moves to moves and both the start and the goals to themselves"}
	}
	a := &action{game: g, abstract: abstract, list: list}
	a.pilot = sync.OnceValue(a.newPilot)
	s := &puzzle.Symmetries{SymmetryAction: a, Cancels: g.canceller()}
	for i := range list {
		s.Names = append(s.Names, fmt.Sprintf("s%d", i))
		s.Moves = append(s.Moves, list[i].Moves)
		s.Inverse = append(s.Inverse, slices.IndexFunc(list, list[i].Inverts))
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
	t := &structure.System{Moduli: s.moduli, Ways: s.ways, Start: look(s.start)}
	for _, goal := range s.goals {
		t.Goals = append(t.Goals, look(goal))
	}
	for _, m := range s.moves {
		t.Moves = append(t.Moves, structure.Move{From: m.from, By: m.by})
	}
	for _, b := range s.blocked {
		t.Blocked = append(t.Blocked, structure.Block{Place: b.place, Piece: b.piece})
	}
	for _, o := range s.orbits() {
		t.Orbits = append(t.Orbits, structure.Orbit{Places: o.places, Modulus: o.modulus})
	}
	return t
}

// Size returns the order of the group of the moves on distinct pieces, and the number
// of states.
func (g *game) Size() puzzle.Size { return g.size() }

// canceller returns which moves after which others do nothing, or the same as a single
// move, or nil if there are too many moves to try all pairs.
func (g *game) canceller() func(a, b puzzle.Move) bool {
	count := len(g.moves)
	if count > pairedMax {
		return nil
	}
	table := sync.OnceValue(func() []bool {
		known := map[string]bool{product(identity(len(g.system.moduli))): true}
		for _, t := range g.moves {
			known[product(t)] = true
		}
		var cancel []bool
		for _, t := range g.moves {
			for _, u := range g.moves {
				cancel = append(cancel, known[product(t.then(u, g.system.moduli))])
			}
		}
		return cancel
	})
	return func(a, b puzzle.Move) bool { return table()[int(a)*count+int(b)] }
}

// action is what automorphisms do to keys. The representative of an orbit is the state whose
// pilot has the least rank, and among these the first in the order of places: by piece,
// then by turn.
type action struct {
	*game
	abstract *structure.System
	list     []structure.Automorphism
	pilot    func() *pilot
}

// A pilot is the pieces of an orbit that all automorphisms map to itself: their image
// does not depend on the rest of a state.
type pilot struct {
	*coordinate
	best []uint64 // by rank: the symmetries under which its image has the least rank
}

// Bounds of a pilot: the ranks of its table, and the images computed to make it.
const (
	pilotRanksMax  = 1 << 20
	pilotImagesMax = 1 << 22
)

// newPilot returns the pilot with the most ranks, or nil if there is none.
func (a *action) newPilot() *pilot {
	var c *coordinate
	for _, other := range a.ranked {
		if other.labels != nil && len(a.list) <= wordBits && other.size <= pilotRanksMax && other.size*uint64(len(a.list)) <= pilotImagesMax &&
			(c == nil || other.size > c.size) && a.keeps(other.places) {
			c = other
		}
	}
	if c == nil {
		return nil
	}
	p := &pilot{c, make([]uint64, c.size)}
	n := len(c.places)
	var items, moved [placesMax]uint8
	for rank := range c.size {
		c.unrank(items[:n], rank)
		least := c.size
		for i := range a.list {
			t := &a.list[i]
			for k, place := range c.places {
				moved[slices.Index(c.places, int(t.To[place]))] = c.local[t.Pieces[c.labels[items[k]]]]
			}
			switch image := c.rank(moved[:n]); {
			case image < least:
				least, p.best[rank] = image, 1<<i
			case image == least:
				p.best[rank] |= 1 << i
			}
		}
	}
	return p
}

// keeps reports whether all automorphisms map a set of places to itself.
func (a *action) keeps(places []int) bool {
	for i := range a.list {
		for _, place := range places {
			if !slices.Contains(places, int(a.list[i].To[place])) {
				return false
			}
		}
	}
	return true
}

// apply writes the image of an arrangement to dst, which must not share memory with
// src.
func (a *action) apply(i int, dst, src arrangement) {
	a.list[i].Apply(structure.Arrangement{Pieces: dst.pieces, Orients: dst.orients}, structure.Arrangement{Pieces: src.pieces, Orients: src.orients}, a.abstract)
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	if symmetry == 0 {
		copy(dst, state)
		return
	}
	var pieces, turned, newPieces, newTurned [placesMax]uint8
	n := len(a.system.moduli)
	from, to := arrangement{pieces[:n], turned[:n]}, arrangement{newPieces[:n], newTurned[:n]}
	a.decode(from, state)
	a.apply(symmetry, to, from)
	a.encode(dst, to)
}

// First returns the first symmetry that leads to the representative.
func (a *action) First(state []uint64) int { return a.first(a.pilot(), state) }

func (a *action) first(p *pilot, state []uint64) int {
	best := ^uint64(0)
	if p != nil {
		best = p.best[state[0]/p.stride%p.size]
		if best&(best-1) == 0 {
			return bits.TrailingZeros64(best)
		}
	}
	var pieces, turned, leastPieces, leastTurned [placesMax]uint8
	n := len(a.system.moduli)
	from, least := arrangement{pieces[:n], turned[:n]}, arrangement{leastPieces[:n], leastTurned[:n]}
	a.decode(from, state)
	first := -1
	for i := range a.list {
		if p != nil && best>>i&1 == 0 {
			continue
		}
		if first < 0 {
			a.apply(i, least, from)
			first = i
		} else if a.less(i, least, from) {
			first = i
		}
	}
	return first
}

// less replaces an arrangement by the image of another if that comes first, and
// reports whether it does.
func (a *action) less(i int, least, from arrangement) bool {
	c := 0
	for k, place := range a.list[i].Back { // most are decided by the first places
		if c = int(a.list[i].Pieces[from.pieces[place]]) - int(least.pieces[k]); c != 0 {
			break
		}
	}
	if c > 0 {
		return false
	}
	var pieces, turned [placesMax]uint8
	n := len(from.pieces)
	image := arrangement{pieces[:n], turned[:n]}
	a.apply(i, image, from)
	if c == 0 {
		c = slices.Compare(image.orients, least.orients)
	}
	if c < 0 {
		copy(least.pieces, image.pieces)
		copy(least.orients, image.orients)
	}
	return c < 0
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	var pieces, turned, newPieces, newTurned [placesMax]uint8
	n := len(a.system.moduli)
	from, to := arrangement{pieces[:n], turned[:n]}, arrangement{newPieces[:n], newTurned[:n]}
	a.decode(from, state)
	best, count := ^uint64(0), 0
	if p := a.pilot(); p != nil { // those that fix a state fix its pilot, which is the least
		best = p.best[state[0]/p.stride%p.size]
		if best&1 == 0 {
			best = ^uint64(0) // it is no representative
		}
	}
	for i := range a.list {
		if i < wordBits && best>>i&1 == 0 {
			continue
		}
		a.apply(i, to, from)
		if to.equal(from) {
			count++
		}
	}
	return count
}

// Merge replaces keys by representatives.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	p, n, words := a.pilot(), puzzle.Move(len(a.list)), a.keyWords
	for i := range moves {
		key := keys[i*words : (i+1)*words]
		first := a.first(p, key)
		if first > 0 {
			a.Image(key, key, first)
		}
		moves[i] = moves[i]*n + puzzle.Move(first)
	}
}
