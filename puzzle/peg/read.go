package peg

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of this family of puzzles.
const Family = "peg"

// Metric is the only metric.
const Metric = "jump"

// Read reads the board of a text. An error is a *puzzle.InputError.
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
	if fault := f.CheckKeys("puzzle", "name", "metric", "goal", "moves", "states"); fault != nil {
		return nil, fault
	}
	kind, fault := geometryOf(f, opts)
	if fault != nil {
		return nil, fault
	}
	if fault := checkMetric(f, opts); fault != nil {
		return nil, fault
	}
	s, fault := readSetup(f, kind)
	if fault != nil {
		return nil, fault
	}
	g := newGame(s, nil)
	b := &puzzle.Board{Puzzle: plain{g}, Family: Family, Metric: Metric, Text: g.canonicalText(), Note: g.note()}
	if b.Name, fault = f.Name(); fault != nil {
		return nil, fault
	}
	if b.Expect, fault = f.Expect(); fault != nil {
		return nil, fault
	}
	return b, nil
}

// geometryOf returns the kind of board that the options or the header name.
func geometryOf(f *boardfile.File, opts puzzle.ReadOptions) (geometry, *puzzle.InputError) {
	header, given := f.Value("puzzle")
	kind := geometryAny
	if given {
		switch strings.ToLower(header.Text) {
		case Family, "peg-solitaire":
		case geometrySquare.String():
			kind = geometrySquare
		case geometryTri.String():
			kind = geometryTri
		default:
			return 0, header.Faultf("unknown puzzle %s here: must be peg, peg-solitaire, peg-square or peg-tri", boardfile.Quote(header.Text))
		}
	}
	switch strings.ToLower(opts.Notation) {
	case "":
		return kind, nil
	case geometrySquare.String():
		return geometrySquare, nil
	case geometryTri.String():
		return geometryTri, nil
	}
	return 0, boardfile.Piece{}.Faultf("unknown notation %s: must be peg-square or peg-tri", boardfile.Quote(opts.Notation))
}

// checkMetric refuses all metrics but the only one.
func checkMetric(f *boardfile.File, opts puzzle.ReadOptions) *puzzle.InputError {
	header, given := f.Value("metric")
	if opts.Metric != "" {
		header, given = boardfile.Piece{Text: opts.Metric}, true
	}
	if given && !strings.EqualFold(strings.TrimSpace(header.Text), Metric) {
		return header.Faultf("unknown metric %s: must be jump", boardfile.Quote(header.Text))
	}
	return nil
}

// readSetup reads the board and the goal.
func readSetup(f *boardfile.File, kind geometry) (*setup, *puzzle.InputError) {
	p, fault := readPicture(f.Body, kind)
	if fault != nil {
		return nil, fault
	}
	s := &setup{shape: &shape{geometry: p.kind}}
	if fault := s.fill(p); fault != nil {
		return nil, fault
	}
	header, given := f.Value("goal")
	if !given {
		return s, nil
	}
	s.goal.pegs, fault = s.readGoal(header)
	return s, fault
}

// fill fills the board with the holes of a picture.
func (s *setup) fill(p *picture) *puzzle.InputError {
	var corner cell
	if p.kind == geometrySquare {
		corner = p.corner()
	}
	for _, row := range p.rows {
		for _, h := range row {
			at := cell{h.at.row - corner.row, h.at.col - corner.col}
			if at.row >= sideMax || at.col >= sideMax {
				return h.Faultf("a board of more than %d rows or columns", sideMax)
			}
			if len(s.holes) == holesMax {
				return h.Faultf("a board has at most %d holes", holesMax)
			}
			s.add(at)
			s.pegs = append(s.pegs, h.peg)
		}
	}
	if !slices.Contains(s.pegs, true) {
		return p.place.Faultf("the board has no peg: o is a peg, . an empty hole")
	}
	return nil
}

// readGoal reads the hole of the last peg, or an arrangement.
func (s *setup) readGoal(value boardfile.Piece) ([]bool, *puzzle.InputError) {
	for i := range s.holes {
		if strings.EqualFold(s.hole(i), value.Text) {
			pegs := make([]bool, len(s.holes))
			pegs[i] = true
			return pegs, nil
		}
	}
	if strings.Trim(value.Text, "o*x. #/") != "" || value.Text == "" {
		return nil, value.Faultf("goal %s is not a hole of the board: must be a hole such as %s, or an arrangement such as .o. / ...",
			boardfile.Quote(value.Text), s.hole(0))
	}
	var pegs []bool
	var kept symbols
	for i := range value.Text {
		peg, hole, fault := kept.read(value.From(i))
		if fault != nil {
			return nil, fault
		}
		if hole {
			pegs = append(pegs, peg)
		}
	}
	if len(pegs) != len(s.holes) {
		return nil, value.Faultf("a goal of %d holes, but the board has %d", len(pegs), len(s.holes))
	}
	return pegs, nil
}

// A picture is the content of the lines of a board.
type picture struct {
	kind  geometry
	rows  [][]drawnHole
	place boardfile.Piece // of the first line
}

// drawnHole is a hole and its position in the text.
type drawnHole struct {
	boardfile.Piece
	at  cell
	peg bool
}

// corner returns the least row and column with a hole.
func (p *picture) corner() cell {
	var cells []cell
	for _, row := range p.rows {
		for _, h := range row {
			cells = append(cells, h.at)
		}
	}
	return leastOf(cells)
}

// readPicture reads the lines of a board.
func readPicture(lines []boardfile.Piece, kind geometry) (*picture, *puzzle.InputError) {
	if len(lines) == 0 {
		return nil, boardfile.Piece{}.Faultf("no board: the input is empty or has only headers and comments")
	}
	p := &picture{kind: kind, place: lines[0].Trim()}
	slashes := len(lines) == 1 && strings.Contains(lines[0].Text, "/")
	if slashes {
		lines = rowsOf(lines[0])
	}
	var kept symbols
	holes, touch := 0, false
	for row, line := range lines {
		var list []drawnHole
		index := 0 // cells so far, without blanks
		for i := range line.Text {
			h := drawnHole{Piece: boardfile.Piece{Text: line.Text[i:], Line: line.Line, Column: line.Column + i}, at: cell{row, i}}
			peg, hole, fault := kept.read(h.Piece)
			if fault != nil {
				return nil, fault
			}
			if kind == geometryTri {
				h.at.col = index
			}
			if line.Text[i] != ' ' && line.Text[i] != '\t' {
				index++
			}
			if !hole {
				continue
			}
			if holes++; holes > holesMax {
				return nil, h.Faultf("a board has at most %d holes", holesMax)
			}
			h.peg = peg
			touch = touch || len(list) > 0 && list[len(list)-1].Column == h.Column-1
			list = append(list, h)
		}
		if kind == geometryTri && index != row+1 {
			return nil, line.Trim().Faultf("row %d of a triangle has %d holes, not %d (# is not a hole)", row+1, row+1, index)
		}
		p.rows = append(p.rows, list)
	}
	switch {
	case holes == 0:
		return nil, p.place.Faultf("the board has no hole: o is a peg, . an empty hole")
	case kind == geometryAny && !touch && triangular(p.rows):
		return readPicture(lines, geometryTri)
	case kind == geometryAny:
		p.kind = geometrySquare
	}
	return p, nil
}

// rowsOf returns the rows of a board on one line. One blank on either side belongs to
// a slash; any other means no hole, as in a board of several lines.
func rowsOf(line boardfile.Piece) []boardfile.Piece {
	var rows []boardfile.Piece
	for first := true; ; first = false {
		row, rest, more := strings.Cut(line.Text, "/")
		next := line.From(len(line.Text) - len(rest))
		if !first && strings.HasPrefix(row, " ") {
			row, line = row[1:], line.From(1)
		}
		rows = append(rows, boardfile.Piece{Text: strings.TrimRight(row, " \t"), Line: line.Line, Column: line.Column})
		if !more {
			return rows
		}
		line = next
	}
}

// triangular reports whether rows have 1, 2, 3, ... holes.
func triangular(rows [][]drawnHole) bool {
	for i, row := range rows {
		if len(row) != i+1 {
			return false
		}
	}
	return len(rows) >= 3
}

// symbols reads the cells of one text, in which all pegs have the same symbol.
type symbols struct{ peg byte }

// read reads the cell at the beginning of a piece.
func (s *symbols) read(at boardfile.Piece) (peg, hole bool, fault *puzzle.InputError) {
	switch symbol := at.Text[0]; symbol {
	case ' ', '\t', '#', '/':
		return false, false, nil
	case '.':
		return false, true, nil
	case 'o', '*', 'x':
		if s.peg != 0 && s.peg != symbol {
			return false, false, at.Faultf("%c and %c on one board: o, * and x all mean a peg, and an empty hole is .", s.peg, symbol)
		}
		s.peg = symbol
		return true, true, nil
	}
	_, size := utf8.DecodeRuneInString(at.Text)
	return false, false, at.Faultf("%s is not a hole: o is a peg, . an empty hole, a blank or # no hole", boardfile.Quote(at.Text[:size]))
}
