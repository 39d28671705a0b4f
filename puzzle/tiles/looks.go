package tiles

import "github.com/everystate/everystate/puzzle/boardfile"

// Looks reports whether a file of unstated family looks like tiles: its first row is
// numbers separated by blanks, and another row follows or it contains a hole. Rows of
// one tile have no blanks: then there must be a 0.
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
	numbers, holes, zeros := count(rows[0])
	if len(rows[0]) > 1 {
		return numbers+holes == len(rows[0]) && numbers > 0 && (holes+zeros > 0 || len(rows) > 1)
	}
	zero := false
	for _, row := range rows {
		numbers, _, zeros := count(row)
		if len(row) != 1 || numbers != 1 {
			return false
		}
		zero = zero || zeros > 0
	}
	return zero
}

// count counts the numbers in a row, the hole symbols that are not numbers, and the
// zeros.
func count(row []boardfile.Piece) (numbers, holes, zeros int) {
	for _, p := range row {
		tile, fault := (shape{1, 100}).tile(p)
		switch {
		case fault != nil:
		case tile == 0 && p.Text[0] != '0':
			holes++
		case tile == 0:
			zeros++
			numbers++
		default:
			numbers++
		}
	}
	return numbers, holes, zeros
}
