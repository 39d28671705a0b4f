package everystate

import (
	"errors"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/store"
)

// The errors to branch on with errors.Is. A fault in the text of a board is a
// [puzzle.InputError]; after a cancellation the error is the context's.
var (
	// ErrUnreachable reports that a state cannot be reached from the start, or has
	// not been reached yet in a run that is not complete.
	ErrUnreachable = query.ErrUnreachable
	// ErrNoGoal reports that no goal can be reached from a state, or from any
	// state.
	ErrNoGoal = query.ErrNoGoal
	// ErrNoGoalDistances reports that the run has not computed goal distances.
	ErrNoGoalDistances = query.ErrNoDistances

	// ErrNotExist reports that a directory holds no run.
	ErrNotExist = store.ErrNotExist
	// ErrInUse reports that another process, or another Run of this process, has
	// the run open.
	ErrInUse = store.ErrLocked
	// ErrOtherPuzzle reports that a directory holds the run of another puzzle.
	ErrOtherPuzzle = engine.ErrOtherPuzzle
	// ErrForeign reports that a directory holds something other than a run.
	ErrForeign = engine.ErrForeign
	// ErrReadOnly reports that a run was opened read-only.
	ErrReadOnly = errors.New("the run is open read-only")
	// ErrClosed reports that a run was closed.
	ErrClosed = errors.New("the run is closed")

	// ErrSeveralBoards reports that a text holds more than one board.
	ErrSeveralBoards = errors.New("the text has several boards: must have one")
	// ErrNameless reports that a board has no Text, without which a run in a
	// directory cannot be identified when it is opened again.
	ErrNameless = errors.New("a board without a text cannot be identified when its run is reopened: set Board.Text")
)

// IsCorruption reports whether err means that stored data is damaged.
func IsCorruption(err error) bool { return store.IsCorruption(err) }

// IsDiskFull reports whether err means that the disk is full. The run can be
// resumed once there is room.
func IsDiskFull(err error) bool { return store.IsDiskFull(err) }
