package sudoku

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of this family of puzzles.
const Family = "sudoku"

// Read reads the grid of a text. An error is a *puzzle.InputError.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	b, fault := readBoard(text, opts)
	if fault != nil {
		return nil, fault
	}
	return []puzzle.Board{*b}, nil
}

func readBoard(text []byte, opts puzzle.ReadOptions) (*puzzle.Board, *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return nil, fault
	}
	if fault := f.CheckKeys("puzzle", "name", "box", "metric", "moves", "states"); fault != nil {
		return nil, fault
	}
	if v, given := f.Value("puzzle"); given && !strings.EqualFold(v.Text, Family) {
		return nil, v.Faultf("unknown puzzle %s here: must be sudoku", boardfile.Quote(v.Text))
	}
	if opts.Notation != "" && !strings.EqualFold(opts.Notation, Family) {
		return nil, boardfile.Piece{}.Faultf("unknown notation %s: must be sudoku", boardfile.Quote(opts.Notation))
	}
	m, fault := readMetric(f, opts)
	if fault != nil {
		return nil, fault
	}
	p, fault := readGame(f, m)
	if fault != nil {
		return nil, fault
	}
	b := &puzzle.Board{Puzzle: p, Family: Family, Metric: m.String(), Text: p.canonicalText(), Note: p.note()}
	if b.Name, fault = f.Name(); fault != nil {
		return nil, fault
	}
	if b.Expect, fault = f.Expect(); fault != nil {
		return nil, fault
	}
	return b, nil
}

// readMetric returns the metric of the options or the header.
func readMetric(f *boardfile.File, opts puzzle.ReadOptions) (metric, *puzzle.InputError) {
	v, _ := f.Value("metric")
	if opts.Metric != "" {
		v = boardfile.Piece{Text: strings.TrimSpace(opts.Metric)}
	}
	switch strings.ToLower(v.Text) {
	case "", metricRowMajor.String():
		return metricRowMajor, nil
	case metricAnyCell.String():
		return metricAnyCell, nil
	}
	return 0, v.Faultf("unknown metric %s: must be row-major or any-cell", boardfile.Quote(v.Text))
}

// readGame reads the grid and its boxes.
func readGame(f *boardfile.File, m metric) (*game, *puzzle.InputError) {
	g, places, fault := readGrid(f.Body)
	if fault != nil {
		return nil, fault
	}
	header, given := f.Value("box")
	if !given {
		header = places[0]
	}
	if fault := g.setBox(header, given); fault != nil {
		return nil, fault
	}
	u, fault := g.givens(places)
	if fault != nil {
		return nil, fault
	}
	return newGame(g, &u, m), nil
}

// setBox sets the size of a box: that of a header, or the default.
func (g *grid) setBox(header boardfile.Piece, given bool) *puzzle.InputError {
	if !given {
		switch g.side {
		case 4, 6, 8:
			g.boxRows, g.boxCols = 2, g.side/2
		case 9:
			g.boxRows, g.boxCols = 3, 3
		default:
			return header.Faultf("a grid of %s has no usual boxes: it takes a header box: rows x columns, such as box: 1x%d", plural(g.side, "row"), g.side)
		}
		return nil
	}
	sides := boardfile.Piece{Text: strings.ToLower(header.Text), Line: header.Line, Column: header.Column}.Split('x')
	if len(sides) != 2 {
		return header.Faultf("box %s: must be rows x columns, such as 2x3", boardfile.Quote(header.Text))
	}
	var fault *puzzle.InputError
	if g.boxRows, fault = sides[0].Number("box rows", 1, sideMax); fault != nil {
		return fault
	}
	if g.boxCols, fault = sides[1].Number("box columns", 1, sideMax); fault != nil {
		return fault
	}
	if g.boxRows*g.boxCols != g.side {
		return header.Faultf("a box of %dx%d has %d cells, but a grid of %s takes %d",
			g.boxRows, g.boxCols, g.boxRows*g.boxCols, plural(g.side, "row"), g.side)
	}
	return nil
}

// drawnRow holds the cells of a line and their positions.
type drawnRow struct {
	cells  []uint8
	places []boardfile.Piece
}

// readGrid reads the cells of a grid, and their positions. Its boxes are not yet
// known.
func readGrid(lines []boardfile.Piece) (*grid, []boardfile.Piece, *puzzle.InputError) {
	var rows []drawnRow
	total := 0
	for _, line := range lines {
		for _, piece := range line.Split('/') {
			row, fault := readRow(piece)
			if fault != nil {
				return nil, nil, fault
			}
			if total += len(row.cells); total > cellsMax {
				return nil, nil, row.places[0].Faultf("a grid has at most %d rows of %d cells", sideMax, sideMax)
			}
			if len(row.cells) > 0 {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		return nil, nil, boardfile.Piece{}.Faultf("no grid: the input is empty or holds only headers and comments")
	}
	if len(rows) == 1 && total > 1 {
		if rows = rows[0].divided(); rows == nil {
			return nil, nil, lines[0].Trim().Faultf("%d cells in one line: a grid in one line has 16, 36, 64 or 81 cells, or another square's number", total)
		}
	}
	g := &grid{side: len(rows)}
	var places []boardfile.Piece
	for i, row := range rows {
		if len(row.cells) != g.side {
			return nil, nil, row.places[0].Faultf("row %d has %s, but the grid has %s: must be equally many", i+1, plural(len(row.cells), "cell"), plural(g.side, "row"))
		}
		for n, digit := range row.cells {
			if int(digit) > g.side {
				digits := fmt.Sprintf("the digits are 1 to %d", g.side)
				if g.side == 1 {
					digits = "the only digit is 1"
				}
				return nil, nil, row.places[n].Faultf("digit %d in a grid of %s: %s", digit, plural(g.side, "row"), digits)
			}
		}
		g.cells = append(g.cells, row.cells...)
		places = append(places, row.places...)
	}
	return g, places, nil
}

// divided returns the rows of a square grid on one line, or nil.
func (r drawnRow) divided() []drawnRow {
	for side := 2; side <= sideMax; side++ {
		if len(r.cells) != side*side {
			continue
		}
		var rows []drawnRow
		for i := 0; i < len(r.cells); i += side {
			rows = append(rows, drawnRow{r.cells[i : i+side], r.places[i : i+side]})
		}
		return rows
	}
	return nil
}

// readRow reads the cells of a line. A line of layout has none.
func readRow(line boardfile.Piece) (drawnRow, *puzzle.InputError) {
	var row drawnRow
	if strings.Trim(line.Text, "-=+| \t") == "" {
		return row, nil
	}
	for i, r := range line.Text {
		at := line.From(i)
		switch {
		case r == ' ', r == '\t', r == '|':
			continue
		case r >= '0' && r <= '9':
			row.cells = append(row.cells, uint8(r-'0'))
		case r == '.', r == '_', r == '*':
			row.cells = append(row.cells, 0)
		default:
			return row, at.Faultf("%s is not a cell: cells are digits, and . 0 _ * are empty", boardfile.Quote(at.Text[:utf8.RuneLen(r)]))
		}
		row.places = append(row.places, at)
		if len(row.cells) > cellsMax {
			return row, at.Faultf("a grid has at most %d cells", cellsMax)
		}
	}
	return row, nil
}

// Parse reads a state: the grid with its givens.
func (g *game) Parse(text string) ([]uint64, error) {
	f, fault := boardfile.Parse([]byte(text))
	if fault != nil {
		return nil, fault
	}
	key, fault := g.parse(f)
	if fault != nil {
		return nil, fault
	}
	return key, nil
}

func (g *game) parse(f *boardfile.File) ([]uint64, *puzzle.InputError) {
	state, places, fault := readGrid(f.Body)
	if fault != nil {
		return nil, fault
	}
	if state.side != g.side {
		return nil, places[0].Faultf("a grid of %d rows, but the puzzle has %d", state.side, g.side)
	}
	state.boxRows, state.boxCols = g.boxRows, g.boxCols
	if _, fault := state.givens(places); fault != nil {
		return nil, fault
	}
	key := g.Starts()
	open, empty := 0, -1
	for i, digit := range state.cells {
		if given := g.cells[i]; given != 0 {
			if digit != given {
				return nil, places[i].Faultf("the puzzle has a given here, %d", given)
			}
			continue
		}
		switch {
		case digit == 0 && empty < 0:
			empty = i
		case digit != 0 && empty >= 0 && g.metric == metricRowMajor:
			return nil, places[i].Faultf("r%dc%d is filled and r%dc%d is not: the metric row-major fills cells in reading order",
				i/g.side+1, i%g.side+1, empty/g.side+1, empty%g.side+1)
		}
		key[g.words[open]] += g.deltas[open][digit]
		open++
	}
	return key, nil
}

// drawn returns the cells of a state.
func (g *game) drawn(state []uint64) []uint8 {
	var c contents
	g.read(state, &c)
	cells := slices.Clone(g.cells)
	for i := range g.opens {
		cells[g.opens[i].row*g.side+g.opens[i].col] = c.digits[i]
	}
	return cells
}

// Format draws a state as rows of digits.
func (g *game) Format(state []uint64) string {
	var text []byte
	for i, digit := range g.drawn(state) {
		if i > 0 && i%g.side == 0 {
			text = append(text, '\n')
		}
		if digit == 0 {
			text = append(text, '.')
		} else {
			text = append(text, '0'+digit)
		}
	}
	return string(text)
}

// Draw draws a state for people; it is Format.
func (g *game) Draw(state []uint64) string { return g.Format(state) }

// FormatMove names the cell and the digit of a move.
func (g *game) FormatMove(move puzzle.Move) string {
	cell, digit, ok := g.moveOf(move)
	if !ok {
		return "?"
	}
	return fmt.Sprintf("r%dc%d=%d", g.opens[cell].row+1, g.opens[cell].col+1, digit)
}

// Picture draws a state: givens have colour 0, other digits colour 1.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	p := &puzzle.Picture{Rows: g.side, Cols: g.side, Ground: make([]puzzle.Ground, len(g.cells))}
	for i := range g.cells {
		p.Regions = append(p.Regions, i/g.side/g.boxRows*g.boxRows+i%g.side/g.boxCols)
	}
	for i, digit := range g.drawn(state) {
		if digit == 0 {
			continue
		}
		piece := puzzle.Piece{
			Kind:  puzzle.PieceDigit,
			Cells: []puzzle.Cell{{Row: i / g.side, Col: i % g.side}},
			Label: string('0' + rune(digit)),
		}
		if g.cells[i] == 0 {
			piece.Colour = 1
		}
		p.Pieces = append(p.Pieces, piece)
	}
	return p
}

// canonicalText writes the grid with every header that it depends on.
func (g *game) canonicalText() string {
	return fmt.Sprintf("puzzle: %s\nmetric: %s\nbox: %dx%d\n\n%s\n", Family, g.metric, g.boxRows, g.boxCols, g.Format(g.Starts()))
}

// note describes the grid in one line.
func (g *game) note() string {
	return fmt.Sprintf("%s and %s on %dx%d, boxes %dx%d; goal a full grid",
		plural(len(g.cells)-len(g.opens), "given"), plural(len(g.opens), "empty cell"), g.side, g.side, g.boxRows, g.boxCols)
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
