package rushhour

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Format draws a state as Draw does, so that moves and states name vehicles alike. In the
// types notation, with more vehicles than there are symbols, it has the symbols of the
// text.
func (g *game) Format(state []uint64) string {
	if g.drawsNames() {
		return g.Draw(state)
	}
	return string(draw(&g.board, g.placed(state)))
}

// drawsNames reports whether the name of each vehicle is one symbol.
func (g *game) drawsNames() bool {
	return !slices.ContainsFunc(g.tables().names, func(name string) bool { return len(name) > 1 })
}

// Draw draws a state with the names of the vehicles in moves, which in the types
// notation are not the symbols of the text.
func (g *game) Draw(state []uint64) string {
	vehicles := g.placed(state)
	for i, name := range g.tables().names {
		vehicles[i].symbol = name[len(name)-1]
	}
	return string(draw(&g.board, vehicles))
}

// placed returns the vehicles at their places in a state.
func (g *game) placed(state []uint64) []vehicle {
	t := g.tables()
	vehicles := slices.Clone(g.vehicles)
	for n := range g.lines {
		l, s := &g.lines[n], t.shapes[n]
		rank := int(l.get(state))
		for i, v := range l.vehicles {
			start := l.first + int(s.starts[rank*len(s.lengths)+i])
			if l.vertical {
				vehicles[v].row = start
			} else {
				vehicles[v].col = start
			}
		}
	}
	return vehicles
}

// Parse reads a state of this puzzle. Vehicles are identified by their lines and their
// order, so their letters may differ from the puzzle's. A text that Format writes is that
// state, also where it could be read in the types notation.
func (g *game) Parse(text string) ([]uint64, error) {
	if g.notation == notationTypes && g.drawsNames() {
		if d, fault := g.drawnState(text, notationLetters); fault == nil {
			if key, fault := g.keyOf(d); fault == nil && g.Draw(key) == string(draw(&d.board, d.vehicles)) {
				return key, nil
			}
		}
	}
	d, fault := g.drawnState(text, g.notation)
	if fault != nil {
		if d, fault = g.drawnState(text, notationAny); fault != nil {
			return nil, fault
		}
	}
	key, fault := g.keyOf(d)
	if fault != nil {
		return nil, fault
	}
	return key, nil
}

// drawnState reads the only board of a text in a notation.
func (g *game) drawnState(text string, n notation) (*drawn, *puzzle.InputError) {
	var state *drawn
	r := reader{notation: n, inHead: true}
	r.file.size = &boardSize{g.rows, g.cols}
	r.file.exit, r.file.exitKnown = g.exit, true
	r.yield = func(d *drawn, _ puzzle.Expect) *puzzle.InputError {
		if state != nil {
			return faultAt(d.first(), "a second board: a state is one board")
		}
		state = d
		dir := r.directions()
		if fault := dir.check(d); fault != nil {
			return fault
		}
		g.turnSingles(d, dir)
		return nil
	}
	if fault := r.read([]byte(text)); fault != nil {
		return nil, fault
	}
	if state == nil {
		return nil, faultf("no board: the text is empty or has only headers and comments")
	}
	return state, nil
}

// turnSingles gives single-cell vehicles the directions of the puzzle's vehicles with
// the same letters, unless a header gives one.
func (g *game) turnSingles(d *drawn, dir *directions) {
	if d.notation == notationTypes {
		return
	}
	for i, v := range d.vehicles {
		if v.length > 1 {
			continue
		}
		d.vehicles[i].vertical = dir.singleVertical(v.symbol, false)
		if _, said := dir.horizontal[v.symbol]; said {
			continue
		}
		for j, own := range g.vehicles {
			if own.length == 1 && g.tables().names[j] == string(v.symbol) {
				d.vehicles[i].vertical = own.vertical
			}
		}
	}
}

// keyOf returns the key of a drawn board, if it is a placement of this puzzle.
func (g *game) keyOf(d *drawn) ([]uint64, *puzzle.InputError) {
	if d.rows != g.rows || d.cols != g.cols {
		return nil, faultf("a board of %dx%d, but the puzzle has %dx%d", d.rows, d.cols, g.rows, g.cols)
	}
	for cell, wall := range d.walls {
		if wall != g.walls[cell] {
			has, hasNot := "no wall", "one"
			if wall {
				has, hasNot = "a wall", "none"
			}
			return nil, faultf("row %d, column %d has %s, but the puzzle has %s", cell/g.cols+1, cell%g.cols+1, has, hasNot)
		}
	}
	lines := linesOf(&d.board)
	if fault := g.compareLines(d, lines); fault != nil {
		return nil, fault
	}
	key := make([]uint64, g.layout.Words())
	for n := range lines {
		g.lines[n].put(key, lines[n].rank(d.vehicles))
	}
	if goal := d.goal; goal >= 0 && lines[g.goalLine].vehicles[g.goalAt] != goal {
		return nil, faultAt(d.places[goal], "%c is the goal vehicle here, but not in the puzzle", d.vehicles[goal].symbol)
	}
	return key, nil
}

// compareLines reports where the lines of a drawn board contain other vehicles than
// the puzzle's. Both have the same walls.
func (g *game) compareLines(d *drawn, lines []line) *puzzle.InputError {
	for i, j := 0, 0; i < len(lines) || j < len(g.lines); i, j = i+1, j+1 {
		switch {
		case j == len(g.lines) || i < len(lines) && lines[i].before(&g.lines[j]):
			l := &lines[i]
			return faultAt(d.places[l.vehicles[0]], "%s has %s, but the puzzle has none", l, lengthsOf(l, d.vehicles))
		case i == len(lines) || g.lines[j].before(&lines[i]):
			l := &g.lines[j]
			return faultf("%s has no %s vehicle, but the puzzle has %s", l, directionName(l.vertical), lengthsOf(l, g.vehicles))
		}
		here, there := lengthsOf(&lines[i], d.vehicles), lengthsOf(&g.lines[j], g.vehicles)
		if here != there {
			return faultAt(d.places[lines[i].vehicles[0]], "%s has %s, but the puzzle has %s", &lines[i], here, there)
		}
	}
	return nil
}

// before reports whether a line comes before another in the order of lines.
func (l *line) before(other *line) bool {
	if l.vertical != other.vertical {
		return other.vertical
	}
	if l.index != other.index {
		return l.index < other.index
	}
	return l.first < other.first
}

// String names the line for people.
func (l *line) String() string {
	if l.vertical {
		return fmt.Sprintf("column %d", l.index+1)
	}
	return fmt.Sprintf("row %d", l.index+1)
}

// lengthsOf describes the vehicles of a line.
func lengthsOf(l *line, vehicles []vehicle) string {
	text := "a vehicle of length "
	if len(l.vehicles) > 1 {
		text = "vehicles of lengths "
	}
	for i, v := range l.vehicles {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(vehicles[v].length)
	}
	return text
}
