// Package puzzle defines what Everystate explores: a puzzle as a set of
// states, the moves between them, and a goal test.
//
// Everything here is pure. A puzzle has no clock, no randomness, no logger and no
// context, performs no I/O, and imports the standard library only. The same state has
// the same successors in the same order on every machine and in every process, because
// layer counts, predecessor links and digests of a distributed run are compared bit by
// bit.
//
// A search problem usually has four parts. Here each takes many states at once, as
// keys:
//
//	state    a key; the initial state is one of Starts
//	moves    the moves of the edges that Successors appends
//	move     their keys; or Apply, for one move of one state
//	solved   Goals
//
// In addition, Undo traces a stored path back, Valid checks keys from outside, and
// Format, Parse and FormatMove convert to and from text.
//
// A [Puzzle] is immutable after construction and safe for concurrent use.
package puzzle

// A Move is a small integer that names a move of one puzzle. Its ids run from
// 0 to [Layout.Moves]-1. Where several moves of one layer lead to the same
// state, the least id becomes the predecessor link.
type Move uint16

// Reached is a state and the move that leads to it.
type Reached struct {
	Key  []uint64
	Move Move
}

// MovesMax is the largest number of distinct moves a puzzle may have.
const MovesMax = 1 << 16

// WordsMax is the largest number of 64-bit words in a state key.
const WordsMax = 8

// Layout describes the keys and moves of a puzzle.
type Layout struct {
	// KeyBits is the number of bits of a state key, 1 to 64*WordsMax. A puzzle
	// whose KeyBits is at most 64 has one-word keys, and every key is less
	// than 1<<KeyBits. A wider puzzle uses all 64 bits of each of its words,
	// the most significant word first.
	KeyBits int

	// Moves is the number of distinct move ids, 1 to MovesMax.
	Moves int

	// Reversible means that whenever a move leads from s to t, some move leads from
	// t to s. The successors of a state at depth d then lie at depth d-1, d or d+1,
	// and goal distances need successors only.
	Reversible bool

	// Alternating means that the state graph is bipartite: every cycle has an even
	// number of moves. It matters only in reversible spaces with a single start, where
	// no successor then lies in the layer of its state.
	Alternating bool

	// Graded means that all paths between two states have the same length, and so do
	// all paths from the starts to a state: each move changes some number, such as the
	// pegs left or the cells filled, by one. Each state is then in one layer only, and
	// layers are not compared with earlier ones. No graded space is reversible.
	Graded bool

	// HasGoal reports whether the puzzle has a goal test. Without one, no state is a
	// goal.
	HasGoal bool
}

// Words returns the number of 64-bit words of a state key.
func (l Layout) Words() int { return (l.KeyBits + 63) / 64 }

// Edges receives successors in batches: Keys holds len(Moves) state keys of
// Layout.Words words each, and Moves the move that led to each. The caller that passes
// an Edges owns it and reuses its memory.
type Edges struct {
	Keys  []uint64
	Moves []Move
}

// Reset empties e and keeps its memory.
func (e *Edges) Reset() {
	e.Keys = e.Keys[:0]
	e.Moves = e.Moves[:0]
}

// Len returns the number of edges.
func (e *Edges) Len() int { return len(e.Moves) }

// A Puzzle is one instance: a board with its walls, its start and its goal.
//
// States are passed as keys: Layout().Words() words per state, many states one after
// another in a slice. Keys are canonical: equal states have equal keys. Methods may
// assume that the keys they are given are keys of states (from Starts, Successors,
// Undo or Parse); check bytes from outside with Valid first.
type Puzzle interface {
	// Layout is constant for the life of the puzzle.
	Layout() Layout

	// Starts returns the start states, at least one, without repetition.
	Starts() []uint64

	// Valid reports whether key is the key of a state: any placement that the rules
	// allow, reachable or not. It must not panic for any words.
	Valid(key []uint64) bool

	// Successors appends to out every state that one move leads to from each of the
	// given states, in a fixed order: by state as given, then by increasing move id.
	// It allocates only to grow out.
	Successors(states []uint64, out *Edges)

	// Apply writes to dst the state that move leads to from state, and reports whether
	// the move is legal there. dst and state may be the same slice; dst is unchanged
	// if the move is not legal.
	Apply(dst, state []uint64, move Move) bool

	// Undo writes to dst the state from which move leads to state, and reports whether
	// there is one: it is the inverse of Apply. dst and state may be the same slice;
	// dst is unchanged if there is no predecessor.
	Undo(dst, state []uint64, move Move) bool

	// Goals sets marks[i] to whether the i-th of the given states is a goal.
	// len(marks) is the number of states.
	Goals(states []uint64, marks []bool)

	// Format writes a state as text in a notation that Parse reads: lines separated by
	// '\n', without a final newline.
	Format(state []uint64) string

	// Draw draws a state for people: like Format, but naming each piece as FormatMove
	// does, as far as one character allows.
	Draw(state []uint64) string

	// Parse reads a state of this puzzle in any notation of its family. The
	// error is an *InputError or wraps one.
	Parse(text string) ([]uint64, error)

	// FormatMove names a move in the field's notation, for example "A+2". Invalid
	// ids are allowed.
	FormatMove(move Move) string
}
