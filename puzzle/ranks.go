package puzzle

// Dense is a puzzle whose states can be numbered almost without gaps, and whose
// moves are look-ups in tables of these numbers. Its keys have one word, and its
// moves are reversible.
type Dense interface {
	// Ranks returns the ranks of the states, or nil if they have none. It builds
	// tables of up to some hundred megabytes: the caller keeps what it returns.
	Ranks() *Ranks
}

// Ranks numbers a set of states that is closed under moves and holds the starts:
// the state of item i of block b has the rank b*Size + i. A rank need not be a state.
// Ranks is immutable and safe for concurrent use.
type Ranks struct {
	// Blocks is the number of blocks, Size that of the items of each, at most NoItem.
	Blocks, Size int

	// Actions are all that moves do, by increasing move. Several actions may belong
	// to one move if no two of them are possible in the same state.
	Actions []Action

	// Rows map the items of a block to those of another.
	Rows [][]uint16

	RankCoder
}

// NoItem in a row says that the action is not possible for an item.
const NoItem = 1<<16 - 1

// Action is what a move does to ranks: it leads from item i of block b to item
// Rows[Row(b)][i] of block Blocks[b], unless one of them says that it is not possible.
type Action struct {
	Move Move

	// Inverse is the index of the action that takes this one back.
	Inverse int

	// Blocks holds, by block, the block that the action leads to, or -1 for none.
	Blocks []int32

	// BlockRows holds, by block, an index into Ranks.Rows. If it is nil, OneRow is
	// the index for all of them.
	BlockRows []uint16
	OneRow    int
}

// Row returns the index into Ranks.Rows for a block.
func (a *Action) Row(block int) int {
	if a.BlockRows == nil {
		return a.OneRow
	}
	return int(a.BlockRows[block])
}

// RankCoder translates between ranks and keys.
type RankCoder interface {
	// AppendKeys appends the keys of items of a block.
	AppendKeys(keys []uint64, block int, items []uint16) []uint64

	// Rank returns the block and the item of a valid key, and false if it has no
	// rank. A state without a rank cannot be reached.
	Rank(key uint64) (block int, item uint16, ok bool)
}

// States returns the number of ranks.
func (r *Ranks) States() int64 { return int64(r.Blocks) * int64(r.Size) }
