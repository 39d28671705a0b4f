package history

import "github.com/everystate/everystate/puzzle"

// Want is how far a run should go. The zero value asks for every reachable state.
type Want struct {
	// MaxDepth stops after the layer at this depth; 0 is the layer of the starts.
	// Nil means no limit.
	MaxDepth *int
	// MaxStates stops after the layer that brings the forward phase to this many
	// states. Zero means no limit.
	MaxStates int64
	// StopAtGoal stops after the first layer that holds a goal state.
	StopAtGoal bool
	// GoalDistance asks for the goal phase once the forward phase is exhausted.
	GoalDistance bool
	// Settle asks that each partition be kept by a worker that is present before the
	// run stops, even if there is no layer to make.
	Settle bool
}

// For adapts w to a puzzle and the history of its run. Where depths are goal distances,
// no goal phase is needed; one that an earlier version began is completed.
func (w Want) For(p puzzle.Puzzle, h *History) Want {
	if h.DistancePhase(p) == Forward && len(h.Layers(Goal)) == 0 {
		w.GoalDistance = false
	}
	return w
}

// Resumed returns how far a run goes that is resumed without being told how far: as far
// as before, or, if it has come to its end, without the limits that ended it. state is
// the run's state until then.
func (w Want) Resumed(state State) Want {
	if state == Stopped {
		return Want{GoalDistance: w.GoalDistance}
	}
	w.Settle = false
	return w
}

// DepthReached reports whether MaxDepth stops a run that has the given number of
// layers.
func (w Want) DepthReached(layers int) bool { return w.MaxDepth != nil && layers > *w.MaxDepth }

// Reason is why a run stopped.
type Reason uint8

const (
	// Exhausted: everything asked for has been found.
	Exhausted Reason = iota + 1
	// DepthReached, StatesReached and GoalReached: a limit of Want.
	DepthReached
	StatesReached
	GoalReached
	// CannotGoOn: a worker failed.
	CannotGoOn
)
