package history

// State is the state of a run as a whole.
type State uint8

const (
	// Unknown is not a state. It may stand for one of a later version.
	Unknown State = iota
	// Queued: other runs come first.
	Queued
	// Running: workers are exploring it.
	Running
	// Waiting: it needs workers that are not available.
	Waiting
	// Paused: somebody paused it.
	Paused
	// Stopped: everything asked for has been found, or a limit was reached.
	Stopped
	// Cancelled: somebody gave it up.
	Cancelled
	// Failed: it could not continue.
	Failed
)

var stateNames = [...]string{"unknown", "queued", "running", "waiting", "paused", "stopped", "cancelled", "failed"}

// String returns the name of the state for people and in JSON.
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

// Over reports whether nothing will happen to the run until somebody asks for
// it.
func (s State) Over() bool {
	return s == Paused || s == Stopped || s == Cancelled || s == Failed
}
