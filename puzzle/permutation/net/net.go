// Package net knows the faces and corners of the 2x2x2 cube, and draws it unfolded: as
// text, and as a picture.
//
// It must never know keys: it is given what is seen at each corner.
package net

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// net is the unfolded cube: the position of each face and the corners at its cells,
// row by row.
var net = [...]struct {
	letter   byte
	row, col int
	corners  [4]string
}{
	{'U', 0, 2, [4]string{"ULB", "UBR", "UFL", "URF"}},
	{'L', 2, 0, [4]string{"ULB", "UFL", "DBL", "DLF"}},
	{'F', 2, 2, [4]string{"UFL", "URF", "DLF", "DFR"}},
	{'R', 2, 4, [4]string{"URF", "UBR", "DFR", "DRB"}},
	{'B', 2, 6, [4]string{"UBR", "ULB", "DRB", "DBL"}},
	{'D', 4, 2, [4]string{"DLF", "DFR", "DBL", "DRB"}},
}

const netRows, netCols = 6, 8

// unfold calls visit with every cell of the net and the colour seen there. seen holds,
// for the place with each name, the colours in the order of the name.
func unfold(names, seen []string, visit func(row, col int, colour byte)) {
	for _, side := range &net {
		for i, name := range side.corners {
			place := slices.Index(names, name)
			colour := seen[place][strings.IndexByte(name, side.letter)]
			visit(side.row+i/2, side.col+i%2, colour)
		}
	}
}

// Draw draws the unfolded cube. seen holds, for the place with each name, the colours in
// the order of the name.
func Draw(names, seen []string) string {
	var cells [netRows][netCols]byte
	for i := range cells {
		copy(cells[i][:], strings.Repeat(" ", netCols))
	}
	unfold(names, seen, func(row, col int, colour byte) { cells[row][col] = colour })
	var lines []string
	for i := range cells {
		lines = append(lines, strings.TrimRight(string(cells[i][:]), " "))
	}
	return strings.Join(lines, "\n")
}

// Picture shows the unfolded cube, with the numbers of the colours.
func Picture(names, seen []string, number func(colour byte) int) *puzzle.Picture {
	p := &puzzle.Picture{Rows: netRows, Cols: netCols, Ground: slices.Repeat([]puzzle.Ground{puzzle.GroundNone}, netRows*netCols)}
	unfold(names, seen, func(row, col int, colour byte) {
		p.Ground[row*netCols+col] = puzzle.GroundFloor
		p.Pieces = append(p.Pieces, puzzle.Piece{
			Kind: puzzle.PieceTile, Cells: []puzzle.Cell{{Row: row, Col: col}}, Label: string(colour), Colour: number(colour),
		})
	})
	return p
}
