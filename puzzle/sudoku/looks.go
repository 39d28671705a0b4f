package sudoku

import (
	"strings"

	"github.com/everystate/everystate/puzzle/boardfile"
)

// Looks reports whether a file without a header "puzzle:" looks like a grid: a square
// of cells with known boxes. Numbers separated by blanks do not, unless there is a |
// as well.
func Looks(f *boardfile.File) bool {
	bars := false
	for _, line := range f.Body {
		bars = bars || strings.Contains(line.Text, "|")
	}
	for _, line := range f.Body {
		for _, row := range line.Split('/') {
			if !bars && strings.ContainsAny(row.Text, " \t") {
				return false
			}
		}
	}
	g, places, fault := readGrid(f.Body)
	if fault != nil {
		return false
	}
	header, given := f.Value("box")
	if !given {
		header = places[0]
	}
	return g.setBox(header, given) == nil
}
