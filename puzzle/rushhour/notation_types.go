package rushhour

import "github.com/everystate/everystate/puzzle"

// readTypes reads a picture with one symbol per kind of vehicle.
func readTypes(p *picture, dir *directions) (*drawn, *puzzle.InputError) {
	d := &drawn{
		board:    board{rows: p.rows, cols: p.cols, walls: make([]bool, len(p.cells))},
		notation: notationTypes, goal: -1, name: "types",
	}
	taken := make([]bool, len(p.cells))
	for row := range p.rows {
		for col := range p.cols {
			symbol := p.at(row, col)
			if taken[row*p.cols+col] || emptyCell(symbol) {
				continue
			}
			if wallCell(symbol) {
				d.walls[row*p.cols+col] = true
				continue
			}
			v, fault := typeVehicle(p, row, col, dir)
			if fault == nil && symbol == 'X' && d.goal >= 0 {
				fault = faultAt(p.place(row, col), "a second goal vehicle X: a board has only one")
			}
			if fault == nil {
				fault = take(p, v, taken)
			}
			if fault != nil {
				return nil, fault
			}
			if symbol == 'X' {
				d.goal = len(d.vehicles)
			}
			d.vehicles = append(d.vehicles, v)
			d.places = append(d.places, p.place(row, col))
		}
	}
	if d.goal < 0 {
		return nil, faultAt(p.place(0, 0), "no goal vehicle: the types notation calls it X")
	}
	return d, nil
}

// typeVehicle returns the vehicle of a symbol at its left or top end.
func typeVehicle(p *picture, row, col int, dir *directions) (vehicle, *puzzle.InputError) {
	symbol := p.at(row, col)
	v := vehicle{row: row, col: col, symbol: symbol}
	switch {
	case symbol == 'X':
		across, down := p.run(row, col, false), p.run(row, col, true)
		if across > 1 && down > 1 {
			return v, faultAt(p.place(row, col), "goal vehicle X is not straight: it extends right and down from here")
		}
		v.length = max(across, down)
		v.vertical = down > 1 || across == 1 && dir.singleVertical('X', true)
	case symbol >= '1' && symbol <= '9':
		v.length = int(symbol - '0')
	case symbol >= 'A' && symbol < 'A'+sideMax:
		v.length, v.vertical = int(symbol-'A')+1, true
	default:
		return v, badSymbol(p, row, col, "types", "digits 1-9 are horizontal vehicles, A-P vertical ones, X is the goal vehicle")
	}
	return v, nil
}

// take marks the cells of a vehicle, which must all show its symbol.
func take(p *picture, v vehicle, taken []bool) *puzzle.InputError {
	row, col := v.row, v.col
	for i := range v.length {
		if row >= p.rows || col >= p.cols || p.at(row, col) != v.symbol || taken[row*p.cols+col] {
			return faultAt(p.place(v.row, v.col), "%c is a %s vehicle of length %d, and only %d of its cells are here",
				v.symbol, directionName(v.vertical), v.length, i)
		}
		taken[row*p.cols+col] = true
		if v.vertical {
			row++
		} else {
			col++
		}
	}
	return nil
}

// directionName names a direction for people.
func directionName(vertical bool) string {
	if vertical {
		return "vertical"
	}
	return "horizontal"
}

// singleVertical reports whether a single-cell vehicle is vertical, according to a
// header or, for the goal vehicle, its exit.
func (d *directions) singleVertical(symbol byte, goal bool) bool {
	if _, ok := d.vertical[symbol]; ok {
		return true
	}
	if _, ok := d.horizontal[symbol]; ok {
		return false
	}
	return goal && d.exitKnown && d.exit.vertical()
}
