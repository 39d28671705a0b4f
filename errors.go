package everystate

import (
	"errors"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/store"
)

// The errors to branch on with errors.Is. What is wrong with the text of a board is
// a [puzzle.InputError], and whoever cancels a context gets its error.
var (
	// ErrUnreachable says that a state cannot be reached from the start, or has not
	// been reached yet in a run that is not complete.
	ErrUnreachable = query.ErrUnreachable
	// ErrNoGoal says that no goal can be reached from a state, or from any.
	ErrNoGoal = query.ErrNoGoal
	// ErrNoGoalDistances says that the run has not computed goal distances.
	ErrNoGoalDistances = query.ErrNoDistances

	// ErrNotExist says that a directory has no run.
	ErrNotExist = store.ErrNotExist
	// ErrInUse says that another process, or another Run of this one, uses the run.
	ErrInUse = store.ErrLocked
	// ErrOtherPuzzle says that a directory has the run of another puzzle.
	ErrOtherPuzzle = engine.ErrOtherPuzzle
	// ErrForeign says that a directory has something else than a run in it.
	ErrForeign = engine.ErrForeign
	// ErrReadOnly says that a run was opened for questions only.
	ErrReadOnly = errors.New("the run is open for questions only")
	// ErrClosed says that a run was closed.
	ErrClosed = errors.New("the run is closed")

	// ErrSeveralBoards says that a text has more boards than the one asked for.
	ErrSeveralBoards = errors.New("the text has several boards")
	// ErrNameless says that a board cannot be known again: a run in a directory
	// needs its Text.
	ErrNameless = errors.New("a board without a text cannot be known again: set Board.Text")
)

// IsCorruption reports whether an error says that something stored is damaged.
func IsCorruption(err error) bool { return store.IsCorruption(err) }

// IsDiskFull reports whether an error says that there is no more room. The run can
// be gone on with when there is.
func IsDiskFull(err error) bool { return store.IsDiskFull(err) }
