package pack

import (
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
	family "github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/sweep"
	"github.com/everystate/everystate/sweep/rushhour"
)

// Headers returns the headers that hold for the boards of all records of a sweep,
// and Body a board below them, with what it promises.
func Headers(r *rushhour.Rules) []byte {
	return fmt.Appendf(nil, "puzzle: %s\nmetric: %s\nnotation: letters-extended\nsize: %dx%d\ngoal: A\nexit: right\n", family.Family, Metric(r), r.Size, r.Size)
}

// Body is described with Headers.
func Body(r *rushhour.Rules, record *sweep.Record) []byte {
	text := fmt.Appendf(nil, "moves: %d\nstates: %d\n", record.Distance(), record.States())
	for i := 0; i+r.Size <= len(record.Board); i += r.Size {
		text = append(append(text, record.Board[i:i+r.Size]...), '\n')
	}
	return text
}

// Metric names what counts as a move.
func Metric(r *rushhour.Rules) string {
	if r.Step {
		return "step"
	}
	return "slide"
}

// errSingles is why some records have no board.
var errSingles = errors.New("a record does not say which way vehicles of one cell move: sweeps with such vehicles have no boards, pictures or packs")

// Board returns a record as a board that can be explored.
func Board(r *rushhour.Rules, record *sweep.Record) (puzzle.Board, error) {
	if slices.Contains(r.Lengths, 1) {
		return puzzle.Board{}, errSingles
	}
	boards, err := family.Read(append(Headers(r), Body(r, record)...), puzzle.ReadOptions{})
	if err != nil {
		return puzzle.Board{}, fmt.Errorf("record %s: %w", record.Board, err)
	}
	return boards[0], nil
}
