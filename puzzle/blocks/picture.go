package blocks

import "github.com/everystate/everystate/puzzle"

// Picture draws a state as blocks. Interchangeable pieces share a colour, and the
// cells of places that the goal names are targets. Moves name cells; the
// letters are those of Format.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	pic := &puzzle.Picture{Rows: g.rows, Cols: g.cols, Numbered: true, Ground: make([]puzzle.Ground, g.rows*g.cols)}
	for i, wall := range g.walls {
		if wall {
			pic.Ground[i] = puzzle.GroundWall
		}
	}
	for _, w := range g.goal {
		for _, c := range w.shape.at(w.first, g.cols) {
			pic.Ground[c.row*g.cols+c.col] = puzzle.GroundTarget
		}
	}
	text := g.Format(state)
	colours := map[piece]int{}
	for i, c := range g.classes {
		colours[c.kind] = i
	}
	for _, p := range g.piecesOf(state) {
		block := puzzle.Piece{Kind: puzzle.PieceBlock, Colour: colours[p.kind()], Goal: len(g.classes[colours[p.kind()]].wants) > 0}
		for _, c := range p.shape.at(p.first, g.cols) {
			block.Cells = append(block.Cells, puzzle.Cell{Row: c.row, Col: c.col})
		}
		block.Label = text[p.first/g.cols*(g.cols+1)+p.first%g.cols:][:1]
		pic.Pieces = append(pic.Pieces, block)
	}
	return pic
}
