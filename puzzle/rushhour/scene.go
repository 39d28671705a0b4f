package rushhour

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A Scene is a state as vehicles on cells, for solvers that work with cells.
type Scene struct {
	Rows, Cols int
	Walls      []bool // row by row
	Vehicles   []SceneVehicle
	Goal       int // index of the goal vehicle
	GoalCell   int // its first cell when it touches the exit
}

// SceneVehicle is a vehicle of a scene.
type SceneVehicle struct {
	Name     string // as in FormatMove
	Cell     int    // its left or top end: row*Cols + column
	Length   int
	Vertical bool
}

// SceneOf returns a state as a scene, or false if the puzzle is of another family.
func SceneOf(p puzzle.Puzzle, state []uint64) (Scene, bool) {
	g, ok := p.(*game)
	if !ok {
		return Scene{}, false
	}
	s := Scene{Rows: g.rows, Cols: g.cols, Walls: slices.Clone(g.walls), Goal: g.goal}
	for i, v := range g.placed(state) {
		s.Vehicles = append(s.Vehicles, SceneVehicle{
			Name: g.tables().names[i], Cell: v.row*g.cols + v.col, Length: v.length, Vertical: v.vertical,
		})
	}
	goal := g.vehicles[g.goal]
	row, col := goal.row, goal.col
	switch g.exit {
	case sideLeft:
		col = 0
	case sideRight:
		col = g.cols - goal.length
	case sideTop:
		row = 0
	case sideBottom:
		row = g.rows - goal.length
	}
	s.GoalCell = row*g.cols + col
	return s, true
}
