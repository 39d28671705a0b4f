package rushhour

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// restrict restricts the enumeration to the family of one board. The size, the exit
// and the walls follow from the board.
func (e *Enumeration) restrict() error {
	r := &e.rules
	cells, size, err := readCells(r.Family)
	if err != nil {
		return err
	}
	r.Size = size
	rows, columns := make([]line, size.Rows), make([]line, size.Columns)
	for i := range size.Rows {
		for j := range size.Columns {
			if cells[i*size.Columns+j] == wallSymbol {
				rows[i].walls |= 1 << j
			}
		}
	}
	vehicles, err := findVehicles(cells, size)
	if err != nil {
		return err
	}
	r.ExitRow = -1
	var lengths []int
	var primary vehicle
	for _, v := range vehicles {
		at := &columns[v.column]
		gap := 0
		if !v.vertical {
			at = &rows[v.row]
			gap = bits.OnesCount32(at.walls & (1<<v.column - 1))
		}
		at.lengths = append(at.lengths, v.length)
		at.gaps = append(at.gaps, gap)
		if v.letter != letters[0] {
			lengths = append(lengths, v.length)
			continue
		}
		if v.vertical || v.length != rules.PrimaryLength {
			return fmt.Errorf("family: A must be horizontal and of 2 cells")
		}
		r.ExitRow, primary = v.row, v
		at.primary = true
	}
	if r.ExitRow < 0 {
		return fmt.Errorf("family: the board has no vehicle A")
	}
	if len(rows[r.ExitRow].lengths) != 1 && !r.PrimaryRowShared {
		return fmt.Errorf("family: row %d has a horizontal vehicle besides A, which the rules exclude", r.ExitRow)
	}
	for _, v := range vehicles {
		if v.row == r.ExitRow && !v.vertical && v.column > primary.column {
			return fmt.Errorf("family: %c is to the right of A in its row and blocks it forever, which a sweep excludes", v.letter)
		}
	}
	if len(lengths) > 0 {
		slices.Sort(lengths)
		r.Lengths = slices.Compact(lengths)
	}
	walls := strings.Count(string(cells), string(wallSymbol))
	r.WallsMin, r.WallsMax, r.Limits = walls, walls, nil
	r.FullRows, r.FullColumns = false, false
	for _, l := range rows {
		e.rowSets = append(e.rowSets, []line{l})
	}
	for _, l := range columns {
		e.columns = append(e.columns, []line{l})
	}
	return nil
}

// readCells reads the cells of a board row by row. Slashes and blanks between the rows of
// a square board are optional.
func readCells(text string) (cells []byte, size rules.Size, err error) {
	apart := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /\n", r) })
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', rowSeparator, '\n':
		case '.', '-', '_':
			cells = append(cells, emptySymbol)
		case '#':
			cells = append(cells, wallSymbol)
		default:
			if c != wallSymbol && c != emptySymbol && strings.IndexByte(letters, c) < 0 {
				return nil, size, fmt.Errorf("family: %q is not a cell: o is empty, x is a wall, letters are vehicles", c)
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
		return nil, size, fmt.Errorf("family: a board of %d cells: must be %v to %v, with slashes between its rows if it is not square", len(cells), rules.Square(rules.SizeMin), rules.Square(rules.SizeMax))
	}
	return cells, size, nil
}

type vehicle struct {
	letter              byte
	row, column, length int
	vertical            bool
}

// findVehicles returns the vehicles, those of a row from left to right and those
// of a column from top to bottom.
func findVehicles(cells []byte, size rules.Size) ([]vehicle, error) {
	var found []vehicle
	seen := make(map[byte]bool)
	for i, c := range cells {
		if c == emptySymbol || c == wallSymbol || seen[c] {
			continue
		}
		seen[c] = true
		v := vehicle{letter: c, row: i / size.Columns, column: i % size.Columns, length: 1}
		for v.column+v.length < size.Columns && cells[i+v.length] == c {
			v.length++
		}
		if v.length == 1 {
			for v.row+v.length < size.Rows && cells[i+v.length*size.Columns] == c {
				v.length++
			}
			v.vertical = v.length > 1
		}
		if n := strings.Count(string(cells), string(c)); n != v.length || n == 1 {
			return nil, fmt.Errorf("family: %c covers %d cells, of which %d are in line: a vehicle is straight, and of 2 cells or more", c, n, v.length)
		}
		found = append(found, v)
	}
	return found, nil
}
