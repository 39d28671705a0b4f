package playable

import (
	"errors"
	"fmt"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
)

// Limits of a file: what a browser can hold and display.
const (
	StatesMax = 500_000
	MovesMax  = 8_000_000

	looksMax = 1<<16 - 2 // different pieces, and grounds
	rawMax   = 256 << 20 // bytes before compression
)

var (
	// ErrIncomplete reports that states are missing.
	ErrIncomplete = errors.New("not every reachable state has been found")
	// ErrBackward reports that the moves of a run lead away from goals.
	ErrBackward = errors.New("a run from the goals undoes moves, so it cannot be played")
)

// TooLargeError reports that a run does not fit in a file.
type TooLargeError struct {
	Count int64
	What  string
	Most  int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s %s: a playable file holds at most %s", quantity.Count(e.Count), e.What, quantity.Count(e.Most))
}

// Check returns why a run cannot be written to a file, or nil.
func Check(space *query.Space) error {
	switch states := space.History.States(history.Forward); {
	case puzzle.IsRetrograde(space.Board.Puzzle):
		return ErrBackward
	case states > StatesMax:
		return &TooLargeError{states, "states", StatesMax}
	case !space.Complete():
		return ErrIncomplete
	case space.History.Goals() == 0:
		return query.ErrNoGoal
	case !space.HasDistances():
		return query.ErrNoDistances
	}
	return nil
}
