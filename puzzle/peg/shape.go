package peg

import "fmt"

// Bounds of a board.
const (
	sideMax  = 26 // columns are letters
	holesMax = 64
)

// geometry determines which holes are neighbours.
type geometry uint8

const (
	geometryAny    geometry = iota // to be recognised
	geometrySquare                 // four neighbours
	geometryTri                    // six
)

func (g geometry) String() string {
	if g == geometryTri {
		return "peg-tri"
	}
	return "peg-square"
}

// cell is a position on the board, or a step between two.
type cell struct{ row, col int }

// axes returns the steps along the lines of the board, one per axis and all forwards
// in reading order.
func (g geometry) axes() []cell {
	if g == geometryTri {
		return []cell{{0, 1}, {1, 0}, {1, 1}}
	}
	return []cell{{0, 1}, {1, 0}}
}

// shape is a board without pegs.
type shape struct {
	geometry   geometry
	rows, cols int
	holes      []cell       // in reading order
	index      map[cell]int // into holes
}

// add adds a hole, which must come after the others in reading order.
func (s *shape) add(at cell) {
	if s.index == nil {
		s.index = map[cell]int{}
	}
	s.index[at] = len(s.holes)
	s.holes = append(s.holes, at)
	s.rows, s.cols = max(s.rows, at.row+1), max(s.cols, at.col+1)
}

// hole returns the name of a hole.
func (s *shape) hole(i int) string {
	return fmt.Sprintf("%c%d", 'a'+s.holes[i].col, s.holes[i].row+1)
}

// jump is three holes in a line, as indexes.
type jump struct{ from, over, to int }

// axisJumps are the jumps along the lines of one axis. Forwards and backwards jumps
// use the same triples of holes, each in reading order.
type axisJumps struct {
	step    cell
	triples [][3]int
}

// jumps returns the jumps by axis.
func (s *shape) jumps() []axisJumps {
	var list []axisJumps
	for _, step := range s.geometry.axes() {
		a := axisJumps{step: step}
		for first, at := range s.holes {
			middle, ok := s.index[cell{at.row + step.row, at.col + step.col}]
			last, ok2 := s.index[cell{at.row + 2*step.row, at.col + 2*step.col}]
			if ok && ok2 {
				a.triples = append(a.triples, [3]int{first, middle, last})
			}
		}
		list = append(list, a)
	}
	return list
}
