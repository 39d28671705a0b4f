package tiles

import "github.com/everystate/everystate/puzzle/boardfile"

// Looks reports whether a file that does not say what it is looks like tiles: its
// first row is numbers with blanks between them, and another row follows or there
// is a hole in it. Rows of one tile have no blanks: then there is a 0.
func Looks(f *boardfile.File) bool {
	var rows [][]boardfile.Piece
	for _, line := range f.Body[:min(len(f.Body), cellsMax)] {
		for _, row := range line.Split('/') {
			rows = append(rows, row.Fields())
		}
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return false
	}
	numbers, holes := count(rows[0])
	if len(rows[0]) > 1 {
		return numbers+holes == len(rows[0]) && numbers > 0 && (holes > 0 || len(rows) > 1)
	}
	zero := false
	for _, row := range rows {
		numbers, _ := count(row)
		if len(row) != 1 || numbers != 1 {
			return false
		}
		zero = zero || row[0].Text == "0"
	}
	return zero
}

// count counts the numbers among pieces, 0 with them, and the holes, 0 with them
// only if they are nothing else.
func count(row []boardfile.Piece) (numbers, holes int) {
	for _, p := range row {
		switch tile, fault := (shape{1, 100}).tile(p); {
		case fault != nil:
		case tile == 0 && p.Text[0] != '0':
			holes++
		default:
			numbers++
		}
	}
	return numbers, holes
}
