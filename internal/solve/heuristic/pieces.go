package heuristic

import (
	"errors"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
)

// newPlaces sums, over the places of the goal, the moves that the nearest piece needs
// to get there on an empty board.
func newPlaces(b *puzzle.Board) (solve.Heuristic, error) {
	p := b.Puzzle
	if _, ok := blocks.WantsOf(p, p.Starts()); !ok {
		return nil, errors.New("not a board of sliding blocks")
	}
	moves := map[string]func(rows, cols int) int{
		"step":  func(rows, cols int) int { return rows + cols },
		"slide": func(rows, cols int) int { return min(rows, 1) + min(cols, 1) },
		"move":  func(rows, cols int) int { return min(rows+cols, 1) },
	}[b.Metric]
	if moves == nil {
		return nil, errors.New("no heuristic for the metric " + b.Metric)
	}
	return each{p.Layout().Words(), func(state []uint64) int32 {
		wants, _ := blocks.WantsOf(p, state)
		sum := 0
		for _, w := range wants {
			least := solve.Dead
			for _, at := range w.From {
				least = min(least, moves(apart(at.Row, w.To.Row), apart(at.Col, w.To.Col)))
			}
			sum += least
		}
		return int32(min(sum, solve.Dead))
	}}, nil
}
