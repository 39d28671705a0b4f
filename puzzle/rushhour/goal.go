package rushhour

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// setup turns a drawn board into a puzzle: it settles the directions of single-cell
// vehicles, the goal vehicle and the exit.
func (h *headers) setup(d *drawn) (*setup, *puzzle.InputError) {
	s := &setup{board: d.board, notation: d.notation}
	var fault *puzzle.InputError
	if s.goal, fault = h.chooseGoal(d); fault != nil {
		return nil, fault
	}
	if fault := h.turnSingles(s, d); fault != nil {
		return nil, fault
	}
	goal := s.vehicles[s.goal]
	s.exit = sideRight
	if goal.vertical {
		s.exit = sideBottom
	}
	if h.exitKnown {
		if h.exit.vertical() != goal.vertical {
			return nil, faultAt(h.exitAt, "exit %s is not on the line of goal vehicle %c, which is %s: its exit is %s",
				h.exit, goal.symbol, directionName(goal.vertical), exitsOf(goal.vertical))
		}
		if d.name == "pairs" && h.exit != sideRight {
			return nil, faultAt(h.exitAt, "the exit of the pairs notation is cell 20, at the right")
		}
		s.exit = h.exit
	}
	return s, nil
}

// exitsOf names the exits that a vehicle can reach.
func exitsOf(vertical bool) string {
	if vertical {
		return "top or bottom"
	}
	return "left or right"
}

// chooseGoal returns the index of the goal vehicle.
func (h *headers) chooseGoal(d *drawn) (int, *puzzle.InputError) {
	if h.goal != 0 {
		i := d.find(h.goal)
		switch {
		case d.goal >= 0 && i != d.goal && !(d.notation == notationTypes && h.goal == 'X'):
			return 0, faultAt(h.goalAt, "goal %c: in the %s notation the goal vehicle is %c", h.goal, d.name, d.vehicles[d.goal].symbol)
		case i < 0:
			return 0, faultAt(h.goalAt, "goal %c: there is no such vehicle; the board has %s", h.goal, d.symbols())
		}
		return i, nil
	}
	if d.goal >= 0 {
		return d.goal, nil
	}
	if i := d.find('X'); i >= 0 && (d.find('A') < 0 || !d.hasLateLetter()) {
		return i, nil
	}
	for _, symbol := range []byte("AR") {
		if i := d.find(symbol); i >= 0 {
			return i, nil
		}
	}
	return 0, faultAt(d.first(), "no goal vehicle: name it with a header \"goal:\", or call it X, A or R; the board has %s", d.symbols())
}

// first returns the position of the first vehicle, if there is one.
func (d *drawn) first() position {
	if len(d.places) == 0 {
		return position{}
	}
	return d.places[0]
}

// find returns the index of the first vehicle with the symbol, or -1.
func (d *drawn) find(symbol byte) int {
	for i, v := range d.vehicles {
		if v.symbol == symbol {
			return i
		}
	}
	return -1
}

// hasLateLetter reports whether a vehicle has one of the letters that boards with a
// goal vehicle X do not use: S to W, Y and Z.
func (d *drawn) hasLateLetter() bool {
	for _, v := range d.vehicles {
		if v.symbol >= 'S' && v.symbol <= 'Z' && v.symbol != 'X' {
			return true
		}
	}
	return false
}

// symbols lists the vehicles for an error.
func (d *drawn) symbols() string {
	if len(d.vehicles) == 0 {
		return "no vehicles"
	}
	var list strings.Builder
	list.WriteString("vehicles ")
	for _, v := range d.vehicles {
		if !strings.Contains(list.String()[len("vehicles "):], string(v.symbol)) {
			list.WriteByte(v.symbol)
		}
	}
	return list.String()
}

// turnSingles settles the directions of single-cell vehicles, and refuses headers that
// name other vehicles.
func (h *headers) turnSingles(s *setup, d *drawn) *puzzle.InputError {
	dir := directions{vertical: h.vertical, horizontal: h.horizontal, exit: h.exit, exitKnown: h.exitKnown}
	if fault := dir.check(d); fault != nil {
		return fault
	}
	if d.notation == notationTypes {
		return nil // the symbols give the directions
	}
	for i, v := range s.vehicles {
		if v.length == 1 {
			s.vehicles[i].vertical = dir.singleVertical(v.symbol, i == s.goal)
		}
	}
	return nil
}

// check refuses letters that name no vehicle, or one drawn in the other direction.
func (d *directions) check(board *drawn) *puzzle.InputError {
	for _, symbol := range []byte(allSymbols) {
		atVertical, vertical := d.vertical[symbol]
		atHorizontal, horizontal := d.horizontal[symbol]
		if !vertical && !horizontal {
			continue
		}
		at, want := atHorizontal, false
		if vertical {
			at, want = atVertical, true
		}
		i := board.find(symbol)
		switch {
		case i < 0:
			return faultAt(at, "%c: there is no such vehicle; the board has %s", symbol, board.symbols())
		case vertical && horizontal:
			return faultAt(atHorizontal, "vehicle %c cannot be both vertical and horizontal", symbol)
		case board.notation == notationTypes && symbol != 'X':
			return faultAt(at, "in the types notation the symbol gives the direction of every vehicle but X")
		case board.vehicles[i].length > 1 && board.vehicles[i].vertical != want:
			return faultAt(at, "vehicle %c is %s: only single cells need a header for their direction", symbol, directionName(board.vehicles[i].vertical))
		}
	}
	return nil
}
