package permutation

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// family holds what distinguishes the files of the families.
type family struct {
	name      string
	aliases   []string // other values of the header "puzzle"
	metrics   []string // the default first
	notations []string // an alias that is one of them selects it too
	keys      []string // headers besides those of all families
}

// source is a file that is being read.
type source struct {
	*boardfile.File
	family   family
	metric   string
	notation string // empty if not stated
	board    puzzle.Board
}

// open parses a text and reads the headers of all families.
func (fam family) open(text []byte, opts puzzle.ReadOptions) (*source, *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return nil, fault
	}
	keys := append([]string{"puzzle", "name", "metric", "notation", "moves", "states"}, fam.keys...)
	if fault := f.CheckKeys(keys...); fault != nil {
		return nil, fault
	}
	s := &source{File: f, family: fam, board: puzzle.Board{Family: fam.name}}
	if s.board.Name, fault = f.Name(); fault != nil {
		return nil, fault
	}
	if s.board.Expect, fault = f.Expect(); fault != nil {
		return nil, fault
	}
	if fault := s.setNotation(opts); fault != nil {
		return nil, fault
	}
	if fault := s.setMetric(opts); fault != nil {
		return nil, fault
	}
	return s, nil
}

// setNotation reads which notation the file is in. What takes precedence comes last.
func (s *source) setNotation(opts puzzle.ReadOptions) *puzzle.InputError {
	if v, ok := s.Value("puzzle"); ok {
		name, fault := oneOf("puzzle", v, slices.Concat([]string{s.family.name}, s.family.aliases))
		if fault != nil {
			return fault
		}
		if name != s.family.name && slices.Contains(s.family.notations, name) {
			s.notation = name
		}
	}
	v, ok := s.Value("notation")
	if opts.Notation != "" {
		v, ok = boardfile.Piece{Text: opts.Notation}, true
	}
	if !ok {
		return nil
	}
	name, fault := oneOf("notation", v, s.family.notations)
	if fault == nil {
		s.notation = name
	}
	return fault
}

// setMetric reads the metric. A promised number of moves applies only to the file's
// own.
func (s *source) setMetric(opts puzzle.ReadOptions) *puzzle.InputError {
	s.metric = s.family.metrics[0]
	if v, ok := s.Value("metric"); ok {
		name, fault := oneOf("metric", v, s.family.metrics)
		if fault != nil {
			return fault
		}
		s.metric = name
	}
	if opts.Metric != "" {
		name, fault := oneOf("metric", boardfile.Piece{Text: opts.Metric}, s.family.metrics)
		if fault != nil {
			return fault
		}
		if name != s.metric {
			s.board.Expect.SolutionLength = -1
		}
		s.metric = name
	}
	s.board.Metric = s.metric
	return nil
}

// oneOf reads one of several names.
func oneOf(what string, v boardfile.Piece, names []string) (string, *puzzle.InputError) {
	for _, name := range names {
		if strings.EqualFold(strings.TrimSpace(v.Text), name) {
			return name, nil
		}
	}
	return "", v.Faultf("unknown %s %s: must be %s", what, boardfile.Quote(v.Text), strings.Join(names, " or "))
}

// line returns the only line of the body, or an empty one if there is none.
func (s *source) line() (boardfile.Piece, *puzzle.InputError) {
	return onlyLine(s.File)
}

func onlyLine(f *boardfile.File) (boardfile.Piece, *puzzle.InputError) {
	switch len(f.Body) {
	case 0:
		return boardfile.Piece{}, nil
	case 1:
		return f.Body[0].Trim(), nil
	}
	return boardfile.Piece{}, f.Body[1].Faultf("a second line: an arrangement is one line")
}

// finish makes a board of what was read. It refuses a goal with a piece where no move
// brings it.
func (s *source) finish(sys system, n notation, text, note string) ([]puzzle.Board, *puzzle.InputError) {
	sys.settle(sys.start)
	if !sys.open(sys.start) {
		return nil, boardfile.Piece{}.Faultf("the start has a piece where it must not be: %s", n.line(sys.start))
	}
	orbits := sys.orbits()
	for i, goal := range sys.goals {
		sys.settle(goal)
		if !sys.open(goal) {
			return nil, boardfile.Piece{}.Faultf("goal %d has a piece where it must not be: %s", i+1, n.line(goal))
		}
		if place := sys.misplaced(orbits, goal); place >= 0 {
			v, _ := s.Value("goal")
			return nil, v.Faultf("no move brings the piece that the goal has at place %d there: %s", place+1, n.line(goal))
		}
	}
	p, ok := newPuzzle(sys, n)
	if !ok {
		return nil, boardfile.Piece{}.Faultf("too many pieces: a state takes at most %d bytes", 8*puzzle.WordsMax)
	}
	s.board.Puzzle, s.board.Text, s.board.Note = p, text, note
	return []puzzle.Board{s.board}, nil
}
