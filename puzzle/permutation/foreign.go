package permutation

import (
	"cmp"
	"strconv"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/definition"
	"github.com/everystate/everystate/puzzle/permutation/source"
)

// placeholder is the name that one program gives to every definition it writes.
const placeholder = "PuzzleGeometryPuzzle"

// readForeign reads a definition in the format of another program.
func (g *moveReader) readForeign(s *source.File) *puzzle.InputError {
	d, fault := definition.Read(s.File)
	if fault != nil {
		return fault
	}
	if s.Board.Name == "" && d.Name != placeholder && boardfile.IsName(d.Name) {
		s.Board.Name = d.Name
	}
	goal := g.takeSets(d)
	g.known = map[string]move{}
	if fault := g.takeMoves(d); fault != nil {
		return fault
	}
	for _, b := range d.Blocked {
		label := strconv.Itoa(b.Number)
		piece := g.piece(g.setOf(b.Place), label)
		if piece >= 0 {
			g.blocked = append(g.blocked, block{uint8(b.Place), uint8(piece)})
		}
	}
	g.start, g.goals, g.solution = goal, []arrangement{goal}, goal
	return nil
}

// takeSets takes over the sets, and returns the solved state.
func (g *moveReader) takeSets(d *definition.Definition) (goal arrangement) {
	n := d.Places()
	g.solved, goal = newArrangement(n), newArrangement(n)
	g.moduli = make([]uint8, n)
	g.labelled.moduli = g.moduli
	for i, s := range d.Sets {
		g.sets = append(g.sets, set{s.Name, s.First, s.Places})
		for place := s.First; place < s.First+s.Places; place++ {
			p := d.Solved[place]
			piece := g.addPiece(i, strconv.Itoa(p.Number), uint8(p.Modulus))
			g.moduli[place] = uint8(s.Orientations)
			g.solved.pieces[place] = piece
			goal.pieces[place], goal.orients[place] = piece, uint8(p.Turn)
		}
	}
	return goal
}

// addPiece returns the piece with a label in a set, adding it if necessary.
func (g *moveReader) addPiece(set int, label string, ways uint8) uint8 {
	piece := g.piece(set, label)
	if piece < 0 {
		piece = len(g.labels)
		g.labels, g.of, g.ways = append(g.labels, label), append(g.of, set), append(g.ways, ways)
	}
	return uint8(piece)
}

// takeMoves takes over the moves defined by images and then, in as many rounds as
// necessary, those defined by other moves. A move that does the same as one before it, or
// nothing, becomes an alias: definitions of other programs have many second names.
func (g *moveReader) takeMoves(d *definition.Definition) *puzzle.InputError {
	left := 0
	names := make(map[string]bool)
	for _, list := range [][]definition.Move{d.Moves, d.Words} {
		for _, m := range list {
			names[m.Name.Text] = true
			if m.Steps == nil {
				g.known[m.Name.Text] = move{From: m.From, By: m.By}
			} else {
				left++
			}
		}
	}
	for left > 0 {
		var missing, circular *puzzle.InputError // the first of each
		unknown := func(name boardfile.Piece) *puzzle.InputError {
			stem, _ := definition.Numbered(name.Text)
			if names[name.Text] || names[stem] {
				circular = cmp.Or(circular, name.Faultf("move %s is defined in terms of itself", boardfile.Quote(name.Text)))
			} else {
				missing = cmp.Or(missing, name.Faultf("move %s is not defined", boardfile.Quote(name.Text)))
			}
			return cmp.Or(missing, circular)
		}
		before := left
		for _, list := range [][]definition.Move{d.Moves, d.Words} {
			for _, m := range list {
				if _, done := g.known[m.Name.Text]; done {
					continue
				}
				t, fault := g.perform(m.Steps, unknown)
				if fault == nil {
					g.known[m.Name.Text] = t
					left--
				}
			}
		}
		if left == before {
			return cmp.Or(missing, circular)
		}
	}
	for _, m := range d.Moves {
		if g.idle(g.known[m.Name.Text], g.bases) == "" {
			g.bases = append(g.bases, m.Name.Text)
		} else {
			g.others = append(g.others, m.Name.Text)
		}
	}
	for _, m := range d.Words {
		g.others = append(g.others, m.Name.Text)
	}
	return nil
}
