package blocks

import "github.com/everystate/everystate/puzzle"

// A Want is a place that the goal names, with the positions of the pieces that may
// take it. Positions are those of a piece's first cell.
type Want struct {
	To   puzzle.Cell
	From []puzzle.Cell
}

// WantsOf returns the places that the goal of a puzzle of this family requires in a
// state. No piece takes two of them.
func WantsOf(p puzzle.Puzzle, state []uint64) ([]Want, bool) {
	if s, ok := p.(*shaped); ok {
		p = s.game
	}
	g, ok := p.(*game)
	if !ok {
		return nil, false
	}
	cell := func(first int) puzzle.Cell { return puzzle.Cell{Row: first / g.cols, Col: first % g.cols} }
	pieces := g.piecesOf(state)
	var wants []Want
	for _, w := range g.goal {
		want := Want{To: cell(w.first)}
		for _, p := range pieces {
			if p.kind() == w.kind() {
				want.From = append(want.From, cell(p.first))
			}
		}
		wants = append(wants, want)
	}
	return wants, true
}
