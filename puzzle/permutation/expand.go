package permutation

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/definition"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// metricMove counts each move that the file lists as one; metricHalf each multiple of
// it; metricQuart only the move and its inverse.
const metricMove = "move"

// choose restricts the moves to a list. The others remain as aliases.
func (g *moveReader) choose(list boardfile.Piece) *puzzle.InputError {
	steps, fault := definition.ParseSteps(list.Fields(), g.prefix)
	if fault != nil {
		return fault
	}
	var chosen []string
	for _, s := range steps {
		t, ok := g.resolve(s.Name.Text)
		if !ok {
			return s.Name.Faultf("unknown move %s; the moves are %s", boardfile.Quote(s.Name.Text), strings.Join(g.bases, " "))
		}
		stem, times := s.Name.Text, s.Amount
		if _, exact := g.known[stem]; !exact {
			stem, times = definition.Numbered(stem)
			times *= s.Amount
		}
		name := stem
		if t = t.Power(s.Amount, g.moduli); times != 1 {
			order, fault := g.order(s.Name, g.known[stem])
			if fault != nil {
				return fault
			}
			name = definition.Multiple(stem, times, order)
		}
		if t.Equal(structure.Still(len(t.From))) {
			return s.Name.Faultf("move %s moves nothing", name)
		}
		if slices.Contains(chosen, name) {
			return s.Name.Faultf("move %s is listed twice", name)
		}
		if g.idle(t, chosen) != "" {
			continue // another name of a move that is chosen
		}
		g.known[name] = t
		chosen = append(chosen, name)
	}
	if len(chosen) == 0 {
		return list.Faultf("no moves: the moves are %s", strings.Join(g.bases, " "))
	}
	for _, name := range g.bases {
		if !slices.Contains(chosen, name) {
			g.others = append(g.others, name)
		}
	}
	g.bases = chosen
	g.others = slices.DeleteFunc(g.others, func(name string) bool { return slices.Contains(chosen, name) })
	return nil
}

// order returns how many repetitions of a move change nothing.
func (g *moveReader) order(at boardfile.Piece, t move) (int, *puzzle.InputError) {
	still, u := structure.Still(len(t.From)), t
	for n := 1; n <= movesMax; n++ {
		if u.Equal(still) {
			return n, nil
		}
		u = u.Then(t, g.moduli)
	}
	return 0, at.Faultf("more than %d multiples of one move: choose the metric %s or %s", movesMax, metricQuart, metricMove)
}

// expand makes moves of what the file lists, as the metric counts them. A turn that
// does nothing, or the same as an earlier one, is left out.
func (g *moveReader) expand(metric string) *puzzle.InputError {
	for _, name := range g.bases {
		t := g.known[name]
		if metric == metricMove {
			g.addTurn(name, t)
			continue
		}
		order, fault := g.order(boardfile.Piece{}, t)
		if fault != nil && metric == metricQuart {
			g.addTurn(name, t)
			g.addTurn(name+"'", t.Inverse(g.moduli))
			continue
		}
		if fault != nil {
			return fault
		}
		// Name a multiple of a multiple as a multiple of the move itself.
		stem, times := definition.Numbered(strings.TrimRight(name, "'"))
		if strings.HasSuffix(name, "'") {
			times = -times
		}
		whole := order
		if base, ok := g.known[stem]; ok && times != 1 && base.Power(times, g.moduli).Equal(t) {
			if whole, fault = g.order(boardfile.Piece{}, base); fault != nil {
				return fault
			}
		} else {
			stem, times = name, 1
		}
		u := t
		for n := 1; n < order; n++ {
			if metric == metricHalf || n == 1 || n == order-1 {
				g.addTurn(definition.Multiple(stem, n*times, whole), u)
			}
			u = u.Then(t, g.moduli)
		}
		if len(g.moves) > movesMax {
			return boardfile.Piece{}.Faultf("more than %d moves: choose the metric %s or %s", movesMax, metricQuart, metricMove)
		}
	}
	if len(g.moves) == 0 {
		return boardfile.Piece{}.Faultf("no move moves anything")
	}
	return nil
}

// addTurn adds a move unless it does nothing or exists already.
func (g *moveReader) addTurn(name string, t move) {
	if t.Equal(structure.Still(len(t.From))) || slices.ContainsFunc(g.moves, t.Equal) {
		return
	}
	for slices.Contains(g.names, name) {
		name += "_"
	}
	g.names, g.moves = append(g.names, name), append(g.moves, t)
}
