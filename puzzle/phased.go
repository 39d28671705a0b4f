package puzzle

// Phased is a puzzle of which some pieces may be solved while others are not, so that it can
// be asked how far the states of a phase are from a goal.
type Phased interface {
	// WithSolved reads the names of some pieces. It returns a function that calls f with each
	// state that a state stands for, itself unless symmetric ones are merged, in which these
	// pieces are as in some goal. f must not retain it. The function may keep scratch memory,
	// so it is not safe for concurrent use.
	WithSolved(pieces string) (func(state []uint64, f func(state []uint64)), error)
}

// WithSolved is that of a Phased puzzle, or an error.
func WithSolved(p Puzzle, pieces string) (func(state []uint64, f func(state []uint64)), error) {
	if phased, ok := p.(Phased); ok {
		return phased.WithSolved(pieces)
	}
	return nil, &InputError{What: "there are no pieces to name here: this works for permutation puzzles whose file defines the moves"}
}
