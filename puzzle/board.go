package puzzle

import "fmt"

// A Board is a puzzle together with what its file says of it.
type Board struct {
	Puzzle Puzzle

	// Family is the name of the family, for example "rush-hour".
	Family string

	// Name is the board's name from its header or its title, or empty.
	Name string

	// Metric says what counts as one move; always the metric's main name.
	Metric string

	// Text is the board in its family's own canonical notation with all
	// header lines it needs: parsed again with no options, it gives a puzzle
	// with the same keys, moves and starts.
	Text string

	// Note is a line for people: what the board is, and what was assumed when
	// it was read ("goal vehicle A, exit right in row 3; 13 vehicles on 6x6").
	Note string

	// Expect holds what the input promised of the space.
	Expect Expect
}

// Expect is what a database line or a header promises. Unknown numbers are -1.
type Expect struct {
	SolutionLength int
	States         int64
}

// ExpectNothing returns the Expect of a board that promises nothing.
func ExpectNothing() Expect { return Expect{SolutionLength: -1, States: -1} }

// ReadOptions says how to read a text.
type ReadOptions struct {
	// Metric overrides the metric of the file. Empty means the file's, or the
	// family's default.
	Metric string

	// Notation forces a notation. Empty means that it is recognised.
	Notation string

	// Moves are the only ones that there are to be, as "U,F,R2", in the families whose
	// texts say what the moves are. Empty means all.
	Moves string

	// Prune has moves left out after which no goal can be reached, as far as the
	// family knows them. Only some families can.
	Prune bool

	// FromGoals has the goals explored from, by moves taken back. It is a metric of
	// the families that can.
	FromGoals bool

	// Level chooses one of a game's levels, from 1, in the families whose texts hold
	// games. Zero means the file's choice, or all levels.
	Level int
}

// InputError says what is wrong with a puzzle's text, and where.
type InputError struct {
	// Line and Column count from 1; 0 means that the fault has no place.
	// Columns count bytes.
	Line, Column int

	// What says what is wrong and what would be right, in one line.
	What string
}

func (e *InputError) Error() string {
	switch {
	case e.Line > 0 && e.Column > 0:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
	case e.Line > 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.What)
	}
	return e.What
}
