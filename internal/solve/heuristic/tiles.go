package heuristic

import (
	"errors"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/tiles"
)

const cellsMax = 16

// sliding is Manhattan distance, with or without linear conflicts. If a move can
// shift several tiles, each move is assumed to shift the most possible.
type sliding struct {
	grid      tiles.Grid
	conflicts bool

	distance [cellsMax][cellsMax]int32 // by tile and cell
	row, col [cellsMax]int8            // of each tile in the goal
}

func newManhattan(b *puzzle.Board) (solve.Heuristic, error) { return newSliding(b, false) }

func newLinearConflict(b *puzzle.Board) (solve.Heuristic, error) { return newSliding(b, true) }

func newSliding(b *puzzle.Board, conflicts bool) (solve.Heuristic, error) {
	grid, ok := tiles.GridOf(b.Puzzle)
	switch {
	case !ok:
		return nil, errors.New("an abstraction of tiles has no such heuristic")
	case conflicts && grid.Together > 1:
		return nil, errors.New("linear conflicts are for the metric tile; manhattan is for both")
	}
	s := &sliding{grid: grid, conflicts: conflicts}
	for at, tile := range grid.Goal {
		s.row[tile], s.col[tile] = int8(at/grid.Cols), int8(at%grid.Cols)
		for cell := range grid.Goal {
			s.distance[tile][cell] = int32(apart(at/grid.Cols, cell/grid.Cols) + apart(at%grid.Cols, cell%grid.Cols))
		}
	}
	return s, nil
}

func apart(a, b int) int {
	if a > b {
		return a - b
	}
	return b - a
}

func (s *sliding) Estimate(states []uint64, h []int32) {
	var cells [cellsMax]uint8
	for i := range h {
		s.grid.Arrangement(states[i], cells[:])
		h[i] = s.estimate(cells[:len(s.grid.Goal)])
	}
}

func (s *sliding) estimate(cells []uint8) int32 {
	sum := int32(0)
	for cell, tile := range cells {
		if tile != 0 {
			sum += s.distance[tile][cell]
		}
	}
	if together := int32(s.grid.Together); together > 1 {
		return (sum + together - 1) / together
	}
	if !s.conflicts {
		return sum
	}
	var line [cellsMax]int8
	for row := range s.grid.Rows {
		n := 0
		for _, tile := range cells[row*s.grid.Cols : (row+1)*s.grid.Cols] {
			if tile != 0 && int(s.row[tile]) == row {
				line[n] = s.col[tile]
				n++
			}
		}
		sum += 2 * outOfOrder(line[:n])
	}
	for col := range s.grid.Cols {
		n := 0
		for cell := col; cell < len(cells); cell += s.grid.Cols {
			if tile := cells[cell]; tile != 0 && int(s.col[tile]) == col {
				line[n] = s.row[tile]
				n++
			}
		}
		sum += 2 * outOfOrder(line[:n])
	}
	return sum
}

// outOfOrder returns how many tiles have to leave their line so that the rest are in
// order. Each needs a move out of the line and one back.
func outOfOrder(line []int8) int32 {
	var longest [cellsMax]int32 // of the rising sequences that end at a tile
	most := int32(0)
	for i, tile := range line {
		longest[i] = 1
		for j, before := range line[:i] {
			if before < tile {
				longest[i] = max(longest[i], longest[j]+1)
			}
		}
		most = max(most, longest[i])
	}
	return int32(len(line)) - most
}
