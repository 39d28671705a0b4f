package hanoi

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// mergedMax bounds the blocks of representatives times the actions.
const mergedMax = 1 << 24

var _ puzzle.OrbitRanker = &action{}

// orbits are the ranks of the representatives, of which a block is the least of its images.
type orbits struct {
	*action
	reps    []uint64 // by block: its number
	blockOf []int32  // by number: the block, or -1
	valid   [][]uint64
}

// OrbitRanks returns the ranks of the representatives, or nil if there are too many or too
// few, or moves cannot be undone.
func (a *action) OrbitRanks() *puzzle.Ranks {
	n := len(a.pegs)
	if a.states == 0 || a.states/a.chunkStates < 2 || a.states/a.chunkStates > foldBlocksMax {
		return nil
	}
	for _, m := range a.moves {
		if !slices.Contains(a.moves, shift{m.to, m.from}) {
			return nil
		}
	}
	o := &orbits{action: a, blockOf: slices.Repeat([]int32{-1}, int(a.states/a.chunkStates))}
	for number := range o.blockOf {
		if least, _ := o.leastBlock(number); least == number {
			o.blockOf[number] = int32(len(o.reps))
			o.reps = append(o.reps, uint64(number))
		}
	}
	if len(o.reps)*len(a.moves)*n > mergedMax || 2*len(a.moves)*n >= puzzle.NoItem {
		return nil
	}
	out := &puzzle.Ranks{Blocks: len(o.reps), Size: int(a.chunkStates), RankCoder: o}
	o.setActions(out)
	o.setValid()
	out.Orbits = &puzzle.Orbits{Symmetries: n, Moves: len(a.moves), Valid: o.valid}
	out.Orbits.SetInto(out)
	return out
}

// setActions sets two actions for each move and symmetry, as Ranks does for each move.
func (o *orbits) setActions(out *puzzle.Ranks) {
	symmetries := len(o.pegs)
	inverse := make([]int, symmetries)
	for g, to := range o.pegs {
		inverse[g] = slices.IndexFunc(o.pegs, func(other []uint8) bool {
			return !slices.ContainsFunc(to, func(image uint8) bool { return to[other[image]] != image })
		})
	}
	for id, m := range o.moves {
		within, across := o.rows(m, out.Size)
		for g, to := range o.pegs {
			undo := 2 * (slices.Index(o.moves, shift{to[m.to], to[m.from]})*symmetries + inverse[g])
			for kind, row := range [][]uint16{within, across} {
				row = slices.Clone(row)
				for item, to := range row {
					if to != puzzle.NoItem {
						row[item] = uint16(o.tables[g][to])
					}
				}
				out.Actions = append(out.Actions, puzzle.Action{
					Move: puzzle.Move(id*symmetries + g), Inverse: undo + kind, Blocks: slices.Repeat([]int32{-1}, out.Blocks), OneRow: len(out.Rows),
				})
				out.Rows = append(out.Rows, row)
			}
		}
		for block, number := range o.reps {
			carried, ok := o.carried(number, m, o.chunkDiscs, o.discs)
			for g := range o.pegs {
				at := 2 * (id*symmetries + g)
				if o.imageOf(int(number), g) == int(number) {
					out.Actions[at].Blocks[block] = int32(block)
				}
				if ok {
					out.Actions[at+1].Blocks[block] = o.blockOf[o.imageOf(int(carried), g)]
				}
			}
		}
	}
}

// setValid finds the representatives of the blocks that some symmetry maps to themselves.
func (o *orbits) setValid() {
	const wordBits = 64
	for _, number := range o.reps {
		var valid []uint64
		for g := 1; g < len(o.pegs); g++ {
			if o.imageOf(int(number), g) != int(number) {
				continue
			}
			if valid == nil {
				valid = make([]uint64, (o.chunkStates+wordBits-1)/wordBits)
				for item := range o.chunkStates {
					valid[item/wordBits] |= 1 << (item % wordBits)
				}
			}
			for item, image := range o.tables[g] {
				if image < uint64(item) {
					valid[item/wordBits] &^= 1 << (item % wordBits)
				}
			}
		}
		o.valid = append(o.valid, valid)
	}
}

// AppendKeys appends the keys of items of a block.
func (o *orbits) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	return ranks{o.game}.AppendKeys(keys, int(o.reps[block]), items)
}

// Rank returns the block and the item of a representative.
func (o *orbits) Rank(key uint64) (block int, item uint16, ok bool) {
	number, item, _ := ranks{o.game}.Rank(key)
	block = int(o.blockOf[number])
	if block < 0 {
		return 0, 0, false
	}
	valid := o.valid[block]
	return block, item, len(valid) == 0 || valid[item/64]>>(item%64)&1 != 0
}
