package puzzle

import "math/big"

// Optional interfaces of a [Puzzle]. They are independent of one another, and the
// engine works without any of them.

// Onward is a puzzle that prunes moves given the last one: it leaves out successors
// that are duplicates or that another state of the layer generates by a smaller move.
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
// so needs no extra pass over all states for goal distances.
type Backward interface {
	// Predecessors appends to out every state from which one move leads to one of the
	// given states, with that move: what Undo returns for all moves. The order is that
	// of Successors. The states appended are valid but need not be reachable.
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

// GoesBack reports whether a puzzle supports retrograde analysis by itself, being
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

// Ordered is a puzzle whose states are listed in an order other than the byte order of
// their texts.
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
	// Prunes reports whether this board was read with pruning enabled. If not, Pruned
	// returns zero.
	Prunes() bool

	// Pruned returns how many moves of the given states are left out. It may overwrite
	// scratch.
	Pruned(states []uint64, scratch *Edges) int64
}

// Pictured is a puzzle that can be drawn as a picture.
type Pictured interface {
	Picture(state []uint64) *Picture
}

// Staged is a puzzle whose pictures show more if the last move is known: in Sokoban,
// where in its region the player stands.
type Staged interface {
	// PictureAfter draws a state as the move that led to it leaves it.
	PictureAfter(state []uint64, move Move) *Picture
}

// Pictures draws the states of a path; moves[i] leads from states[i] to states[i+1].
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

// A Picture is a drawing of a state: a fixed ground with pieces on it. Coordinates are
// cells counted from 0, rows downwards and columns to the right. A family without a
// board arranges its pieces on one.
type Picture struct {
	Rows, Cols int
	// Ground has Rows*Cols entries, row by row.
	Ground []Ground
	// Pieces are drawn in slice order.
	Pieces []Piece
	// Numbered means that moves name cells by row and column, counted from 1, and not
	// pieces.
	Numbered bool
	// Exit lists the cells at the edge of the board through which a piece would leave.
	Exit []Cell
	// Regions is empty or has Rows*Cols entries: cells with the same number belong
	// together, as in the boxes of a sudoku.
	Regions []int
	// Tiles is empty or has Rows*Cols entries: the sprites of the fixed objects on
	// each cell, lowest first. They are drawn instead of the ground.
	Tiles [][]*Sprite
	// Spots is empty or has Rows*Cols entries: where the middles of the cells lie if
	// they are no grid. The picture is then as large as they need.
	Spots []Spot
	// Rings lie below the pieces of a picture with Spots.
	Rings []Ring
	// Facets are a picture without cells: polygons, those behind first. No corner is
	// left of or above 0.
	Facets []Facet
}

// Spot is a point of a picture, in cells from its top left corner.
type Spot struct{ X, Y float64 }

// Ring is a groove along a circle, or a whole disc.
type Ring struct {
	Middle Spot
	Radius float64
	Disc   bool
}

// Facet is a polygon with the colours of its inside and of its edge, 0xRRGGBB.
type Facet struct {
	Corners      []Spot
	Colour, Edge uint32
}

// SpriteSize is the number of pixels of each side of a Sprite.
const SpriteSize = 5

// A Sprite is an image that a puzzle supplies: pixels, row by row, as Opaque|0xRRGGBB,
// or 0 for transparent.
type Sprite [SpriteSize * SpriteSize]uint32

// Opaque marks the pixels of a sprite that are not transparent.
const Opaque = 1 << 24

// Ground is the fixed content of a cell.
type Ground uint8

// The kinds of ground.
const (
	GroundFloor  Ground = iota // a cell that pieces stand on
	GroundNone                 // not part of the board
	GroundWall                 // a cell that nothing enters
	GroundTarget               // a cell where something must go
	GroundHole                 // a hole for a peg
)

// Cell is a place on the board.
type Cell struct{ Row, Col int }

// Piece is a piece and where it lies.
type Piece struct {
	Kind  PieceKind
	Cells []Cell // at least one; connected
	// Label is the piece's name in FormatMove, or what is written on it. It may be
	// empty.
	Label string
	// Colour distinguishes pieces that are not interchangeable, from 0.
	Colour int
	// Goal marks the piece or pieces that the goal is about.
	Goal bool
	// Sprite is the piece's image, if the puzzle supplies one; nil leaves the look to
	// Kind.
	Sprite *Sprite
}

// PieceKind determines how a piece is drawn.
type PieceKind uint8

// The kinds of pieces.
const (
	PieceBlock   PieceKind = iota // a flat block
	PieceVehicle                  // a car or truck
	PieceTile                     // a square with a number
	PieceBox                      // a box to be pushed
	PiecePlayer                   // the one who pushes
	PiecePeg                      // a peg or marble
	PieceDisc                     // a horizontal bar as long as its cells
	PieceDigit                    // a character on the ground
)

// GoalLister is a puzzle whose goals are few enough to list. Bidirectional search starts
// from them.
type GoalLister interface {
	// GoalStates returns the keys of all states that are goals, at least one,
	// without repetition. They need not be reachable.
	GoalStates() []uint64
}

// SolvabilityChecker is a puzzle whose state space has components that it can
// distinguish without a search.
type SolvabilityChecker interface {
	// Unsolvable returns in a few words why no goal can be reached from a state, or ""
	// if one may be reachable.
	Unsolvable(state []uint64) string
}

// Failing is a puzzle that may fail, because it runs other people's code. After a
// failure all its answers are empty.
type Failing interface {
	// Err returns the first failure, or nil. Check it after each call, before using
	// the answer.
	Err() error
}

// A FailureError is the failure of a puzzle.
type FailureError struct{ Err error }

func (e *FailureError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *FailureError) Unwrap() error { return e.Err }

// Err returns the failure of a puzzle as a [FailureError], or nil: most puzzles never fail.
func Err(p Puzzle) error {
	if f, ok := p.(Failing); ok {
		if err := f.Err(); err != nil {
			return &FailureError{err}
		}
	}
	return nil
}

// Foreseeing is a [Failing] puzzle that can tell in which states it fails, without
// failing.
type Foreseeing interface {
	// ErrAt returns the failure that Successors of a state would be, or nil.
	ErrAt(state []uint64) error
}

// ErrAt returns the failure of a puzzle that Successors of a state would be, as a
// [FailureError], or nil if there is none or the puzzle cannot tell.
func ErrAt(p Puzzle, state []uint64) error {
	if f, ok := Unmerged(p).(Foreseeing); ok {
		if err := f.ErrAt(state); err != nil {
			return &FailureError{err}
		}
	}
	return nil
}

// Merging is a puzzle in which one move may lead from several states to the same one,
// so a state and its link do not determine its predecessor.
type Merging interface {
	// Merges reports whether this board has such moves. Undo then always reports
	// false, and a path is traced back by searching the previous layer for a
	// predecessor.
	Merges() bool
}

// Merges reports whether a puzzle merges states. Undo then always reports false.
func Merges(p Puzzle) bool {
	m, ok := p.(Merging)
	return ok && m.Merges()
}

// Sized is a puzzle that knows the number of its states without enumerating them.
type Sized interface {
	// Size returns the same on every call. The first call may take a second.
	Size() Size
}

// Size is the size of a space.
type Size struct {
	// Group is the order of the group that the moves generate on distinct pieces, or
	// nil if it is unknown or they generate none.
	Group *big.Int

	// States is the number of reachable states if Exact is set, and otherwise an upper
	// bound.
	States *big.Int
	Exact  bool

	// Formula evaluates to States, for example "16!/2". It is empty if States comes
	// from the order of the group.
	Formula string
}

// OrbitCounter is a SymmetryAction that knows the number of orbits of reachable states
// without enumerating them.
type OrbitCounter interface {
	// Orbits returns that number as the size of the merged space.
	Orbits() Size
}

// OrbitRanker is a SymmetryAction that may number the representatives as a Dense puzzle
// numbers its states.
type OrbitRanker interface {
	// OrbitRanks returns the ranks of the merged puzzle, with Orbits, or nil if it has none.
	OrbitRanks() *Ranks
}

// Defined is a puzzle whose definition can be written for other programs.
type Defined interface {
	// Definition writes the definition in a format of its family. If the format does
	// not exist or cannot express it, it reports false, and what gives the reason.
	Definition(format string) (text, what string, ok bool)
}
