// Package source reads what the files of all families of permutation puzzles share: their
// headers, and a body of one line.
//
// It must never know a puzzle, nor what its other headers say. A File is for one reader.
package source

import (
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family holds what distinguishes the files of a family.
type Family struct {
	Name      string
	Aliases   []string // other values of the header "puzzle"
	Metrics   []string // the default first
	Notations []string // an alias that is one of them selects it too
	Keys      []string // headers besides those of all families
}

// File is a file that is being read.
type File struct {
	*boardfile.File
	Metric   string
	Notation string       // empty if not stated
	Board    puzzle.Board // so far: without a puzzle, text and note

	family Family
}

// Open parses a text and reads the headers of all families.
func (fam Family) Open(text []byte, opts puzzle.ReadOptions) (*File, *puzzle.InputError) {
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return nil, fault
	}
	keys := append([]string{"puzzle", "name", "metric", "notation", "moves", "states"}, fam.Keys...)
	if fault := f.CheckKeys(keys...); fault != nil {
		return nil, fault
	}
	s := &File{File: f, family: fam, Board: puzzle.Board{Family: fam.Name}}
	if s.Board.Name, fault = f.Name(); fault != nil {
		return nil, fault
	}
	if s.Board.Expect, fault = f.Expect(); fault != nil {
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
func (s *File) setNotation(opts puzzle.ReadOptions) *puzzle.InputError {
	if v, ok := s.Value("puzzle"); ok {
		name, fault := OneOf("puzzle", v, slices.Concat([]string{s.family.Name}, s.family.Aliases))
		if fault != nil {
			return fault
		}
		if name != s.family.Name && slices.Contains(s.family.Notations, name) {
			s.Notation = name
		}
	}
	v, ok := s.Value("notation")
	if opts.Notation != "" {
		v, ok = boardfile.Piece{Text: opts.Notation}, true
	}
	if !ok {
		return nil
	}
	name, fault := OneOf("notation", v, s.family.Notations)
	if fault == nil {
		s.Notation = name
	}
	return fault
}

// setMetric reads the metric. A promised number of moves applies only to the file's
// own.
func (s *File) setMetric(opts puzzle.ReadOptions) *puzzle.InputError {
	s.Metric = s.family.Metrics[0]
	if v, ok := s.Value("metric"); ok {
		name, fault := OneOf("metric", v, s.family.Metrics)
		if fault != nil {
			return fault
		}
		s.Metric = name
	}
	if opts.Metric != "" {
		name, fault := OneOf("metric", boardfile.Piece{Text: opts.Metric}, s.family.Metrics)
		if fault != nil {
			return fault
		}
		if name != s.Metric {
			s.Board.Expect.SolutionLength = -1
		}
		s.Metric = name
	}
	s.Board.Metric = s.Metric
	return nil
}

// OneOf reads one of several names.
func OneOf(what string, v boardfile.Piece, names []string) (string, *puzzle.InputError) {
	for _, name := range names {
		if strings.EqualFold(strings.TrimSpace(v.Text), name) {
			return name, nil
		}
	}
	return "", v.Faultf("unknown %s %s: must be %s", what, boardfile.Quote(v.Text), strings.Join(names, " or "))
}

// Line returns the only line of the body, or an empty one if there is none.
func (s *File) Line() (boardfile.Piece, *puzzle.InputError) {
	return OnlyLine(s.File)
}

// OnlyLine returns the only line of the body of a file, or an empty one if there is none.
func OnlyLine(f *boardfile.File) (boardfile.Piece, *puzzle.InputError) {
	switch len(f.Body) {
	case 0:
		return boardfile.Piece{}, nil
	case 1:
		return f.Body[0].Trim(), nil
	}
	return boardfile.Piece{}, f.Body[1].Faultf("a second line: an arrangement is one line")
}
