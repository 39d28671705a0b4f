package puzzle

// Notation is a text of a state, and the name of the notation that it is in.
type Notation struct{ Name, Text string }

// Notated is implemented by puzzles that other programs know in more notations than
// [Puzzle.Format] writes.
type Notated interface {
	// Notations writes a state in every notation that can express it. A text has no
	// headers; whoever reads it as a board may have to add those of the board.
	Notations(state []uint64) []Notation
}
