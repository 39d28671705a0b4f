package history

// State is what is going on with a run.
type State uint8

const (
	// Unknown is not a state: a later version's, perhaps.
	Unknown State = iota
	// Queued: other runs come first.
	Queued
	// Running: it is being worked on.
	Running
	// Waiting: it needs workers that are not there.
	Waiting
	// Paused: somebody has put it aside.
	Paused
	// Stopped: all that was asked for has been found, or a limit was reached.
	Stopped
	// Cancelled: somebody has given it up.
	Cancelled
	// Failed: it could not go on.
	Failed
)

var stateNames = [...]string{"unknown", "queued", "running", "waiting", "paused", "stopped", "cancelled", "failed"}

// String returns the state as people and JSON know it.
func (s State) String() string {
	if int(s) >= len(stateNames) {
		return stateNames[Unknown]
	}
	return stateNames[s]
}

// States returns all states but Unknown.
func States() []State {
	return []State{Queued, Running, Waiting, Paused, Stopped, Cancelled, Failed}
}

// Over reports whether nothing happens to the run until somebody asks for it.
func (s State) Over() bool {
	return s == Paused || s == Stopped || s == Cancelled || s == Failed
}
