package history

// Spec is what a run explores. It never changes, and all that a run finds out
// follows from it.
type Spec struct {
	Family, Name, Metric string
	// Text is the board in its family's canonical notation.
	Text string
	// Partitions is a power of two.
	Partitions int
	// Module holds the bytes of the WebAssembly module that is the puzzle. It is
	// empty if the puzzle is of a family.
	Module string
	// Units is how many units the run has if it is a sweep, whose rules Text holds.
	// It is 0 if the run explores a board.
	Units int
	// Store is how the run keeps its states. The answers do not depend on it.
	Store Store
}

// Store is how a run keeps its states.
type Store uint8

const (
	// Layers keeps every layer with its states and their links.
	Layers Store = iota
	// Table keeps two bits for every state that there may be (internal/table).
	Table
)
