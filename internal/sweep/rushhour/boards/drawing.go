package boards

import (
	"bytes"
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A Drawing is a board being drawn, and the letters left.
type Drawing struct {
	cells   []byte
	letters string
}

// NewDrawing returns a board of empty cells.
func NewDrawing(cells int) *Drawing {
	return &Drawing{cells: bytes.Repeat([]byte{Empty}, cells), letters: Letters[1:]}
}

// Letter takes the next letter behind the primary's. The last one is reused when letters run
// out.
func (d *Drawing) Letter() byte {
	c := d.letters[0]
	if len(d.letters) > 1 {
		d.letters = d.letters[1:]
	}
	return c
}

// Piece draws a piece of length cells, each of them by cells after the one before.
func (d *Drawing) Piece(symbol byte, first, length, by int) {
	for k := range length {
		d.cells[first+k*by] = symbol
	}
}

// Text returns the board, with its rows apart if it is not square.
func (d *Drawing) Text(size rules.Size) string {
	if size.Rows == size.Columns {
		return string(d.cells)
	}
	return string(bytes.Join(slices.Collect(slices.Chunk(d.cells, size.Columns)), []byte{RowSeparator}))
}
