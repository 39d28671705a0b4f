package rushhour

import (
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
)

// picture is a rectangle of symbols with the position of each row in the input.
type picture struct {
	rows, cols int
	cells      []byte     // rows*cols, row by row
	places     []position // of the first cell of each row
}

// at returns the symbol of a cell.
func (p *picture) at(row, col int) byte { return p.cells[row*p.cols+col] }

// place returns the position of a cell in the input.
func (p *picture) place(row, col int) position {
	at := p.places[row]
	at.column += col
	return at
}

// hasTypeDigit reports whether a symbol is a digit from 1 to 9.
func (p *picture) hasTypeDigit() bool {
	for _, symbol := range p.cells {
		if symbol >= '1' && symbol <= '9' {
			return true
		}
	}
	return false
}

// count returns how many cells have the symbol.
func (p *picture) count(symbol byte) int {
	n := 0
	for _, s := range p.cells {
		if s == symbol {
			n++
		}
	}
	return n
}

// run returns the length of the run of the given cell's symbol, from that cell to the
// right or down.
func (p *picture) run(row, col int, down bool) int {
	symbol, n := p.at(row, col), 0
	for row < p.rows && col < p.cols && p.at(row, col) == symbol {
		n++
		if down {
			row++
		} else {
			col++
		}
	}
	return n
}

// lineSideMin is the smallest side of a board inferred to be square from the length of
// its only line: shorter lines are more likely incomplete rows.
const lineSideMin = 3

// checkCells refuses symbols that are not cells in any notation, before cells are
// counted.
func checkCells(l textLine) *puzzle.InputError {
	for i, r := range l.text {
		if r >= utf8.RuneSelf || !emptyCell(byte(r)) && !wallCell(byte(r)) && !vehicleLetter(byte(r), true) {
			return faultAt(position{l.place.line, l.place.column + i},
				"%s is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls", quote(string(r)))
		}
	}
	return nil
}

// pictureOfRows makes a picture of rows, which must have the same length.
func pictureOfRows(rows []textLine, size *boardSize) (*picture, *puzzle.InputError) {
	for _, row := range rows {
		if fault := checkCells(row); fault != nil {
			return nil, fault
		}
	}
	p := &picture{rows: len(rows), cols: len(rows[0].text)}
	if p.rows > sideMax {
		return nil, faultAt(rows[sideMax].place, "%d rows: a board has at most %d", len(rows), sideMax)
	}
	for i, row := range rows {
		if len(row.text) > sideMax {
			at := row.place
			at.column += sideMax
			return nil, faultAt(at, "%d columns: a board has at most %d", len(row.text), sideMax)
		}
		if len(row.text) != p.cols {
			return nil, faultAt(row.place, "row %d has %d cells where the rows above have %d", i+1, len(row.text), p.cols)
		}
		p.cells = append(p.cells, row.text...)
		p.places = append(p.places, row.place)
	}
	if size != nil && (size.rows != p.rows || size.cols != p.cols) {
		return nil, faultAt(rows[0].place, "the board is %dx%d, but the size is %dx%d", p.rows, p.cols, size.rows, size.cols)
	}
	return p, nil
}

// pictureOfLine makes a picture of a board on one line: rows separated by slashes, or
// all cells in sequence.
func pictureOfLine(l textLine, size *boardSize) (*picture, *puzzle.InputError) {
	if slashes := strings.Count(l.text, "/"); slashes >= sideMax {
		return nil, faultAt(l.place, "%d rows: a board has at most %d", slashes+1, sideMax)
	} else if slashes > 0 {
		return pictureOfRows(l.split('/'), size)
	}
	if fault := checkCells(l); fault != nil {
		return nil, fault
	}
	if size == nil {
		root := squareRoot(len(l.text))
		if root < lineSideMin || root > sideMax {
			return nil, faultAt(l.place, "%s: a board on one line must be square, %dx%d to %dx%d, or have a header size: RxC",
				plural(len(l.text), "cell"), lineSideMin, lineSideMin, sideMax, sideMax)
		}
		size = &boardSize{rows: root, cols: root}
	}
	if len(l.text) != size.rows*size.cols {
		return nil, faultAt(l.place, "a line of %d cells where the size %dx%d takes %d", len(l.text), size.rows, size.cols, size.rows*size.cols)
	}
	p := &picture{rows: size.rows, cols: size.cols, cells: []byte(l.text)}
	for row := range size.rows {
		p.places = append(p.places, position{l.place.line, l.place.column + row*size.cols})
	}
	return p, nil
}

// squareRoot returns the root of a perfect square, and 0 for any other number.
func squareRoot(n int) int {
	for root := 1; root*root <= n; root++ {
		if root*root == n {
			return root
		}
	}
	return 0
}
