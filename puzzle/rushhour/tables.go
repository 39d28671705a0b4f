package rushhour

import (
	"strconv"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour/narrow"
)

// tables holds what moves are generated from.
type tables struct {
	shapes []*shape // by line
	moves  []moveInfo
	backs  []puzzle.Move // backs[m] is the inverse of move m
	names  []string      // by vehicle
	goals  []bool        // by rank of the goal vehicle's line

	// weights[i][p] is the term of vehicle i in a rank, with p free cells before it.
	weights [sideMax][sideMax + 1]uint64

	// successorsMax bounds the successors of one state.
	successorsMax int

	narrow *narrow.Board // nil if the board or its keys are too wide
}

// moveInfo describes the move of an id.
type moveInfo struct {
	line    uint16
	vehicle uint8 // in its line
	steps   int8  // cells to the right or down; negative: left or up
}

// numberMoves assigns each line its move ids and returns how many there are: by line,
// then by vehicle along the line, left or up before right or down, then by distance.
// There are at most 2*15 for each of 256 vehicles, fewer than puzzle.MovesMax.
func (g *game) numberMoves() int {
	moves := 0
	for i := range g.lines {
		l := &g.lines[i]
		l.move = moves
		l.movesEach = 2 * l.distanceMax(g.metric)
		moves += l.movesEach * len(l.vehicles)
	}
	return moves
}

// distanceMax returns the greatest distance of one move in a line.
func (l *line) distanceMax(m metric) int {
	if m == metricStep {
		return min(1, l.free)
	}
	return l.free
}

// tables returns the tables, built by the first call.
func (g *game) tables() *tables {
	g.once.Do(g.build)
	return &g.built
}

func (g *game) build() {
	t := &g.built
	for i := range t.weights {
		for p := range t.weights[i] {
			if p+i <= sideMax {
				t.weights[i][p] = uint64(choose(p+i, i+1))
			}
		}
	}
	t.shapes = g.shapes()
	for n := range g.lines {
		l := &g.lines[n]
		distance := l.distanceMax(g.metric)
		t.successorsMax += 2 * min(l.free, len(l.vehicles)*distance)
		for i := range l.vehicles {
			for id := range l.movesEach {
				steps := id - distance + 1
				if id < distance {
					steps = -(id + 1)
				}
				t.backs = append(t.backs, puzzle.Move(len(t.moves)-id+(id+distance)%l.movesEach))
				t.moves = append(t.moves, moveInfo{uint16(n), uint8(i), int8(steps)})
			}
		}
	}
	t.names = vehicleNames(g.setup)
	goal := t.shapes[g.goalLine]
	k := len(goal.lengths)
	for rank := range goal.masks {
		t.goals = append(t.goals, int(goal.starts[rank*k+g.goalAt]) == g.goalStart)
	}
	t.narrow = g.newNarrow(t)
}

// shapes returns the table of placements of every line.
func (g *game) shapes() []*shape {
	known := map[string]*shape{}
	shapes := make([]*shape, len(g.lines))
	for n := range g.lines {
		l := &g.lines[n]
		name := []byte{byte(l.cells)}
		for _, v := range l.vehicles {
			name = append(name, byte(g.vehicles[v].length))
		}
		s := known[string(name)]
		if s == nil {
			s = newShape(l, g.vehicles)
			known[string(name)] = s
		}
		shapes[n] = s
	}
	return shapes
}

// FormatMove names a move by vehicle, direction and distance: + is right or down, - is
// left or up.
func (g *game) FormatMove(move puzzle.Move) string {
	t := g.tables()
	if int(move) >= len(t.moves) {
		return "no move " + strconv.Itoa(int(move))
	}
	m := t.moves[move]
	name := t.names[g.lines[m.line].vehicles[m.vehicle]]
	if m.steps > 0 {
		return name + "+" + strconv.Itoa(int(m.steps))
	}
	return name + strconv.Itoa(int(m.steps))
}
