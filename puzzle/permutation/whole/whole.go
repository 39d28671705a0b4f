// Package whole makes states equal that differ by a turn of the whole puzzle.
//
// Of the states that turns of the whole lead to from one another, one has a certain piece
// in its own place: the piece is held. A move is then followed by the turn that brings
// the piece back, so that it becomes another move, the same in every state.
//
// The package must never know a notation or a key. Turns are immutable and safe for
// concurrent use.
package whole

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Turns are the turns of a whole puzzle, and the piece that is held.
type Turns struct {
	moduli []uint8
	group  []structure.Move
	place  int
	piece  uint8
	ways   uint8                    // orientations of the piece that are distinguished
	home   map[where]structure.Move // the turn that brings the piece home, by where it is
}

// where is a place and an orientation.
type where struct{ place, orient uint8 }

// New returns the turns that generators, which have names, lead to. A turn must make a move
// of each move, and some piece must be in another place or orientation after each turn,
// and moves must bring it to no others. Otherwise what says what is wrong. A piece has as
// many orientations as ways says.
func New(moduli, ways []uint8, solved structure.Arrangement, moves, generators []structure.Move, names []string) (t *Turns, what string) {
	t = &Turns{moduli: moduli}
	if what := t.generate(generators); what != "" {
		return nil, what
	}
	for g, turn := range generators {
		for i := range moves {
			image := turn.Inverse(moduli).Then(moves[i], moduli).Then(turn, moduli)
			if !slices.ContainsFunc(moves, image.Equal) {
				return nil, fmt.Sprintf("%s is not a turn of the whole puzzle: it turns a move into something that is not a move", names[g])
			}
		}
	}
	for place, piece := range solved.Pieces {
		if count(solved.Pieces, piece) == 1 && t.hold(place, ways[piece], moves) {
			t.piece = piece
			return t, ""
		}
	}
	return nil, "no piece can be held: some piece must be in a different place or orientation after each turn of the whole puzzle, and moves must not bring it anywhere else"
}

func count(list []uint8, item uint8) (n int) {
	for _, other := range list {
		if other == item {
			n++
		}
	}
	return n
}

// generate lists the turns.
func (t *Turns) generate(generators []structure.Move) (what string) {
	t.group = []structure.Move{structure.Still(len(t.moduli))}
	for at := 0; at < len(t.group); at++ {
		for _, g := range generators {
			next := t.group[at].Then(g, t.moduli)
			if slices.ContainsFunc(t.group, next.Equal) {
				continue
			}
			if t.group = append(t.group, next); len(t.group) > puzzle.SymmetriesMax {
				return fmt.Sprintf("there are more than %d turns of the whole puzzle", puzzle.SymmetriesMax)
			}
		}
	}
	return ""
}

// hold tries to hold the piece that belongs to a place.
func (t *Turns) hold(place int, ways uint8, moves []structure.Move) bool {
	t.place, t.ways, t.home = place, ways, map[where]structure.Move{}
	for _, turn := range t.group {
		t.home[t.after(where{uint8(place), 0}, turn)] = turn.Inverse(t.moduli)
	}
	if len(t.home) < len(t.group) {
		return false
	}
	for at := range t.home {
		for _, m := range moves {
			if _, known := t.home[t.after(at, m)]; !known {
				return false
			}
		}
	}
	return true
}

// after returns where a move brings the held piece from somewhere.
func (t *Turns) after(at where, m structure.Move) where {
	to := slices.Index(m.From, at.place)
	return where{uint8(to), (at.orient + m.By[to]) % t.moduli[to] % t.ways}
}

// Count returns the number of turns.
func (t *Turns) Count() int { return len(t.group) }

// All returns the turns, first the one that does nothing. They must not be modified.
func (t *Turns) All() []structure.Move { return t.group }

// Held returns the piece that is held, and its place.
func (t *Turns) Held() (piece uint8, place int) { return t.piece, t.place }

// Home returns the turn that brings the held piece home from a place and an orientation,
// false if none does.
func (t *Turns) Home(place, orient uint8) (structure.Move, bool) {
	m, ok := t.home[where{place, orient % t.ways}]
	return m, ok
}

// Reduce returns a move followed by the turn that brings the held piece back.
func (t *Turns) Reduce(m structure.Move) structure.Move {
	return m.Then(t.home[t.after(where{uint8(t.place), 0}, m)], t.moduli)
}

// Turn turns the whole puzzle so that the held piece is in its place. It reports false if
// no turn does that.
func (t *Turns) Turn(a structure.Arrangement) bool {
	at := slices.Index(a.Pieces, t.piece)
	if at < 0 {
		return false
	}
	turn, ok := t.home[where{uint8(at), a.Orients[at] % t.ways}]
	if !ok {
		return false
	}
	b := structure.Arrangement{Pieces: slices.Clone(a.Pieces), Orients: slices.Clone(a.Orients)}
	for i, from := range turn.From {
		a.Pieces[i] = b.Pieces[from]
		a.Orients[i] = (b.Orients[from] + turn.By[i]) % t.moduli[i]
	}
	return true
}
