package query

import (
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// A DroppedError reports that an answer needs states of layers that the run has dropped.
type DroppedError struct {
	// Depth is that of the layer, -1 if the state asked for may be in any of them, or -2
	// if all are needed.
	Depth int
	// Kept and Dropped count the layers that the run still has, and those it has not.
	Kept, Dropped int
	// What was tried instead and did not succeed; may be empty.
	What string
}

func (e *DroppedError) Error() string {
	const again = "explore the board as another run with --keep "
	if e.Depth < -1 {
		return fmt.Sprintf("this needs every layer, and %d of %d were dropped (--keep frontier): %sall", e.Dropped, e.Kept+e.Dropped, again)
	}
	if e.Depth < 0 {
		return fmt.Sprintf("the state is in none of the %d layers that the run still has; %d were dropped (--keep frontier): %sall", e.Kept, e.Dropped, again)
	}
	what := "and only its counts are known"
	if e.What != "" {
		what = "and " + e.What
	}
	return fmt.Sprintf("layer %d was dropped (--keep frontier), %s: %sfrontier,%d, or --keep all", e.Depth, what, again, e.Depth)
}

// droppedAt returns the error that a layer of the forward phase has been dropped, or one
// of those that DroppedError.Depth describes.
func droppedAt(s *Space, depth int) *DroppedError {
	n := s.History.DroppedLayers()
	return &DroppedError{Depth: depth, Kept: len(s.History.Layers(history.Forward)) - n, Dropped: n}
}

// Whole returns a *DroppedError if the run has dropped layers.
func Whole(s *Space) error {
	if s.History.DroppedLayers() > 0 {
		return droppedAt(s, -2)
	}
	return nil
}

// mayHaveDropped reports whether one of the dropped layers may hold a state that is not a
// start.
func mayHaveDropped(dropped []history.Layer) bool {
	return slices.ContainsFunc(dropped, func(l history.Layer) bool { return l.Depth > 0 })
}

// IsDropped reports whether an error is a *DroppedError.
func IsDropped(err error) bool {
	var dropped *DroppedError
	return errors.As(err, &dropped)
}

// isStart reports whether a state is one of the starts, which are layer 0 whether the
// run has dropped it or not.
func isStart(s *Space, key []uint64) bool {
	for start := range slices.Chunk(s.Board.Puzzle.Starts(), s.Scheme.Words()) {
		if slices.Equal(start, key) {
			return true
		}
	}
	return false
}

// movesBetween returns the moves of a path through states: of several moves from one to
// the next, the least.
func movesBetween(s *Space, states [][]uint64) ([]puzzle.Move, error) {
	var edges puzzle.Edges
	words := s.Scheme.Words()
	moves := make([]puzzle.Move, 0, len(states))
	for i := 1; i < len(states); i++ {
		edges.Reset()
		s.Board.Puzzle.Successors(states[i-1], &edges)
		at := -1
		for j, m := range edges.Moves {
			if slices.Equal(edges.Keys[j*words:(j+1)*words], states[i]) && (at < 0 || m < edges.Moves[at]) {
				at = j
			}
		}
		if at < 0 {
			return nil, s.puzzleErrOr(fmt.Errorf("no move leads from a state to the next of its path\n%s", s.Board.Puzzle.Format(states[i-1])))
		}
		moves = append(moves, edges.Moves[at])
	}
	return moves, nil
}
