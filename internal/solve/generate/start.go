package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// A start is a board to begin with, in the size of the search.
type start struct {
	*board
	// within is the cells that the board had where it came from; what is around them is
	// empty.
	within area
}

// An area is a rectangle of cells.
type area struct{ row, col, rows, cols int }

// grows reports whether there are cells around the board.
func (s *start) grows() bool { return s.within.rows < s.rules.Rows || s.within.cols < s.rules.Cols }

// around reports whether a piece covers none of the board's own cells.
func (s *start) around(p piece) bool {
	outside := true
	p.cells(func(row, col int) {
		a := &s.within
		outside = outside && !(row >= a.row && row < a.row+a.rows && col >= a.col && col < a.col+a.cols)
	})
	return outside
}

// begin parses the boards to start with, and applies their rules to the search.
func (o *Options) begin() ([]start, error) {
	if o.Grow {
		o.Rules.ensureDefaults() // the size and the goal vehicle's row
	}
	var starts []start
	wallsMost := 0
	for i := range o.Starts {
		at := &o.Starts[i]
		s, err := o.parse(at)
		if err != nil {
			return nil, err
		}
		goal := s.pieces[0]
		if i == 0 {
			o.Metric = at.Metric
			if !o.Grow {
				o.Rows, o.Cols, o.ExitRow = s.within.rows, s.within.cols, goal.row
			}
		}
		if at.Metric != o.Metric {
			return nil, &puzzle.InputError{What: fmt.Sprintf("start board %d has another metric than the first", i+1)}
		}
		s.within.row, s.within.col = o.ExitRow-goal.row, o.Cols-s.within.cols
		if a := &s.within; a.row < 0 || a.col < 0 || a.row+a.rows > o.Rows || !o.Grow && (a.row > 0 || a.col > 0 || a.rows < o.Rows) {
			return nil, &puzzle.InputError{What: fmt.Sprintf("start board %d (%dx%d, goal vehicle in row %d) does not fit: the search has %dx%d and row %d",
				i+1, a.rows, a.cols, goal.row, o.Rows, o.Cols, o.ExitRow)}
		}
		for k := range s.pieces {
			s.pieces[k].row += s.within.row
			s.pieces[k].col += s.within.col
		}
		_, walls := s.count()
		wallsMost = max(wallsMost, walls)
		starts = append(starts, *s)
	}
	if o.WallsMax == 0 {
		o.WallsMax = wallsMost
	}
	for i := range starts {
		starts[i].rules = &o.Rules
	}
	return starts, nil
}

// parse parses a board to start with.
func (o *Options) parse(at *puzzle.Board) (*start, error) {
	look, ok := at.Puzzle.(puzzle.Pictured)
	if !ok || at.Family != rushhour.Family {
		return nil, &puzzle.InputError{What: "a board of " + at.Family + ": only boards of rush-hour can be generated"}
	}
	pic := look.Picture(at.Puzzle.Starts())
	b := &board{rules: &Rules{Rows: pic.Rows, Cols: pic.Cols}}
	for i, ground := range pic.Ground {
		if ground == puzzle.GroundWall {
			b.pieces = append(b.pieces, piece{row: i / pic.Cols, col: i % pic.Cols, length: 1, wall: true})
		}
	}
	down := verticalLetters(at.Text)
	for _, p := range pic.Pieces {
		at := piece{row: p.Cells[0].Row, col: p.Cells[0].Col, length: len(p.Cells)}
		at.vertical = at.length > 1 && p.Cells[0].Col == p.Cells[1].Col || at.length == 1 && slices.Contains(down, p.Label)
		if p.Goal {
			b.pieces = slices.Insert(b.pieces, 0, at)
		} else {
			b.pieces = append(b.pieces, at)
		}
	}
	goal := b.pieces[0]
	vehicles, _ := b.count()
	switch {
	case goal.vertical || goal.length != 2 || !strings.Contains(at.Text, "\nexit: right\n"):
		return nil, &puzzle.InputError{What: "the goal vehicle of the start board must have two cells and its exit on the right"}
	case vehicles >= vehiclesMax || !b.allowed():
		return nil, &puzzle.InputError{What: "the start board has more vehicles than letters, a full row or column, or a horizontal vehicle or wall that blocks the goal vehicle forever"}
	}
	return &start{b, area{rows: pic.Rows, cols: pic.Cols}}, nil
}

// verticalLetters returns the vehicles of one cell that move up and down.
func verticalLetters(text string) []string {
	for line := range strings.Lines(text) {
		if letters, ok := strings.CutPrefix(line, "vertical: "); ok {
			return strings.Fields(letters)
		}
	}
	return nil
}
