package puzzle

import "slices"

// Dense is a puzzle whose states can be numbered almost without gaps and whose moves
// are look-ups in tables of these numbers. Its keys have one word, and its moves are
// reversible.
type Dense interface {
	// Ranks returns the ranks of the states, or nil if they have none. It builds
	// tables of up to a few hundred megabytes, so callers keep the result.
	Ranks() *Ranks
}

// RankCounter is a Dense puzzle that knows how many ranks it has before it builds their
// tables, so that those that do not fit in memory need not be built.
type RankCounter interface {
	// RankCount returns the number of ranks, 0 if it has none.
	RankCount() int64
}

// Located is a Dense puzzle that knows where states are without the tables of its moves.
type Located interface {
	// Locator returns where states are in what Ranks returns, or nil if that has no ranks.
	Locator() *Locator
}

// Locator tells where states are in Ranks. It is immutable and safe for concurrent use.
type Locator struct {
	Blocks, Size int

	// Rank is that of a RankCoder.
	Rank func(key uint64) (block int, item uint16, ok bool)
}

// Ranks numbers a set of states that is closed under moves and contains the starts:
// the state of item i of block b has rank b*Size + i. A rank need not belong to a
// state. Ranks is immutable and safe for concurrent use.
type Ranks struct {
	// Blocks is the number of blocks, Size the number of items in each, at most
	// NoItem.
	Blocks, Size int

	// Actions are all effects of moves, by increasing move. A move may have several
	// actions, of which at most one is possible in any state.
	Actions []Action

	// Rows map the items of one block to those of another.
	Rows [][]uint16

	// Fold says how blocks stand for others; nil if each stands for itself.
	Fold *Fold

	// Orbits says which items are representatives of orbits; nil unless symmetric states
	// are merged.
	Orbits *Orbits

	RankCoder
}

// NoItem in a row marks an item for which the action is not possible.
const NoItem = 1<<16 - 1

// Action is the effect of a move on ranks: it leads from item i of block b to item
// Rows[Row(b)][i] of block Blocks[b], unless either marks it as not possible.
type Action struct {
	Move Move

	// Inverse is the index of the action that undoes this one.
	Inverse int

	// Blocks holds, by block, the block that the action leads to, or -1 for none.
	Blocks []int32

	// BlockRows holds, by block, an index into Ranks.Rows. If it is nil, OneRow is the
	// index for all blocks.
	BlockRows []uint16
	OneRow    int

	// Thens holds, by block, an index into Ranks.Rows of the row that follows, or is nil. It
	// is nil unless there are Orbits, and then no row has NoItem.
	Thens []uint16
}

// Orbits says how ranks number the representatives of orbits. An action is a move followed
// by a symmetry, which leads to a block in which there are representatives, and not
// necessarily to one of these. So from a representative several actions with the same move
// may lead to a block; the merged move is the first that leads to the representative.
type Orbits struct {
	Symmetries, Moves int

	// Into lists, by block, the actions that lead there, in order.
	Into [][]int32

	// Valid holds, by block, a bit for each item that is a representative; nil if no symmetry
	// but the identity maps the block to itself. Then all are, and each stands for as many
	// states as there are symmetries.
	Valid [][]uint64
}

// SetInto sets Into.
func (o *Orbits) SetInto(r *Ranks) {
	o.Into = make([][]int32, r.Blocks)
	for i := range r.Actions {
		for block, to := range r.Actions[i].Blocks {
			if to >= 0 {
				o.Into[block] = append(o.Into[block], int32(r.Actions[i].Inverse))
			}
		}
	}
	for _, list := range o.Into {
		slices.Sort(list)
	}
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

	// Rank returns the block and the item of a valid key, or false if it has no rank.
	// A state without a rank cannot be reached.
	Rank(key uint64) (block int, item uint16, ok bool)
}

// States returns the number of ranks.
func (r *Ranks) States() int64 { return int64(r.Blocks) * int64(r.Size) }
