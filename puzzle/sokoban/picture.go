package sokoban

import "github.com/everystate/everystate/puzzle"

// Picture draws a state.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	var boxes cellSet
	man, _ := g.decode(state, &boxes)
	p := &puzzle.Picture{Rows: len(g.walls), Cols: g.cols}
	p.Ground = make([]puzzle.Ground, p.Rows*p.Cols)
	for i := range p.Ground {
		p.Ground[i] = puzzle.GroundNone
		if row := g.walls[i/p.Cols]; i%p.Cols < len(row) && row[i%p.Cols] == wall {
			p.Ground[i] = puzzle.GroundWall
		}
	}
	for c, at := range g.places {
		ground := &p.Ground[at.Row*p.Cols+at.Col]
		*ground = puzzle.GroundFloor
		if g.targets.has(c) {
			*ground = puzzle.GroundTarget
		}
		if boxes.has(c) {
			p.Pieces = append(p.Pieces, puzzle.Piece{Kind: puzzle.PieceBox, Cells: []puzzle.Cell{at}, Goal: true})
		}
	}
	p.Pieces = append(p.Pieces, puzzle.Piece{Kind: puzzle.PiecePlayer, Cells: []puzzle.Cell{g.places[man]}, Colour: 1})
	return p
}
