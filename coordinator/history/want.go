package history

import "github.com/everystate/everystate/puzzle"

// Want says how far a run should go. The zero value asks for every state that can
// be reached.
type Want struct {
	// MaxDepth stops after the layer at this depth; 0 is the layer of the starts.
	// Nil means no limit.
	MaxDepth *int
	// MaxStates stops after the layer that brings the forward phase to this many
	// states. Zero means no limit.
	MaxStates int64
	// StopAtGoal stops after the first layer that holds a goal state.
	StopAtGoal bool
	// GoalDistance adds the goal phase, once the forward phase is exhausted.
	GoalDistance bool
	// Settle has each partition kept by a worker that is there before the run
	// stops, even if there is no layer to be made.
	Settle bool
}

// For returns what is wanted of a puzzle that has come so far. The depths of a puzzle
// that is explored from its goals are goal distances, so it needs no goal phase; one
// that an earlier version began is ended.
func (w Want) For(p puzzle.Puzzle, h *History) Want {
	if puzzle.IsRetrograde(p) && len(h.Layers(Goal)) == 0 {
		w.GoalDistance = false
	}
	return w
}

// DepthReached reports whether MaxDepth stops a run that has so many layers.
func (w Want) DepthReached(layers int) bool { return w.MaxDepth != nil && layers > *w.MaxDepth }

// Reason says why a run stopped.
type Reason uint8

const (
	// Exhausted: every state that was asked for has been found.
	Exhausted Reason = iota + 1
	// DepthReached, StatesReached and GoalReached: a limit of Want.
	DepthReached
	StatesReached
	GoalReached
	// CannotGoOn: a worker failed.
	CannotGoOn
)
