package permutation

import (
	"strconv"

	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/definition"
)

// definer is a notation that knows the definition of its puzzle.
type definer interface {
	definition(format string) (text, what string, ok bool)
}

// Definition writes the definition in one of the family's formats.
func (g *game) Definition(format string) (text, what string, ok bool) {
	if n, is := g.notation.(definer); is {
		return n.definition(format)
	}
	return "", "this puzzle has its own notation, and no definition of moves", false
}

func (g *moveReader) definition(format string) (text, what string, ok bool) {
	switch format {
	case notationMoves:
		return g.text(g.metric), "", true
	case notationTws, notationKPuzzle:
	default:
		return "", "format " + boardfile.Quote(format) + " is unknown: must be moves, tws or kpuzzle", false
	}
	if len(g.goals) > 1 {
		return "", "the formats of other programs have one solved state, and this puzzle has several", false
	}
	d, what := g.toDefinition(format == notationTws)
	if what != "" {
		return "", what, false
	}
	if format == notationTws {
		return d.Text(), "", true
	}
	if len(d.Blocked) > 0 {
		return "", "kpuzzle has no blocked pieces: write it as tws", false
	}
	return d.JSON(), "", true
}

// toDefinition returns the definition for other programs, or in what the feature they
// cannot express. Aliases are left out, except turns of the whole puzzle; modulo these, the
// moves are those that hold a piece.
func (g *moveReader) toDefinition(tws bool) (d *definition.Definition, what string) {
	d = &definition.Definition{Name: g.name}
	goal := g.solved
	if len(g.goals) > 0 {
		goal = g.goals[0]
	}
	for i, s := range g.sets {
		modulus := g.moduli[s.first]
		name := s.name
		if name == "" {
			name = "PIECES"
		}
		d.Sets = append(d.Sets, definition.Set{Name: name, First: s.first, Places: s.places, Orientations: int(modulus)})
		for place := s.first; place < s.first+s.places; place++ {
			if g.moduli[place] != modulus {
				return nil, "the places of set " + name + " differ in their orientations: split it into sets whose places agree"
			}
			piece := goal.pieces[place]
			ways := g.ways[piece]
			if tws && ways != 1 && ways != modulus {
				return nil, "tws cannot express orientations that are only partly distinguishable: write it as kpuzzle"
			}
			d.Solved = append(d.Solved, definition.Piece{Number: g.number(i, piece), Turn: int(goal.orients[place]), Modulus: int(ways)})
		}
	}
	for _, b := range g.blocked {
		d.Blocked = append(d.Blocked, definition.Blocked{Place: int(b.place), Number: g.number(g.of[b.piece], b.piece)})
	}
	add := func(name string) definition.Move {
		t := g.known[name]
		if g.turns != nil {
			t = g.turns.Reduce(t)
		}
		return definition.Move{Name: boardfile.Piece{Text: name}, From: t.From, By: t.By}
	}
	for _, name := range g.bases {
		d.Moves = append(d.Moves, add(name))
	}
	for _, name := range g.others {
		if definition.IsRotation(name) && g.turns == nil {
			d.Words = append(d.Words, add(name))
		}
	}
	return d, ""
}

// number returns the number of a piece within its set: its label if all labels of the
// set are numbers, otherwise its index from 1.
func (g *moveReader) number(set int, piece uint8) int {
	labels := g.labelsOf(set)
	for _, label := range labels {
		if n, err := strconv.Atoi(label); err != nil || n < 1 || n >= definition.Unknown || strconv.Itoa(n) != label {
			for i, label := range labels {
				if label == g.labels[piece] {
					return i + 1
				}
			}
		}
	}
	n, err := strconv.Atoi(g.labels[piece])
	if err != nil {
		return 0 // cannot happen: the label is a number
	}
	return n
}
