package hanoi

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Bounds of folded ranks: blocks before folding, and after.
const (
	foldBlocksMax = 1 << 24
	foldRepsMax   = 1 << 22
	duringBlocks  = 1 << 12 // how often is told how many are grouped
)

// folded are ranks of which permutations of pegs map blocks to blocks, as a permutation
// maps the pegs of large discs and of small ones alike. The least block of an orbit
// stands for it.
type folded struct {
	*action
	reps    []uint32 // by block: its number
	block   []uint32 // by number: the block that stands for it
	how     []uint8  // by number: the symmetry that leads there
	back    []int    // by symmetry: its inverse
	weights []uint16 // by block
}

var _ puzzle.Foldable = reversible{}

// Folded returns the ranks of the arrangements, folded along the permutations of pegs,
// or nil if there are none or too many ranks, or once during reports false.
func (r reversible) Folded(during func(done float64) bool) *puzzle.Ranks {
	if r.states == 0 || r.states/r.chunkStates < 2 || r.states/r.chunkStates > foldBlocksMax {
		return nil
	}
	symmetries, err := r.Symmetries("on")
	if err != nil || len(symmetries.Moves) > 1<<8 || len(r.moves) > puzzle.FoldMoves {
		return nil
	}
	a, ok := symmetries.SymmetryAction.(*action)
	f := &folded{action: a, back: symmetries.Inverse}
	if !ok || !f.group(int(r.states/r.chunkStates), during) {
		return nil
	}
	out := &puzzle.Ranks{Blocks: len(f.reps), Size: int(r.chunkStates), RankCoder: f}
	out.Fold = &puzzle.Fold{Moves: symmetries.Moves, Weights: f.weights, Folder: f}
	f.setActions(out)
	for _, row := range out.Rows {
		inverted := slices.Repeat([]uint16{puzzle.NoItem}, len(row))
		for item, to := range row {
			if to != puzzle.NoItem {
				inverted[to] = uint16(item)
			}
		}
		out.Fold.Inverted = append(out.Fold.Inverted, inverted)
	}
	return out
}

// FoldNeeds returns about how many folded ranks there are, and how much memory they take.
func (r reversible) FoldNeeds() (ranks, bytes int64) {
	symmetries, err := r.Symmetries("on")
	if err != nil || r.states == 0 || r.states/r.chunkStates < 2 || r.states/r.chunkStates > foldBlocksMax {
		return 0, 0
	}
	const bytesPerBlock = 5
	ranks = int64(r.states) / int64(len(symmetries.Moves))
	return ranks, ranks/2 + bytesPerBlock*int64(r.states/r.chunkStates)
}

// group groups the blocks into orbits. It reports false if too many remain, or if during
// does, which is called from time to time unless it is nil.
func (f *folded) group(blocks int, during func(done float64) bool) bool {
	f.block, f.how = make([]uint32, blocks), make([]uint8, blocks)
	for number := range blocks {
		if during != nil && number%duringBlocks == 0 && !during(float64(number)/float64(blocks)) {
			return false
		}
		least, first := f.leastBlock(number)
		if least < number {
			f.block[number], f.how[number] = f.block[least], uint8(first)
			f.weights[f.block[least]]++
			continue
		}
		if len(f.reps) == foldRepsMax {
			return false
		}
		f.block[number] = uint32(len(f.reps))
		f.reps, f.weights = append(f.reps, uint32(number)), append(f.weights, 1)
	}
	return true
}

// imageOf returns the number of a block's image.
func (a *action) imageOf(number, symmetry int) int {
	return int(a.image(uint64(number)*a.chunkStates, symmetry) / a.chunkStates)
}

func (a *action) leastBlock(number int) (least, first int) {
	least = number
	for g := range a.pegs {
		if image := a.imageOf(number, g); image < least {
			least, first = image, g
		}
	}
	return least, first
}

// setActions sets two actions for each move, as Ranks does: of a small disc within a
// block, and of a large one, which may lead to an image.
func (f *folded) setActions(out *puzzle.Ranks) {
	same := make([]int32, out.Blocks)
	for block := range same {
		same[block] = int32(block)
	}
	moves := len(f.moves)
	var acrosses [][]uint16
	for id, m := range f.moves {
		inverse := slices.Index(f.moves, shift{m.to, m.from})
		within, across := f.rows(m, out.Size)
		out.Rows = append(out.Rows, within)
		for g := range f.pegs {
			row := slices.Clone(across)
			for item, to := range across {
				if to != puzzle.NoItem {
					row[item] = uint16(f.tables[g][to])
				}
			}
			acrosses = append(acrosses, row)
		}
		large := puzzle.Action{Move: puzzle.Move(id), Inverse: 2*inverse + 1, Blocks: make([]int32, out.Blocks), BlockRows: make([]uint16, out.Blocks)}
		for block, number := range f.reps {
			large.Blocks[block] = -1
			if to, ok := f.carried(uint64(number), m, f.chunkDiscs, f.discs); ok {
				large.Blocks[block] = int32(f.block[to])
				large.BlockRows[block] = uint16(moves + id*len(f.pegs) + int(f.how[to]))
			}
		}
		out.Actions = append(out.Actions, puzzle.Action{Move: puzzle.Move(id), Inverse: 2 * inverse, Blocks: same, OneRow: id}, large)
	}
	out.Rows = append(out.Rows, acrosses...)
}

// AppendKeys appends the keys of items of a block.
func (f *folded) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	return ranks{f.game}.AppendKeys(keys, int(f.reps[block]), items)
}

// EachImage calls g with the images of items of a block.
func (f *folded) EachImage(buf []uint64, block int, items []uint16, g func(symmetry int, plus []uint16, keys []uint64)) []uint64 {
	var seen [1 << 8]int
	n := 0
	for i, table := range f.tables {
		image := f.imageOf(int(f.reps[block]), i)
		if slices.Contains(seen[:n], image) {
			continue
		}
		seen[n] = image
		n++
		base := uint64(image) * f.chunkStates
		buf = buf[:0]
		for _, item := range items {
			buf = append(buf, base+table[item])
		}
		g(i, nil, buf)
	}
	return buf
}

// Rank returns the block and the item that stand for a key.
func (f *folded) Rank(key uint64) (block int, item uint16, ok bool) {
	block, item, _, ok = f.RankImage(key)
	return block, item, ok
}

// RankImage returns the block and the item that stand for a key, and how.
func (f *folded) RankImage(key uint64) (block int, item uint16, symmetry int, ok bool) {
	number, item, ok := ranks{f.game}.Rank(key)
	how := int(f.how[number])
	return int(f.block[number]), uint16(f.tables[how][item]), f.back[how], ok
}
