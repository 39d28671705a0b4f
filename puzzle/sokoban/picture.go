package sokoban

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Picture draws a state. The player is at its own cell in the start, and otherwise at
// the cell of the key, which for push is the first of its region.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	return g.picture(&boxes, g.shown(state, playerAt))
}

// PictureAfter draws a state with the player on the cell that the pushed box left.
func (g *game) PictureAfter(state []uint64, move puzzle.Move) *puzzle.Picture {
	if from, _, _, ok := g.pushOf(move); ok && g.metric == metricPush {
		var boxes cellSet
		g.decode(state, &boxes)
		return g.picture(&boxes, from)
	}
	return g.Picture(state)
}

// shown returns where to draw a player that may be anywhere in the region of a cell.
func (g *game) shown(state []uint64, playerAt int) int {
	if g.metric == metricPush && slices.Equal(state, g.starts) {
		return g.player
	}
	return playerAt
}

func (g *game) picture(boxes *cellSet, playerAt int) *puzzle.Picture {
	p := &puzzle.Picture{Rows: len(g.walls), Cols: g.cols, Numbered: g.metric != metricMove}
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
	p.Pieces = append(p.Pieces, puzzle.Piece{Kind: puzzle.PiecePlayer, Cells: []puzzle.Cell{g.places[playerAt]}, Colour: 1})
	return p
}
