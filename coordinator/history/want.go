package history

// Want says how far a run should go.
type Want struct {
	// MaxDepth stops after the layer at this depth. Negative means no limit.
	MaxDepth int
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
