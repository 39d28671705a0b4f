package blocks

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Family is the name of this family of puzzles, and of its notation.
const Family = "blocks"

// Read reads the only board of a text. An error is a *puzzle.InputError.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	b, fault := readPuzzle(text, opts)
	if fault != nil {
		return nil, fault
	}
	return []puzzle.Board{b}, nil
}

func readPuzzle(text []byte, opts puzzle.ReadOptions) (puzzle.Board, *puzzle.InputError) {
	var none puzzle.Board
	f, fault := boardfile.Parse(text)
	if fault != nil {
		return none, fault
	}
	s, fault := readSetup(f, opts)
	if fault != nil {
		return none, fault
	}
	name, fault := f.Name()
	if fault != nil {
		return none, fault
	}
	expect, fault := f.Expect()
	if fault != nil {
		return none, fault
	}
	remark := ""
	file, given := f.Value("metric")
	if !given {
		file.Text = metricStep.String()
	}
	if expect.SolutionLength >= 0 && !strings.EqualFold(file.Text, s.metric.String()) {
		remark = fmt.Sprintf("; %s promised in the metric %s, not checked", plural(expect.SolutionLength, "move"), strings.ToLower(file.Text))
		expect.SolutionLength = -1
	}
	return puzzle.Board{
		Puzzle: newGame(s),
		Family: Family,
		Name:   name,
		Metric: s.metric.String(),
		Text:   canonicalText(s),
		Note:   note(s) + remark,
		Expect: expect,
	}, nil
}

// readSetup makes a setup of headers and board.
func readSetup(f *boardfile.File, opts puzzle.ReadOptions) (*setup, *puzzle.InputError) {
	if fault := f.CheckKeys("puzzle", "name", "metric", "notation", "goal", "interchangeable", "moves", "states"); fault != nil {
		return nil, fault
	}
	s := &setup{}
	fault := s.readOptions(f, opts)
	if fault != nil {
		return nil, fault
	}
	b, fault := readBoard(f.Body)
	if fault != nil {
		return nil, fault
	}
	s.board = *b
	if len(s.pieces) == 0 {
		return nil, f.Body[0].Faultf("the board has no piece: letters and digits are pieces")
	}
	if s.find(goalSymbol) >= 0 {
		s.own = string(goalSymbol)
	}
	if goal, ok := f.Value("goal"); ok {
		if fault := s.readGoal(goal); fault != nil {
			return nil, fault
		}
	}
	return s, nil
}

// readOptions reads what does not depend on the board. Options take precedence over
// headers, which must be valid nevertheless.
func (s *setup) readOptions(f *boardfile.File, opts puzzle.ReadOptions) *puzzle.InputError {
	header, given := f.Value("metric")
	for _, m := range []struct {
		name  boardfile.Piece
		given bool
	}{{header, given}, {boardfile.Piece{Text: opts.Metric}, opts.Metric != ""}} {
		if !m.given {
			continue
		}
		var fault *puzzle.InputError
		if s.metric, fault = parseMetric(m.name); fault != nil {
			return fault
		}
	}
	notation, _ := f.Value("notation")
	for _, n := range []boardfile.Piece{notation, {Text: opts.Notation}} {
		if n.Text != "" && !strings.EqualFold(n.Text, Family) {
			return n.Faultf("unknown notation %s: must be %s", boardfile.Quote(n.Text), Family)
		}
	}
	if v, ok := f.Value("interchangeable"); ok {
		switch strings.ToLower(v.Text) {
		case "yes":
		case "no":
			s.distinct = true
		default:
			return v.Faultf("interchangeable: must be yes (pieces of equal shape are interchangeable) or no (every piece is distinct)")
		}
	}
	return nil
}
