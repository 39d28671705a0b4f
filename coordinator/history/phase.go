package history

// Phase is one of the breadth-first searches of a run.
type Phase uint8

const (
	// Forward searches from the start states; layer d holds the states at
	// depth d.
	Forward Phase = iota + 1
	// Goal searches from all reachable goal states at once; layer d holds the
	// states at goal distance d.
	Goal
)

func (p Phase) String() string {
	switch p {
	case Forward:
		return "forward"
	case Goal:
		return "goal distance"
	}
	return "unknown phase"
}
