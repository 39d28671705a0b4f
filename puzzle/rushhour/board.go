package rushhour

// sideMax is the largest number of rows and of columns. A line of cells then
// fits a uint16 and a board fits four words.
const sideMax = 16

// side is the edge of the board at which the exit lies.
type side uint8

const (
	sideLeft side = iota
	sideRight
	sideTop
	sideBottom
)

func (s side) String() string {
	return [...]string{"left", "right", "top", "bottom"}[s]
}

// vertical reports whether a vehicle that leaves on this side is vertical.
func (s side) vertical() bool { return s >= sideTop }

// vehicle is a straight run of cells, given by its left or top end.
type vehicle struct {
	row, col int
	length   int
	vertical bool
	symbol   byte // as drawn in the board's notation
}

// start returns the index of the first cell along the vehicle's line.
func (v vehicle) start() int {
	if v.vertical {
		return v.row
	}
	return v.col
}

// board is a placement of vehicles, as a notation describes it, without a goal.
type board struct {
	rows, cols int
	walls      []bool // rows*cols, row by row
	vehicles   []vehicle
}

// wall reports whether the cell is a wall.
func (b *board) wall(row, col int) bool { return b.walls[row*b.cols+col] }

// setup is a board with everything that makes it a puzzle.
type setup struct {
	board
	goal     int // index into vehicles
	exit     side
	metric   metric
	notation notation // how states are drawn: letters, lettersExtended or types
}
