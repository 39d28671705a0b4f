package hanoi

import "github.com/everystate/everystate/puzzle"

// ranksMax bounds the blocks of ranks, which are the arrangements of the larger discs.
const ranksMax = 1 << 22

// ranks are the ranks of all arrangements, which are their keys: blocks are the
// positions of the larger discs, items those of the smaller ones, a chunk.
type ranks struct{ *game }

var _ puzzle.Dense = reversible{}

// Ranks returns the ranks of the arrangements, or nil if there are too many. A move is
// two actions: of a small disc, which larger ones never block, and of a large one that
// no small one blocks.
func (r reversible) Ranks() *puzzle.Ranks {
	if r.states == 0 || r.states/r.chunkStates > ranksMax {
		return nil
	}
	size, blocks := int(r.chunkStates), int(r.states/r.chunkStates)
	out := &puzzle.Ranks{Blocks: blocks, Size: size, RankCoder: ranks(r)}
	for id, m := range r.moves {
		inverse := 0
		for other, n := range r.moves {
			if n.from == m.to && n.to == m.from {
				inverse = other
			}
		}
		small := puzzle.Action{Move: puzzle.Move(id), Inverse: 2 * inverse, Blocks: make([]int32, blocks), OneRow: 2 * id}
		large := puzzle.Action{Move: puzzle.Move(id), Inverse: 2*inverse + 1, Blocks: make([]int32, blocks), OneRow: 2*id + 1}
		for block := range blocks {
			small.Blocks[block] = int32(block)
			large.Blocks[block] = -1
			if to, ok := r.carried(uint64(block), m, r.chunkDiscs, r.discs); ok {
				large.Blocks[block] = int32(to)
			}
		}
		within, across := r.rows(m, size)
		out.Actions = append(out.Actions, small, large)
		out.Rows = append(out.Rows, within, across)
	}
	return out
}

// rows returns where a move leads from the arrangements of the small discs: if it moves
// one of them, and if there is none on either peg.
func (g *game) rows(m shift, size int) (within, across []uint16) {
	within, across = make([]uint16, size), make([]uint16, size)
	for item := range size {
		within[item], across[item] = puzzle.NoItem, puzzle.NoItem
		top := &g.uppermosts[item]
		switch to, ok := g.carried(uint64(item), m, 0, g.chunkDiscs); {
		case ok:
			within[item] = uint16(to)
		case top[m.from] == empty && top[m.to] == empty:
			across[item] = uint16(item)
		}
	}
	return within, across
}

// carried returns the result of a move on an arrangement of the discs from first to
// end, as if there were no others, and whether it moves one of them.
func (g *game) carried(arrangement uint64, m shift, first, end int) (uint64, bool) {
	pegs, power := uint64(g.pegs), uint64(1)
	for rest := arrangement; first < end; first++ {
		switch rest % pegs {
		case uint64(m.from):
			return arrangement + power*uint64(m.to) - power*uint64(m.from), true
		case uint64(m.to):
			return 0, false
		}
		rest /= pegs
		power *= pegs
	}
	return 0, false
}

// AppendKeys appends the keys of items of a block.
func (r ranks) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	for _, item := range items {
		keys = append(keys, uint64(block)*r.chunkStates+uint64(item))
	}
	return keys
}

// Rank returns the block and the item of a key.
func (r ranks) Rank(key uint64) (block int, item uint16, ok bool) {
	return int(key / r.chunkStates), uint16(key % r.chunkStates), true
}
