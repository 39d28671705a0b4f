// Package boards reads Rush Hour boards in the reference's notation: the cells row by row,
// one symbol each. It must know nothing of what the vehicles on a board can do, except what
// blocks the exit forever.
package boards

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// Symbols of a board. Between its rows there are separators if it is not square.
const (
	Empty        = 'o'
	Wall         = 'x'
	RowSeparator = '/'
)

// Letters are the letters of the pieces, in order, the primary's first. The puzzle's own
// parser, which takes capitals first, reads them too.
const Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnpqrstuvwyz"

// Read reads the cells of a board row by row. Slashes and blanks between the rows of
// a square board are optional.
func Read(text string) (cells []byte, size rules.Size, err error) {
	apart := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /\n", r) })
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', RowSeparator, '\n':
		case '.', '-', '_':
			cells = append(cells, Empty)
		case '#':
			cells = append(cells, Wall)
		default:
			if c != Wall && c != Empty && strings.IndexByte(Letters, c) < 0 {
				return nil, size, fmt.Errorf("%q is not a cell: o is empty, x is a wall, letters are vehicles", c)
			}
			cells = append(cells, c)
		}
		if len(cells) > rules.SizeMax*rules.SizeMax {
			break
		}
	}
	for side := rules.SizeMin; side <= rules.SizeMax; side++ {
		if side*side == len(cells) {
			return cells, rules.Square(side), nil
		}
	}
	size = rules.Size{Rows: len(apart), Columns: len(cells) / max(len(apart), 1)}
	for _, row := range apart {
		if len(row) != size.Columns {
			size.Columns = 0
		}
	}
	if min(size.Rows, size.Columns) < rules.SizeMin || max(size.Rows, size.Columns) > rules.SizeMax {
		return nil, size, fmt.Errorf("a board of %d cells: must be %v to %v, with slashes between its rows if it is not square", len(cells), rules.Square(rules.SizeMin), rules.Square(rules.SizeMax))
	}
	return cells, size, nil
}

// A Vehicle is a vehicle of a board: its first cell, and its length in cells.
type Vehicle struct {
	Letter              byte
	Row, Column, Length int
	Vertical            bool
}

// Vehicles returns the vehicles, those of a row from left to right and those
// of a column from top to bottom.
func Vehicles(cells []byte, size rules.Size) ([]Vehicle, error) {
	var found []Vehicle
	seen := make(map[byte]bool)
	for i, c := range cells {
		if c == Empty || c == Wall || seen[c] {
			continue
		}
		seen[c] = true
		v := Vehicle{Letter: c, Row: i / size.Columns, Column: i % size.Columns, Length: 1}
		for v.Column+v.Length < size.Columns && cells[i+v.Length] == c {
			v.Length++
		}
		if v.Length == 1 {
			for v.Row+v.Length < size.Rows && cells[i+v.Length*size.Columns] == c {
				v.Length++
			}
			v.Vertical = v.Length > 1
		}
		if n := strings.Count(string(cells), string(c)); n != v.Length || n == 1 {
			return nil, fmt.Errorf("%c covers %d cells, of which %d are in line: a vehicle is straight, and of 2 cells or more", c, n, v.Length)
		}
		found = append(found, v)
	}
	return found, nil
}
