package tiles

import "github.com/everystate/everystate/puzzle"

// A Grid describes a puzzle of this family for code that works with tiles.
type Grid struct {
	Rows, Cols int
	Goal       []uint8 // row by row, 0 for the hole

	// Together is the number of tiles that one move may move, by one cell each.
	Together int

	shape shape
}

// GridOf returns the grid of a puzzle of this family, or false. A pattern has none.
func GridOf(p puzzle.Puzzle) (Grid, bool) {
	g, ok := p.(*game)
	if !ok {
		return Grid{}, false
	}
	grid := Grid{Rows: g.rows, Cols: g.cols, Goal: make([]uint8, g.cells()), Together: 1, shape: g.shape}
	if g.metric == metricLine {
		grid.Together = max(g.rows, g.cols) - 1
	}
	g.arrangement(g.goal, grid.Goal)
	return grid, true
}

// Arrangement writes the tiles of a state, row by row with 0 for the hole.
func (g *Grid) Arrangement(key uint64, dst []uint8) { g.shape.arrangement(key, dst) }
