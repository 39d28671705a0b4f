package models

import (
	"fmt"
	"slices"
	"strings"
)

// Vehicles is a Rush Hour board. The state is the place of each vehicle along its
// line; a move checks only the vehicles that could be in its way.
type Vehicles struct {
	rows, cols int
	open       []bool // cells that are not walls, row by row
	vehicles   []vehicle
}

// A vehicle is a straight row of cells. Its place along its line is the column of its
// first cell, or the row if it is upright.
type vehicle struct {
	letter  byte
	upright bool
	line    int // its row, or its column if it is upright
	length  int
	at      int
	lo, hi  int // where it can ever be
}

// ReadVehicles reads a board in which every vehicle has its own letter, x or # are
// walls and . o - _ are empty cells.
func ReadVehicles(text string) (*Vehicles, error) {
	rows := strings.Split(text, "\n")
	v := &Vehicles{rows: len(rows), cols: len(rows[0])}
	cells := map[byte][][2]int{}
	var order []byte
	for r, row := range rows {
		if len(row) != v.cols {
			return nil, fmt.Errorf("%w: row %d has %d cells where the rows above have %d", ErrNoModel, r+1, len(row), v.cols)
		}
		for c := range len(row) {
			letter := row[c]
			v.open = append(v.open, letter != 'x' && letter != '#')
			if strings.IndexByte("x#.o-_", letter) >= 0 {
				continue
			}
			if cells[letter] == nil {
				order = append(order, letter)
			}
			cells[letter] = append(cells[letter], [2]int{r, c})
		}
	}
	for _, letter := range order {
		one, err := vehicleOf(letter, cells[letter])
		if err != nil {
			return nil, err
		}
		v.vehicles = append(v.vehicles, one)
	}
	v.findRoom()
	return v, nil
}

// vehicleOf makes a vehicle from its cells, in row order.
func vehicleOf(letter byte, cells [][2]int) (vehicle, error) {
	first := cells[0]
	if len(cells) == 1 {
		return vehicle{}, fmt.Errorf("%w: vehicle %c has a single cell, so its direction is unknown", ErrNoModel, letter)
	}
	one := vehicle{letter: letter, line: first[0], at: first[1], length: len(cells), upright: cells[1][0] != first[0]}
	if one.upright {
		one.line, one.at = first[1], first[0]
	}
	for i, cell := range cells {
		if one.cell(one.at+i) != cell {
			return vehicle{}, fmt.Errorf("%w: the cells of vehicle %c are not in a straight line", ErrNoModel, letter)
		}
	}
	return one, nil
}

// cell returns the cell at a place along the vehicle's line.
func (v *vehicle) cell(at int) [2]int {
	if v.upright {
		return [2]int{at, v.line}
	}
	return [2]int{v.line, at}
}

// isOpen reports whether a cell is on the board and not a wall.
func (v *Vehicles) isOpen(cell [2]int) bool {
	r, c := cell[0], cell[1]
	return r >= 0 && r < v.rows && c >= 0 && c < v.cols && v.open[r*v.cols+c]
}

// findRoom finds how far each vehicle can ever go: to a wall, or to where the other
// vehicles on its line leave no more room. A vehicle with no room at all becomes a
// wall, as it is not part of the state.
func (v *Vehicles) findRoom() {
	for again := true; again; {
		again = false
		for i := range v.vehicles {
			one := &v.vehicles[i]
			one.lo, one.hi = v.room(one, -1), v.room(one, 1)
			if one.lo == one.hi {
				for k := range one.length {
					cell := one.cell(one.at + k)
					v.open[cell[0]*v.cols+cell[1]] = false
				}
				v.vehicles = slices.Delete(v.vehicles, i, i+1)
				again = true
				break
			}
		}
	}
}

// room returns the farthest place of a vehicle towards one end of its line, with the
// other vehicles on that side packed together.
func (v *Vehicles) room(one *vehicle, step int) int {
	place := v.farthest(one, step)
	if step > 0 {
		place -= one.length - 1
	}
	for i := range v.vehicles {
		if v.before(one, &v.vehicles[i], step) {
			place -= step * v.vehicles[i].length
		}
	}
	return place
}

// farthest returns the last open place of a vehicle's segment on one side.
func (v *Vehicles) farthest(one *vehicle, step int) int {
	end := one.at
	for v.isOpen(one.cell(end + step)) {
		end += step
	}
	return end
}

// before reports whether another vehicle is on the same line on the given side,
// without a wall between them.
func (v *Vehicles) before(one, other *vehicle, step int) bool {
	return other.upright == one.upright && other.line == one.line &&
		(other.at-one.at)*step > 0 && (other.at-v.farthest(one, step))*step <= 0
}

// neighbour returns the next vehicle on the same line on the given side, or nil.
func (v *Vehicles) neighbour(one *vehicle, step int) *vehicle {
	var next *vehicle
	for i := range v.vehicles {
		other := &v.vehicles[i]
		if v.before(one, other, step) && (next == nil || (other.at-next.at)*step < 0) {
			next = other
		}
	}
	return next
}

// syntax is how a language writes the operators of guards.
type syntax struct{ and, or string }

// group joins terms, in brackets if there are several.
func (syntax) group(with string, terms []string) string {
	if len(terms) > 1 {
		return "(" + strings.Join(terms, with) + ")"
	}
	return strings.Join(terms, "")
}

// guard returns the condition under which a vehicle can take a step: it is not at the
// end, its neighbour does not touch it, and no vehicle lies across the cell that it
// enters.
func (v *Vehicles) guard(one *vehicle, step int, in syntax) string {
	end, entered := fmt.Sprintf("%s > %d", one.name(), one.lo), -1
	if step > 0 {
		end, entered = fmt.Sprintf("%s < %d", one.name(), one.hi), one.length
	}
	terms := []string{end}
	if other := v.neighbour(one, step); other != nil {
		left, right := other, one
		if step > 0 {
			left, right = one, other
		}
		terms = append(terms, fmt.Sprintf("%s + %d != %s", left.name(), left.length, right.name()))
	}
	for at := one.lo; at <= one.hi; at++ {
		if at+step < one.lo || at+step > one.hi {
			continue
		}
		elsewhere := fmt.Sprintf("%s != %d", one.name(), at)
		switch condition, ever := v.clear(one, at+entered, in); {
		case !ever:
			terms = append(terms, elsewhere)
		case condition != "":
			terms = append(terms, "("+elsewhere+in.or+condition+")")
		}
	}
	return strings.Join(terms, in.and)
}

// clear returns the condition under which no vehicle lies across a cell of a
// vehicle's line: empty if none ever does. ever is false if one always does, having
// so little room.
func (v *Vehicles) clear(one *vehicle, cell int, in syntax) (condition string, ever bool) {
	var terms []string
	for i := range v.vehicles {
		other := &v.vehicles[i]
		// It lies there when its place is from lo to hi.
		lo, hi := max(other.lo, one.line-other.length+1), min(other.hi, one.line)
		if other.upright == one.upright || other.line != cell || lo > hi {
			continue
		}
		var sides []string
		if lo > other.lo {
			sides = append(sides, fmt.Sprintf("%s < %d", other.name(), lo))
		}
		if hi < other.hi {
			sides = append(sides, fmt.Sprintf("%s > %d", other.name(), hi))
		}
		if len(sides) == 0 {
			return "", false
		}
		terms = append(terms, in.group(in.or, sides))
	}
	return in.group(in.and, terms), true
}

// name returns the vehicle's variable.
func (v *vehicle) name() string { return "at" + string(v.letter) }

// Promela returns the board for Spin: a byte per vehicle.
func (v *Vehicles) Promela(name string) string {
	var m strings.Builder
	fmt.Fprintf(&m, "/* Rush Hour: %s. A vehicle is at its first column or, if it is upright, row. */\n\n", name)
	for _, one := range v.vehicles {
		fmt.Fprintf(&m, "byte %s = %d;\n", one.name(), one.at)
	}
	m.WriteString("\nactive proctype board() {\n\tdo\n")
	v.moves(func(one *vehicle, step int) {
		fmt.Fprintf(&m, "\t:: d_step { %s -> %s = %s %s }\n", v.guard(one, step, syntax{" && ", " || "}), one.name(), one.name(), signed(step))
	})
	m.WriteString("\tod\n}\n")
	return m.String()
}

// Murphi returns the board for Rumur: a range per vehicle.
func (v *Vehicles) Murphi(name string) string {
	var m strings.Builder
	fmt.Fprintf(&m, "-- Rush Hour: %s. A vehicle is at its first column or, if it is upright, row.\n\nvar\n", name)
	for _, one := range v.vehicles {
		fmt.Fprintf(&m, "  %s: %d..%d;\n", one.name(), one.lo, one.hi)
	}
	m.WriteString("\nstartstate begin\n")
	for _, one := range v.vehicles {
		fmt.Fprintf(&m, "  %s := %d;\n", one.name(), one.at)
	}
	m.WriteString("end;\n")
	v.moves(func(one *vehicle, step int) {
		fmt.Fprintf(&m, "\nrule \"%c%+d\" %s ==> begin %s := %s %s; end;\n",
			one.letter, step, v.guard(one, step, syntax{" & ", " | "}), one.name(), one.name(), signed(step))
	})
	return m.String()
}

// moves calls f for each direction of each vehicle.
func (v *Vehicles) moves(f func(one *vehicle, step int)) {
	for i := range v.vehicles {
		for _, step := range []int{-1, 1} {
			f(&v.vehicles[i], step)
		}
	}
}
