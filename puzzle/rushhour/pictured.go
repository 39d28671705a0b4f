package rushhour

import "github.com/everystate/everystate/puzzle"

// Picture draws a state as vehicles on the board, in the order of their lines: the
// order of setup.vehicles depends on the notation.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	names := g.tables().names
	pic := &puzzle.Picture{Rows: g.rows, Cols: g.cols, Ground: make([]puzzle.Ground, g.rows*g.cols)}
	for cell, wall := range g.walls {
		if wall {
			pic.Ground[cell] = puzzle.GroundWall
		}
	}
	vehicles := g.placed(state)
	for n := range g.lines {
		for _, i := range g.lines[n].vehicles {
			piece := puzzle.Piece{Kind: puzzle.PieceVehicle, Label: names[i], Colour: len(pic.Pieces), Goal: i == g.goal}
			for at := range vehicles[i].length {
				piece.Cells = append(piece.Cells, vehicles[i].cell(at))
			}
			pic.Pieces = append(pic.Pieces, piece)
		}
	}
	pic.Exit = []puzzle.Cell{g.exitCell()}
	return pic
}

// cell returns the n-th cell of a vehicle, from its left or top end.
func (v vehicle) cell(n int) puzzle.Cell {
	if v.vertical {
		return puzzle.Cell{Row: v.row + n, Col: v.col}
	}
	return puzzle.Cell{Row: v.row, Col: v.col + n}
}

// exitCell returns the cell of the goal vehicle's row or column at the exit.
func (g *game) exitCell() puzzle.Cell {
	cell := g.vehicles[g.goal].cell(0)
	switch g.exit {
	case sideLeft:
		cell.Col = 0
	case sideRight:
		cell.Col = g.cols - 1
	case sideTop:
		cell.Row = 0
	case sideBottom:
		cell.Row = g.rows - 1
	}
	return cell
}
