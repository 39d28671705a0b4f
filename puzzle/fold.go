package puzzle

// Foldable is a Dense puzzle whose ranks can be folded along its symmetries.
type Foldable interface {
	Dense
	// Folded returns folded ranks (see Fold), or nil if there are none. It builds tables
	// as Ranks does, which may take a minute: it calls during, unless that is nil, several
	// times a second with the share that is done, from 0 to 1, and returns nil once that
	// reports false.
	Folded(during func(done float64) bool) *Ranks

	// FoldNeeds returns about how many folded ranks there are, and how many bytes of memory
	// it takes to make them and to search a table of them; zeros if there are none.
	FoldNeeds() (ranks, bytes int64)
}

// Fold says that symmetries map whole blocks of ranks to one another, so that a table
// needs only one block of each orbit. The states keep their keys, depths and links:
// folding changes what a table takes, not what it says.
//
// In folded ranks, an action leads to the block that stands for the true one, and to the
// item that stands for the true state. So an action need not lead back to where its
// inverse comes from, but to a state that stands for the same ones, as far as depths are
// concerned.
type Fold struct {
	// Moves holds, by symmetry and then by move, the image of the move. Symmetry 0 is the
	// identity. There are at most FoldMoves moves.
	Moves [][]Move

	// Weights holds, by block, how many blocks it stands for, itself included.
	Weights []uint16

	// Inverted holds the inverse of each row.
	Inverted [][]uint16

	Folder
}

// FoldMoves is the greatest number of moves in folded ranks.
const FoldMoves = 64

// Folder translates between folded ranks and keys.
type Folder interface {
	// EachImage calls f once for each block that a block stands for, itself first, with
	// the keys of the images of the items. The symmetry that leads to a key is the given
	// one, plus what plus has for the key unless it is nil. f must not retain plus and
	// keys. EachImage uses buf and returns it, perhaps grown.
	EachImage(buf []uint64, block int, items []uint16, f func(symmetry int, plus []uint16, keys []uint64)) []uint64

	// RankImage returns the block and the item that stand for a valid key, and a symmetry
	// that leads from there to the key; false if it has no rank.
	RankImage(key uint64) (block int, item uint16, symmetry int, ok bool)
}

// Represented returns the number of ranks, each counted as often as the states that it
// stands for.
func (r *Ranks) Represented() int64 {
	switch {
	case r.Orbits != nil: // few stand for fewer
		return r.States() * int64(r.Orbits.Symmetries)
	case r.Fold == nil:
		return r.States()
	}
	var blocks int64
	for _, weight := range r.Fold.Weights {
		blocks += int64(weight)
	}
	return blocks * int64(r.Size)
}
