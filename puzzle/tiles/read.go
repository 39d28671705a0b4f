package tiles

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of this family of puzzles.
const Family = "tiles"

// headerKeys are the headers of a file.
var headerKeys = [...]string{"puzzle", "name", "metric", "size", "any", "goal", "moves", "states"}

// metric defines what counts as one move.
type metric uint8

const (
	metricTile metric = iota // one tile
	metricLine               // any number of tiles of the hole's row or column
)

func (m metric) String() string {
	if m == metricLine {
		return "line"
	}
	return "tile"
}

// parseMetric reads a metric's name. Its error has no position.
func parseMetric(name boardfile.Piece) (metric, *puzzle.InputError) {
	switch strings.ToLower(name.Text) {
	case "tile":
		return metricTile, nil
	case "line":
		return metricLine, nil
	}
	return 0, name.Faultf("unknown metric %s: must be tile or line", boardfile.Quote(name.Text))
}

// Read reads the board of a file. An error is a *puzzle.InputError.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	board, fault := read(text, opts)
	if fault != nil {
		return nil, fault
	}
	return []puzzle.Board{*board}, nil
}

func read(text []byte, opts puzzle.ReadOptions) (*puzzle.Board, *puzzle.InputError) {
	switch strings.ToLower(opts.Notation) {
	case "", "rows", "tiles":
	default:
		return nil, &puzzle.InputError{What: fmt.Sprintf("unknown notation %s: must be rows", boardfile.Quote(opts.Notation))}
	}
	f, fault := open(text)
	if fault != nil {
		return nil, fault
	}
	if list, ok := f.Value("any"); ok {
		return readPattern(f, list, opts)
	}
	name, fault := f.Name()
	if fault != nil {
		return nil, fault
	}
	expect, fault := f.Expect()
	if fault != nil {
		return nil, fault
	}
	s, pieces, fault := splitBody(f)
	if fault != nil {
		return nil, fault
	}
	start, fault := s.keyOf(pieces)
	if fault != nil {
		return nil, fault
	}
	goal, fault := s.goal(f)
	if fault != nil {
		return nil, fault
	}
	of, fault := metricOf(f)
	if fault != nil {
		return nil, fault
	}
	m := of
	if opts.Metric != "" {
		if m, fault = parseMetric(boardfile.Piece{Text: strings.TrimSpace(opts.Metric)}); fault != nil {
			return nil, fault
		}
	}
	g := newGame(s, m, start, goal)
	board := &puzzle.Board{
		Puzzle: g, Family: Family, Name: name, Metric: m.String(),
		Text: g.text(), Note: fmt.Sprintf("%dx%d, goal %s", s.rows, s.cols, g.goalText()), Expect: expect,
	}
	if m != of && expect.SolutionLength >= 0 {
		board.Expect.SolutionLength = -1
		board.Note += fmt.Sprintf("; the promised length of %d counts in the metric %s and is not checked", expect.SolutionLength, of)
	}
	return board, nil
}

// open parses a text and checks its headers.
func open(text []byte) (*boardfile.File, *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return nil, fault
	}
	if fault := f.CheckKeys(headerKeys[:]...); fault != nil {
		return nil, fault
	}
	if v, ok := f.Value("puzzle"); ok && !known(v.Text) {
		return nil, v.Faultf("puzzle %s is not %s", boardfile.Quote(v.Text), Family)
	}
	return f, nil
}

// known reports whether a name means this family.
func known(name string) bool {
	for _, n := range [...]string{Family, "sliding-tiles", "sliding tiles", "8-puzzle", "15-puzzle"} {
		if strings.EqualFold(name, n) {
			return true
		}
	}
	return false
}

// metricOf returns the metric of a file.
func metricOf(f *boardfile.File) (metric, *puzzle.InputError) {
	v, ok := f.Value("metric")
	if !ok {
		return metricTile, nil
	}
	return parseMetric(v)
}

// text writes the puzzle with every header that it depends on.
func (g *game) text() string {
	return fmt.Sprintf("puzzle: %s\nmetric: %s\n%sgoal: %s\n\n%s\n", Family, g.metric, g.sizeHeader(), g.goalText(), g.Format([]uint64{g.start}))
}

// goalText writes the goal on one line.
func (g *game) goalText() string {
	return strings.ReplaceAll(g.Format([]uint64{g.goal}), "\n", " / ")
}
