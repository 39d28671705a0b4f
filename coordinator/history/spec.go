package history

// Spec is what a run explores. It never changes, and everything that a run finds
// follows from it.
type Spec struct {
	Family, Name, Metric string
	// Text is the board in its family's canonical notation.
	Text string
	// Above is Board.Above. Like Name it is for people, and two runs may differ in it alone.
	Above int
	// Partitions is a power of two.
	Partitions int
	// Module holds the bytes of the WebAssembly module that implements the puzzle.
	// It is empty if a built-in family does.
	Module string
	// Units is the number of units if the run is a sweep, whose rules are then in
	// Text. It is 0 if the run explores a board.
	Units int
	// Store is how the run keeps its states. The answers do not depend on it.
	Store Store
	// Folded says that a table's ranks are folded (puzzle.Fold).
	Folded bool
	// Keep is which layers stay.
	Keep Keep
}

// Store is how a run keeps its states.
type Store uint8

const (
	// Layers keeps every layer: its states and their links.
	Layers Store = iota
	// Table keeps two bits for every possible state (internal/table). On a cluster one worker
	// keeps them.
	Table
	// DividedTable keeps two bits for every possible state as well, divided among the
	// workers like the states themselves, and the last layers as Layers does.
	DividedTable
	// AnyStore leaves it to the coordinator that a run is submitted to. No run has it.
	AnyStore
)
