package blocks

import "github.com/everystate/everystate/puzzle"

// A Want is a place that the goal names, and where the pieces are that may take
// it. Places are those of a piece's first cell.
type Want struct {
	To   puzzle.Cell
	From []puzzle.Cell
}

// WantsOf returns what the goal of a puzzle of this family asks of a state. No
// piece takes two places.
func WantsOf(p puzzle.Puzzle, state []uint64) ([]Want, bool) {
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
