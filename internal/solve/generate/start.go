package generate

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// begin parses the board to start with, if there is one, and applies its rules to the
// search.
func (o *Options) begin() (*board, error) {
	if o.Start == nil {
		return nil, nil
	}
	look, ok := o.Start.Puzzle.(puzzle.Pictured)
	if !ok || o.Start.Family != rushhour.Family {
		return nil, &puzzle.InputError{What: "a board of " + o.Start.Family + ": only boards of rush-hour can be generated"}
	}
	pic := look.Picture(o.Start.Puzzle.Starts())
	b := &board{rules: &o.Rules}
	for i, ground := range pic.Ground {
		if ground == puzzle.GroundWall {
			b.pieces = append(b.pieces, piece{row: i / pic.Cols, col: i % pic.Cols, length: 1, wall: true})
		}
	}
	down := verticalLetters(o.Start.Text)
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
	o.Rows, o.Cols, o.ExitRow, o.Metric = pic.Rows, pic.Cols, goal.row, o.Start.Metric
	vehicles, walls := b.count()
	switch {
	case goal.vertical || goal.length != 2 || !strings.Contains(o.Start.Text, "\nexit: right\n"):
		return nil, &puzzle.InputError{What: "the goal vehicle of the start board must have two cells and its exit on the right"}
	case vehicles >= vehiclesMax || !b.allowed():
		return nil, &puzzle.InputError{What: "the start board has more vehicles than letters, a full row or column, or a horizontal vehicle or wall that blocks the goal vehicle forever"}
	}
	if o.WallsMax == 0 {
		o.WallsMax = walls
	}
	return b, nil
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
