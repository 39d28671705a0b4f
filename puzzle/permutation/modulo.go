package permutation

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/definition"
	"github.com/everystate/everystate/puzzle/permutation/source"
	"github.com/everystate/everystate/puzzle/permutation/structure"
	"github.com/everystate/everystate/puzzle/permutation/whole"
)

// keyModulo names turns of the whole puzzle, under which states are equal.
const keyModulo = "modulo"

// allRotations stands for all rotations that a definition names.
const allRotations = "rotations"

// readModulo reads the turns of the whole puzzle, and lets each move be followed by the
// one that keeps a piece in its place.
func (g *moveReader) readModulo(s *source.File) *puzzle.InputError {
	v, ok := s.Value(keyModulo)
	if !ok {
		return nil
	}
	if len(g.blocked) > 0 {
		return v.Faultf("modulo does not work with blocked pieces: a turn of the whole puzzle would change where they are blocked")
	}
	var generators []move
	var names []string
	words := v.Fields()
	if v.Text == allRotations {
		words = nil
		for _, name := range g.others {
			if definition.IsRotation(name) {
				w := v
				w.Text = name
				words = append(words, w)
			}
		}
		if len(words) == 0 {
			return v.Faultf("the definition names no rotations: name the turns of the whole puzzle, as in modulo: x y")
		}
	}
	for _, w := range words {
		t, ok := g.resolve(w.Text)
		if !ok {
			return w.Faultf("%s is not defined: write a line such as alias %s: (1 2 3 4)", w.Text, w.Text)
		}
		generators, names = append(generators, t), append(names, w.Text)
	}
	var what string
	turns := strings.Join(names, " ")
	solved := structure.Arrangement{Pieces: g.solved.pieces, Orients: g.solved.orients}
	if g.turns, what = whole.New(g.moduli, g.ways, solved, g.moves, generators, names); what != "" {
		return v.Faultf("%s", what)
	}
	names, moves := g.names, g.moves
	g.modulo, g.names, g.moves = turns, nil, nil
	for i, m := range moves {
		g.addTurn(names[i], g.turns.Reduce(m))
	}
	if len(g.moves) == 0 {
		return v.Faultf("every move is a turn of the whole puzzle, so no moves are left")
	}
	g.loose = &loose{g.turns, moves, g.moduli}
	return nil
}

// loose is a puzzle in which no piece is held: the moves as they were defined.
type loose struct {
	turns  *whole.Turns
	moves  []move
	moduli []uint8
}
