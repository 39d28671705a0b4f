package puzzle

// Symmetric is a puzzle whose states can be merged under symmetries: maps of the states
// onto themselves that map moves to moves and goals to goals.
type Symmetric interface {
	// Symmetries returns the group of symmetries with a name. "on" is the name of
	// the usual one, which every puzzle has; a family's table lists the others. The
	// error is an *InputError that says why there is none.
	Symmetries(name string) (*Symmetries, error)
}

// SymmetriesMax is the greatest number of symmetries of a group. There must not be more
// than MovesMax pairs of a move and a symmetry either.
const SymmetriesMax = 1024

// Symmetries is a group of symmetries of a puzzle. It is immutable and safe for
// concurrent use. Package symmetry makes a puzzle of it whose states are one
// representative of each orbit.
type Symmetries struct {
	// Puzzle is the puzzle whose states are merged.
	Puzzle interface {
		Puzzle
		Pictured
	}

	// Names names the symmetries, of which there is at least one. The first is the
	// identity, whose name is not shown.
	Names []string

	// Moves holds, by symmetry and then by move, the image of the move: if m leads
	// from s to t, then Moves[g][m] leads from the image of s to that of t.
	Moves [][]Move

	// Inverse holds the inverse of each symmetry.
	Inverse []int

	// Cancels, unless it is nil, reports whether in every state b after a does
	// nothing, or the same as a single move.
	Cancels func(a, b Move) bool

	// Commutes, unless it is nil, reports whether two moves, in every state in which b
	// is legal after a, are legal in the other order too and lead to the same state.
	Commutes func(a, b Move) bool

	SymmetryAction
}

// SymmetryAction is what symmetries do to states. One state of each orbit is its
// representative. No method allocates memory.
type SymmetryAction interface {
	// Image writes to dst the image of a state under a symmetry. dst and state may be
	// the same slice.
	Image(dst, state []uint64, symmetry int)

	// First returns the first symmetry that maps a state to its representative.
	First(state []uint64) int

	// Fixing returns how many symmetries map a state to itself.
	Fixing(state []uint64) int

	// Merge is given the states to which moves lead from a state, or from which they
	// lead to it. It replaces each state by its representative, and each move m by
	// m*n + First of the state, where n is the number of symmetries.
	Merge(state, keys []uint64, moves []Move)
}

// Merged is a puzzle whose states each stand for an orbit of another puzzle's, of which
// they are one. Its moves are those of the other puzzle, each with the symmetry that
// follows it.
type Merged interface {
	// Unmerged returns the other puzzle.
	Unmerged() Puzzle

	// Represent writes to dst the state that stands for a state of the other puzzle.
	// dst and state may be the same slice.
	Represent(dst, state []uint64)

	// Unfold turns a path through representatives into one through states of the
	// other puzzle: states has one more element than moves, moves[i] leads from
	// states[i] to states[i+1], and both are overwritten. The new path passes through
	// the state that is given, at the index at, or if it is nil begins at a start.
	// A move m of the other puzzle is written as the move m without a symmetry.
	Unfold(states [][]uint64, moves []Move, at int, state []uint64)

	// Plain returns a move of the other puzzle as a move without a symmetry, and
	// Bare the move of the other puzzle that is part of a move.
	Plain(move Move) Move
	Bare(move Move) Move
}

// Unmerged returns the puzzle whose states are told apart: p, or that of which it
// merges symmetric states.
func Unmerged(p Puzzle) Puzzle {
	if m, ok := p.(Merged); ok {
		return m.Unmerged()
	}
	return p
}

// Represent returns the state of a puzzle that stands for a state: another one if the
// puzzle merges symmetric states.
func Represent(p Puzzle, state []uint64) []uint64 {
	m, ok := p.(Merged)
	if !ok {
		return state
	}
	dst := make([]uint64, len(state))
	m.Represent(dst, state)
	return dst
}
