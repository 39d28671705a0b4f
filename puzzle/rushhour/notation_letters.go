package rushhour

import "github.com/everystate/everystate/puzzle"

// vehicleLetter reports whether a symbol names a vehicle.
func vehicleLetter(symbol byte, extended bool) bool {
	switch {
	case symbol >= 'A' && symbol <= 'Z':
		return true
	case symbol >= '0' && symbol <= '9', symbol >= 'a' && symbol <= 'z' && symbol != 'o' && symbol != 'x':
		return extended
	}
	return false
}

// readLetters reads a picture with one letter per vehicle. Single-cell vehicles are
// returned as horizontal.
func readLetters(p *picture, extended bool) (*drawn, *puzzle.InputError) {
	d := &drawn{
		board:    board{rows: p.rows, cols: p.cols, walls: make([]bool, len(p.cells))},
		notation: notationLetters, goal: -1, name: "letters",
	}
	if extended {
		d.notation, d.name = notationExtended, "letters-extended"
	}
	var seen [256]bool
	for row := range p.rows {
		for col := range p.cols {
			symbol := p.at(row, col)
			switch {
			case emptyCell(symbol), seen[symbol]:
			case wallCell(symbol):
				d.walls[row*p.cols+col] = true
			case vehicleLetter(symbol, extended):
				seen[symbol] = true
				v, fault := letterVehicle(p, row, col)
				if fault != nil {
					return nil, fault
				}
				d.vehicles = append(d.vehicles, v)
				d.places = append(d.places, p.place(row, col))
			default:
				return nil, badSymbol(p, row, col, d.name, "vehicles are upper-case letters")
			}
		}
	}
	return d, nil
}

// letterVehicle returns the vehicle whose first cell is given, if all cells of its
// letter form one straight run.
func letterVehicle(p *picture, row, col int) (vehicle, *puzzle.InputError) {
	symbol := p.at(row, col)
	across, down, cells := p.run(row, col, false), p.run(row, col, true), p.count(symbol)
	switch cells {
	case across:
		return vehicle{row: row, col: col, length: across, symbol: symbol}, nil
	case down:
		return vehicle{row: row, col: col, length: down, vertical: true, symbol: symbol}, nil
	}
	strayRow, strayCol := strayCell(p, row, col, across, down)
	what := "is not straight"
	if across == 1 && strayCol == col || down == 1 && strayRow == row {
		what = "has a gap"
	}
	return vehicle{}, faultAt(p.place(strayRow, strayCol),
		"vehicle %c %s: it starts at row %d, column %d and cannot reach row %d, column %d",
		symbol, what, row+1, col+1, strayRow+1, strayCol+1)
}

// strayCell returns the first cell of a letter that is not part of the run that starts
// at the letter's first cell.
func strayCell(p *picture, row, col, across, down int) (int, int) {
	symbol := p.at(row, col)
	for r := row; r < p.rows; r++ {
		for c := range p.cols {
			if p.at(r, c) != symbol {
				continue
			}
			inRow := r == row && c >= col && c < col+across
			inColumn := across == 1 && c == col && r < row+down
			if !inRow && !inColumn {
				return r, c
			}
		}
	}
	panic("rushhour: a vehicle that is not straight has no stray cell")
}

// badSymbol returns the error for a symbol that a notation does not have.
func badSymbol(p *picture, row, col int, name, vehicles string) *puzzle.InputError {
	return faultAt(p.place(row, col), "%s is not a cell of the %s notation: %s, . o - _ are empty, x # are walls",
		quoteSymbol(p, row, col), name, vehicles)
}

// quoteSymbol quotes the whole character that contains a cell's byte.
func quoteSymbol(p *picture, row, col int) string {
	at := row*p.cols + col
	end := at + 1
	for end < len(p.cells) && p.cells[end]&0xC0 == 0x80 {
		end++
	}
	return quote(string(p.cells[at:end]))
}
