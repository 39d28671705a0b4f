package rushhour

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
	family "github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/sweep"
)

// Metric names what counts as a move.
func (r *Rules) Metric() string {
	if r.Step {
		return "step"
	}
	return "slide"
}

// Head returns the headers that hold for the boards of all records, and a blank line,
// and Body a board below it, with what it promises.
func (r *Rules) Head() []byte {
	return fmt.Appendf(nil, "puzzle: %s\nmetric: %s\nnotation: letters-extended\nsize: %dx%d\ngoal: A\nexit: right\n", family.Family, r.Metric(), r.Size, r.Size)
}

// Body is described with Head.
func (r *Rules) Body(record *sweep.Record) []byte {
	text := fmt.Appendf(nil, "moves: %d\nstates: %d\n", record.Distance(), record.States())
	for i := 0; i+r.Size <= len(record.Board); i += r.Size {
		text = append(append(text, record.Board[i:i+r.Size]...), '\n')
	}
	return text
}

// Board returns a record as a board that can be explored. Which way a vehicle of one
// cell moves a record does not say, so that sweeps with such vehicles have none.
func (r *Rules) Board(record *sweep.Record) (puzzle.Board, error) {
	if slices.Contains(r.Lengths, 1) {
		return puzzle.Board{}, fmt.Errorf("a record does not say which way vehicles of one cell move")
	}
	boards, err := family.Read(append(r.Head(), r.Body(record)...), puzzle.ReadOptions{})
	if err != nil {
		return puzzle.Board{}, fmt.Errorf("record %s: %w", record.Board, err)
	}
	return boards[0], nil
}
