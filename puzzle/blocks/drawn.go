package blocks

import (
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

const (
	emptySymbol = '.'
	wallSymbol  = '#'
)

// readBoard reads the rows of a board. Rows may be on one line, separated by slashes.
func readBoard(lines []boardfile.Piece) (*board, *puzzle.InputError) {
	var rows []boardfile.Piece
	for _, l := range lines {
		rows = append(rows, l.Split('/')...)
		if len(rows) > sideMax {
			return nil, rows[sideMax].Faultf("more than %d rows: a board has at most %d", sideMax, sideMax)
		}
	}
	if len(rows) == 0 {
		return nil, &puzzle.InputError{What: "no board: the text is empty or has only headers and comments"}
	}
	b := &board{rows: len(rows), cols: len(rows[0].Text)}
	for i, row := range rows {
		if fault := checkRow(row, i, b.cols); fault != nil {
			return nil, fault
		}
	}
	if fault := b.take(rows); fault != nil {
		return nil, fault
	}
	return b, nil
}

// checkRow refuses a row of the wrong length, or with a symbol that is not a cell.
func checkRow(row boardfile.Piece, i, cols int) *puzzle.InputError {
	for at, r := range row.Text {
		if r >= utf8.RuneSelf || r != emptySymbol && r != wallSymbol && strings.IndexByte(symbols, byte(r)) < 0 {
			return row.From(at).Faultf("%s is not a cell: letters and digits are pieces, . is empty, # is a wall", boardfile.Quote(string(r)))
		}
	}
	switch {
	case len(row.Text) == 0:
		return row.Faultf("row %d is empty: a file holds one board, whose rows have . for empty cells and # for walls", i+1)
	case len(row.Text) > sideMax:
		return row.From(sideMax).Faultf("%d columns: a board has at most %d", len(row.Text), sideMax)
	case len(row.Text) != cols:
		return row.Faultf("row %d has %d cells where the rows above have %d", i+1, len(row.Text), cols)
	}
	return nil
}

// take reads walls and pieces from rows of equal length.
func (b *board) take(rows []boardfile.Piece) *puzzle.InputError {
	var cells [256][]cell
	for r, row := range rows {
		for c := range b.cols {
			symbol := row.Text[c]
			b.walls = append(b.walls, symbol == wallSymbol)
			if symbol != wallSymbol && symbol != emptySymbol {
				cells[symbol] = append(cells[symbol], cell{r, c})
			}
		}
	}
	for r, row := range rows {
		for c := range b.cols {
			symbol := row.Text[c]
			own := cells[symbol]
			if len(own) == 0 || own[0] != (cell{r, c}) {
				continue
			}
			if loose, ok := looseCell(own); ok {
				return rows[loose.row].From(loose.col).Faultf(
					"piece %c is not connected: its cells must share sides, and each piece needs its own letter", symbol)
			}
			s, _ := shapeOf(own)
			b.pieces = append(b.pieces, piece{symbol, b.known(s), r*b.cols + c})
		}
	}
	return nil
}

// known returns the board's shape that equals s, or s.
func (b *board) known(s *shape) *shape {
	for _, p := range b.pieces {
		if p.shape.equal(s) {
			return p.shape
		}
	}
	return s
}

// looseCell returns the first of the cells that is not connected to the first one.
func looseCell(cells []cell) (cell, bool) {
	joined := make([]bool, len(cells))
	joined[0] = true
	frontier := []int{0}
	for len(frontier) > 0 {
		c := cells[frontier[0]]
		frontier = frontier[1:]
		for i, o := range cells {
			apart := (c.row-o.row)*(c.row-o.row) + (c.col-o.col)*(c.col-o.col)
			if !joined[i] && apart == 1 {
				joined[i] = true
				frontier = append(frontier, i)
			}
		}
	}
	for i, c := range cells {
		if !joined[i] {
			return c, true
		}
	}
	return cell{}, false
}
