package boardfile

import (
	"strconv"
	"strings"
)

// A Size is a number of rows and columns.
type Size struct{ Rows, Cols int }

// ParseSize reads rows and columns from 1 to sideMax, as in 4x6. It reports false for
// any other text.
func ParseSize(text string, sideMax int) (Size, bool) {
	rows, cols, found := strings.Cut(strings.ToLower(text), "x")
	r, errRows := strconv.Atoi(strings.TrimSpace(rows))
	c, errCols := strconv.Atoi(strings.TrimSpace(cols))
	if !found || errRows != nil || errCols != nil || r < 1 || c < 1 || r > sideMax || c > sideMax {
		return Size{}, false
	}
	return Size{r, c}, true
}

// SizeOfLine infers the size of a board whose cells are all on one line: a square
// number of cells is a square, and a prime number can only be one row. For any other
// number, which needs a header "size:", it reports false.
func SizeOfLine(cells int) (Size, bool) {
	for root := 1; root*root <= cells; root++ {
		if root*root == cells {
			return Size{root, root}, true
		}
	}
	for divisor := 2; divisor < cells; divisor++ {
		if cells%divisor == 0 {
			return Size{}, false
		}
	}
	return Size{1, cells}, cells > 0
}
