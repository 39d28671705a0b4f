package puzzle

import "math/big"

// Optional interfaces of a [Puzzle]. They are independent of one another, and the
// engine works without any of them.

// Onward is a puzzle that prunes moves given the last one: it leaves out successors
// that are duplicates, or that another state of the layer generates by a smaller move.
type Onward interface {
	// Onward is Successors given, for each state s, the move links[i] that led to
	// it from a state p one move nearer to the starts. It may leave out the
	// successor t of s by a move m if
	//
	//	t is p (parent pruning), or
	//	one move leads from p to t, or
	//	two moves lead from p to t, the last of which is less than m.
	//
	// The last rule prunes commuting moves: if m is also legal before links[i] and
	// both orders lead to t, then t is generated with the greater move first.
	// Onward returns how many successors it left out.
	Onward(states []uint64, links []Move, out *Edges) (pruned int)
}

// Backward is a puzzle that generates predecessors. An irreversible puzzle that does
// needs no extra pass over all states for goal distances.
type Backward interface {
	// Predecessors appends to out every state from which one move leads to one of
	// the given states, with that move: what Undo gives for all moves. The order
	// is that of Successors. The states appended are valid, but need not be
	// reachable.
	Predecessors(states []uint64, out *Edges)
}

// Homeward is a Backward puzzle that prunes moves by the move after, as Onward does
// by the move before.
type Homeward interface {
	Backward

	// Homeward is Predecessors given, for each state s, the move links[i] that
	// leads from it to a state p one move nearer to a goal. It may leave out the
	// predecessor t of s by a move m if
	//
	//	t is p, or
	//	one move leads from t to p, or
	//	two moves lead from t to p, the first of which is less than m.
	//
	// It returns how many predecessors it left out.
	Homeward(states []uint64, links []Move, out *Edges) (pruned int)
}

// GoesBack reports whether a puzzle supports retrograde analysis by itself: it is
// reversible or Backward. For any other, the edges of all states are generated and
// reversed.
func GoesBack(p Puzzle) bool {
	_, backward := p.(Backward)
	return p.Layout().Reversible || backward
}

// Alternates reports whether no state has a successor at its own distance from
// the start.
func Alternates(p Puzzle) bool {
	l := p.Layout()
	return l.Reversible && l.Alternating && len(p.Starts()) == l.Words()
}

// Ordered is a puzzle whose states are not listed in the byte order of their texts.
type Ordered interface {
	// Compare orders the texts of two states, as Format writes them. It is
	// negative if a comes first, and zero only for the same text.
	Compare(a, b string) int
}

// Weighted is a puzzle whose states each represent several of a larger space, for
// example an orbit under the symmetries of the board.
type Weighted interface {
	// Weights sets weights[i] to the number of states of that space that the i-th
	// of the given states stands for, at least 1. len(weights) is the number of
	// states.
	Weights(states []uint64, weights []uint64)
}

// Retrograde is a puzzle whose moves undo the moves of a game.
type Retrograde interface {
	// Retrograde reports whether the starts are all goals, so that the depth of a
	// state is the fewest moves of the game from it to a goal.
	Retrograde() bool
}

// IsRetrograde reports whether a puzzle is explored from its goals.
func IsRetrograde(p Puzzle) bool {
	r, ok := p.(Retrograde)
	return ok && r.Retrograde()
}

// Pruning is a puzzle that may leave out moves after which no goal can be reached.
type Pruning interface {
	// Prunes reports whether this board was read to leave moves out. Otherwise Pruned
	// is zero.
	Prunes() bool

	// Pruned returns how many moves of the given states are left out. It may use
	// scratch, whose content is of no meaning before and after.
	Pruned(states []uint64, scratch *Edges) int64
}

// Pictured is a puzzle that can be drawn as a picture.
type Pictured interface {
	Picture(state []uint64) *Picture
}

// Staged is a puzzle whose pictures show more if the move that led to a state is known:
// in Sokoban, where in its region the player stands.
type Staged interface {
	// PictureAfter draws a state as a move leaves it.
	PictureAfter(state []uint64, move Move) *Picture
}

// Pictures draws the states of a path. The moves lead from each to the next.
func Pictures(p Pictured, states [][]uint64, moves []Move) []*Picture {
	staged, _ := p.(Staged)
	pictures := make([]*Picture, len(states))
	for i, state := range states {
		if staged != nil && i > 0 {
			pictures[i] = staged.PictureAfter(state, moves[i-1])
		} else {
			pictures[i] = p.Picture(state)
		}
	}
	return pictures
}

// A Picture is a drawing of a state: a still ground, and pieces on it. Coordinates are
// cells, rows downwards and columns to the right, from 0; a family without a board
// lays its pieces out on one.
type Picture struct {
	Rows, Cols int
	// Ground has Rows*Cols entries, row by row.
	Ground []Ground
	// Pieces are drawn in this order.
	Pieces []Piece
	// Exit are cells at the edge of the board through which a piece would leave.
	Exit []Cell
	// Regions has no entries, or Rows*Cols: cells with the same number belong
	// together, as in the boxes of a sudoku.
	Regions []int
	// Tiles has no entries, or Rows*Cols: the sprites of what lies still on each
	// cell, the lowest first. They are drawn instead of the ground.
	Tiles [][]*Sprite
}

// SpriteSize is the number of pixels of each side of a Sprite.
const SpriteSize = 5

// A Sprite is what a puzzle brings to be drawn with: pixels, row by row, as
// Opaque|0xRRGGBB, or 0 where what lies below shows.
type Sprite [SpriteSize * SpriteSize]uint32

// Opaque marks the pixels of a sprite that are there.
const Opaque = 1 << 24

// Ground is what lies still on a cell.
type Ground uint8

// The kinds of ground.
const (
	GroundFloor  Ground = iota // a cell that pieces stand on
	GroundNone                 // no part of the board
	GroundWall                 // a cell that nothing enters
	GroundTarget               // a cell where something is to go
	GroundHole                 // a hole for a peg
)

// Cell is a place on the board.
type Cell struct{ Row, Col int }

// Piece is a piece at its place.
type Piece struct {
	Kind  PieceKind
	Cells []Cell // at least one; they touch
	// Label is the name that FormatMove gives it, or what is written on it. It
	// may be empty.
	Label string
	// Colour tells pieces apart that are not interchangeable, from 0.
	Colour int
	// Goal marks the piece, or pieces, that the goal is about.
	Goal bool
	// Sprite is how it looks, if the puzzle says so: nil leaves that to its kind.
	Sprite *Sprite
}

// PieceKind says how a piece is drawn.
type PieceKind uint8

// The kinds of pieces.
const (
	PieceBlock   PieceKind = iota // a flat block
	PieceVehicle                  // a car or truck
	PieceTile                     // a square with a number
	PieceBox                      // a box to be pushed
	PiecePlayer                   // who pushes
	PiecePeg                      // a peg or marble
	PieceDisc                     // a horizontal bar, as long as it has cells
	PieceDigit                    // a character on the ground
)

// Ended is a puzzle whose goals are few enough to list. Bidirectional search starts
// from them.
type Ended interface {
	// GoalStates returns the keys of all states that are goals, at least one,
	// without repetition. They need not be reachable.
	GoalStates() []uint64
}

// Parted is a puzzle whose state space has components that it can tell apart without
// a search.
type Parted interface {
	// Unsolvable returns in a few words why no goal can be reached from a state, or ""
	// if one may be.
	Unsolvable(state []uint64) string
}

// Failing is a puzzle that may fail, because it runs code of others. After a failure
// all its answers are empty.
type Failing interface {
	// Err returns the first failure, or nil. Check it after a call, before using the
	// answer.
	Err() error
}

// Err returns the failure of a puzzle, or nil: most puzzles never fail.
func Err(p Puzzle) error {
	if f, ok := p.(Failing); ok {
		return f.Err()
	}
	return nil
}

// Merging is a puzzle in which one move may lead from several states to the same one,
// so a state and its link do not determine its predecessor.
type Merging interface {
	// Merges reports whether this board has such moves. Undo then always reports
	// false, and a path back is found by searching the previous layer for a
	// predecessor.
	Merges() bool
}

// Merges reports whether Undo does not work for a puzzle: it is Merging.
func Merges(p Puzzle) bool {
	m, ok := p.(Merging)
	return ok && m.Merges()
}

// Sized is a puzzle that knows the number of its states without enumerating them.
type Sized interface {
	// Size always returns the same. The first call may take a second.
	Size() Size
}

// Size is the size of a space.
type Size struct {
	// Group is the order of the group that the moves generate on distinct pieces, nil
	// if it is unknown or the moves generate none.
	Group *big.Int

	// States is the number of reachable states if Exact is set, and otherwise an upper
	// bound.
	States *big.Int
	Exact  bool

	// Formula has States as its value, for example "16!/2". It is empty if States
	// comes from the order of the group.
	Formula string
}

// Defined is a puzzle whose definition can be written for other programs.
type Defined interface {
	// Definition writes the definition in a format of its family. It reports false,
	// and in what the reason, if the format does not exist or cannot express it.
	Definition(format string) (text, what string, ok bool)
}
