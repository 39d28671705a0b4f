package tiles

import (
	"fmt"
	"strconv"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// parseRows reads an arrangement: rows on lines or separated by slashes, or all tiles
// on one line, in the wanted shape if there is one.
func parseRows(lines []boardfile.Piece, want shape) (shape, uint64, *puzzle.InputError) {
	s, pieces, fault := split(lines, want)
	if fault != nil {
		return s, 0, fault
	}
	key, fault := s.keyOf(pieces)
	return s, key, fault
}

// keyOf reads the tiles of an arrangement.
func (s shape) keyOf(pieces []boardfile.Piece) (uint64, *puzzle.InputError) {
	var arrangement [cellsMax]uint8
	var where [cellsMax]*boardfile.Piece
	for i := range pieces {
		tile, fault := s.tile(pieces[i])
		if fault != nil {
			return 0, fault
		}
		if first := where[tile]; first != nil {
			return 0, pieces[i].Faultf("%s appears a second time: it is already in line %d, column %d", tileName(tile), first.Line, first.Column)
		}
		where[tile] = &pieces[i]
		arrangement[i] = tile
	}
	return s.key(arrangement[:]), nil
}

// tooMany says why there are more pieces than a board has cells, at the end of a row. If a
// tile is there again in a later line, a second board begins with it.
func tooMany(row boardfile.Piece, pieces []boardfile.Piece) *puzzle.InputError {
	seen := make(map[string]bool)
	for _, p := range pieces {
		if _, err := strconv.Atoi(p.Text); err == nil && seen[p.Text] && p.Line > pieces[0].Line {
			return p.Faultf("a second board: a file holds one board of tiles")
		}
		seen[p.Text] = true
	}
	return row.Faultf("a board of more than %d cells", cellsMax)
}

// split splits rows into pieces and checks that they form a rectangle of an allowed
// size, of the wanted shape if they are all on one line.
func split(lines []boardfile.Piece, want shape) (shape, []boardfile.Piece, *puzzle.InputError) {
	var s shape
	var pieces []boardfile.Piece
	for _, line := range lines {
		for _, row := range line.Split('/') {
			if row.Text == "" {
				return s, nil, row.Faultf("a row without tiles: a file holds one board, rows of numbers without blank lines between them")
			}
			fields := row.Fields()
			if s.rows > 0 && len(fields) != s.cols {
				return s, nil, row.Faultf("row %d has %d tiles where the rows above have %d", s.rows+1, len(fields), s.cols)
			}
			s.rows, s.cols = s.rows+1, len(fields)
			if s.cells() > cellsMax {
				return s, nil, tooMany(row, append(pieces, fields...))
			}
			pieces = append(pieces, fields...)
		}
	}
	switch {
	case len(pieces) == 0:
		return s, nil, &puzzle.InputError{What: "no board: the input is empty or has only headers and comments"}
	case len(pieces) < cellsMin:
		return s, nil, pieces[0].Faultf("a board of one cell: must be at least %d", cellsMin)
	case len(lines) > 1 || s.rows > 1 || s == want:
		return s, pieces, nil
	case want.cells() == len(pieces):
		return want, pieces, nil
	case want.cells() > 0:
		return s, nil, pieces[0].Faultf("%d tiles, but a board of %dx%d has %d", len(pieces), want.rows, want.cols, want.cells())
	}
	size, ok := boardfile.SizeOfLine(len(pieces))
	if !ok {
		return s, nil, pieces[0].Faultf("%d tiles in one line could be several boards: write / between the rows, or a header size: RxC", len(pieces))
	}
	return shape{size.Rows, size.Cols}, pieces, nil
}

// sizeOf returns the shape of the header "size", or the zero shape without one.
func sizeOf(f *boardfile.File) (shape, *puzzle.InputError) {
	v, ok := f.Value("size")
	if !ok {
		return shape{}, nil
	}
	size, ok := boardfile.ParseSize(v.Text, cellsMax)
	if n := size.Rows * size.Cols; !ok || n < cellsMin || n > cellsMax {
		return shape{}, v.Faultf("size %s is not rows x columns of %d to %d cells, as in 4x4", boardfile.Quote(v.Text), cellsMin, cellsMax)
	}
	return shape{size.Rows, size.Cols}, nil
}

// splitBody splits the board of a file into pieces.
func splitBody(f *boardfile.File) (shape, []boardfile.Piece, *puzzle.InputError) {
	want, fault := sizeOf(f)
	if fault != nil {
		return want, nil, fault
	}
	s, pieces, fault := split(f.Body, want)
	if fault == nil && want.cells() > 0 && s != want {
		fault = f.Body[0].Faultf("the board is %dx%d, but the size is %dx%d", s.rows, s.cols, want.rows, want.cols)
	}
	return s, pieces, fault
}

// sizeHeader writes the header "size" for boards that would be misread without it:
// those of one row.
func (s shape) sizeHeader() string {
	if s.rows > 1 {
		return ""
	}
	return fmt.Sprintf("size: %dx%d\n", s.rows, s.cols)
}

// tile reads a tile, or 0 for the hole.
func (s shape) tile(p boardfile.Piece) (uint8, *puzzle.InputError) {
	switch p.Text {
	case ".", "_", "-":
		return 0, nil
	}
	number, last := 0, s.cells()-1
	for _, digit := range []byte(p.Text) {
		if digit < '0' || digit > '9' {
			number = last + 1
			break
		}
		number = min(10*number+int(digit-'0'), last+1)
	}
	if number > last {
		return 0, p.Faultf("%s is not a tile: a %dx%d board has the tiles 1 to %d, and 0 for the hole", boardfile.Quote(p.Text), s.rows, s.cols, last)
	}
	return uint8(number), nil // less than 16
}

func tileName(tile uint8) string {
	if tile == 0 {
		return "the hole"
	}
	return fmt.Sprintf("tile %d", tile)
}

// goal returns the goal of a file for boards of a shape.
func (s shape) goal(f *boardfile.File) (uint64, *puzzle.InputError) {
	v, ok := f.Value("goal")
	if !ok {
		var arrangement [cellsMax]uint8
		for i := range s.cells() - 1 {
			arrangement[i] = uint8(i + 1) // less than 16
		}
		return s.key(arrangement[:]), nil
	}
	if v.Text == "" {
		return 0, v.Faultf("a goal without tiles: it is written as rows with / between them")
	}
	of, key, fault := parseRows([]boardfile.Piece{v}, s)
	if fault == nil && of != s {
		fault = v.Faultf("a goal of %dx%d, but the board is %dx%d", of.rows, of.cols, s.rows, s.cols)
	}
	return key, fault
}

// Parse reads a state of this puzzle. Headers about another goal or metric are
// ignored.
func (g *game) Parse(text string) ([]uint64, error) {
	f, fault := open([]byte(text))
	if fault != nil {
		return nil, fault
	}
	s, key, fault := parseRows(f.Body, g.shape)
	if fault != nil {
		return nil, fault
	}
	if s != g.shape {
		return nil, f.Body[0].Faultf("a board of %dx%d, but the puzzle has %dx%d", s.rows, s.cols, g.rows, g.cols)
	}
	return []uint64{key}, nil
}
