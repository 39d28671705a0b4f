package marking

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/coordinates"
	"github.com/everystate/everystate/puzzle/permutation/folding"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// numbering numbers the representatives of a puzzle with marked pieces: where these lie gives
// the block, the order of the others the item. The representative of an orbit has the least
// rank of the marked pieces, and among those with that one the least key.
type numbering struct {
	*Marks
	split  *coordinates.Split // with tables
	blocks []uint32           // by block: the rank of the marked pieces
	// blockOf holds, by that rank, the block, or -1.
	blockOf []int32
	valid   [][]uint64
}

const (
	rowsMax  = 1 << 14
	wordBits = 64
)

// Ranks returns the ranks of the representatives, or nil if there are none. Moves can be
// undone by moves.
func (m *Marks) Ranks(s *structure.System, list []structure.Automorphism, inverse []int) *puzzle.Ranks {
	k := &numbering{Marks: m}
	froms := k.setSplit(s)
	k.setBlocks(s, froms)
	if len(k.blocks)*len(froms)*len(list) > folding.MergedMax {
		return nil
	}
	rows := coordinates.NewRenamings(k.split, m.names)
	out := &puzzle.Ranks{Blocks: len(k.blocks), Size: k.split.Inner, RankCoder: k}
	out.Actions = k.actions(s, list, inverse, froms, rows)
	k.setValid(rows)
	if out.Rows = rows.All(); len(out.Rows) > rowsMax {
		return nil
	}
	out.Orbits = &puzzle.Orbits{Symmetries: len(list), Moves: len(froms), Valid: k.valid}
	out.Orbits.SetInto(out)
	return out
}

// setSplit builds the coordinates, and returns, by move and place of the part, the place
// whose piece comes there.
func (k *numbering) setSplit(s *structure.System) (froms [][]uint8) {
	shape, odd := k.Marks.split.Shape, uint8(0)
	for i := range s.Moves {
		var from []uint8
		for _, place := range k.part.Places {
			from = append(from, uint8(slices.Index(k.part.Places, int(s.Moves[i].From[place]))))
		}
		froms, odd = append(froms, from), odd|ranking.Parity(from)
	}
	if odd == 0 {
		var pieces []uint8
		for _, place := range k.part.Places {
			pieces = append(pieces, k.numberOf[s.Start.Pieces[place]])
		}
		parity := ranking.Parity(pieces)
		shape.Parity = func([]uint8) uint8 { return parity }
	}
	k.split = coordinates.New(shape)
	return froms
}

// setBlocks numbers the least ranks that moves reach.
func (k *numbering) setBlocks(s *structure.System, froms [][]uint8) {
	k.blockOf = slices.Repeat([]int32{-1}, len(k.Best))
	add := func(rank int) {
		least := k.Least[rank]
		if k.blockOf[least] < 0 {
			k.blockOf[least] = int32(len(k.blocks))
			k.blocks = append(k.blocks, least)
		}
	}
	v := structure.View{Arrangement: s.Start, Move: structure.Still(len(s.Moduli))}
	add(k.Of(&v))
	for at := 0; at < len(k.blocks); at++ {
		for _, from := range froms {
			add(k.moved(int(k.blocks[at]), from))
		}
	}
}

// moved returns the rank of the marked pieces after a move.
func (k *numbering) moved(rank int, from []uint8) int {
	var at [coordinates.PlacesMax]uint8
	list := at[:k.split.Marked]
	k.split.Place(list, rank)
	for i, place := range list {
		list[i] = uint8(slices.Index(from, place))
	}
	return k.split.OuterOf(list)
}

// actions returns the moves followed by symmetries: those that lead to a least rank.
func (k *numbering) actions(s *structure.System, list []structure.Automorphism, inverse []int, froms [][]uint8, rows *coordinates.Rows) []puzzle.Action {
	count := len(list)
	actions := make([]puzzle.Action, len(froms)*count)
	images := make([][]uint8, count) // by symmetry, what froms holds of the move and then that
	for i, from := range froms {
		undo := slices.IndexFunc(s.Moves, s.Moves[i].Inverse(s.Moduli).Equal)
		for g := range count {
			id := i*count + g
			actions[id] = puzzle.Action{
				Move: puzzle.Move(id), Inverse: int(list[g].Moves[undo])*count + inverse[g],
				Blocks: slices.Repeat([]int32{-1}, len(k.blocks)), BlockRows: make([]uint16, len(k.blocks)),
			}
			images[g] = make([]uint8, len(from))
			for place, to := range k.to[g] {
				images[g][to] = from[place]
			}
		}
		for block, rank := range k.blocks {
			for best := k.Best[k.moved(int(rank), from)]; best != 0; best &= best - 1 {
				g := bits.TrailingZeros64(best)
				next, row := rows.Renamed(int(rank), images[g], g)
				action := &actions[i*count+g]
				action.Blocks[block], action.BlockRows[block] = k.blockOf[next], uint16(row)
			}
		}
	}
	return actions
}

// setValid marks the items that are representatives: those of which no image under a symmetry
// that maps the block to itself has a lower key.
func (k *numbering) setValid(rows *coordinates.Rows) {
	k.valid = make([][]uint64, len(k.blocks))
	all := make([]uint16, k.split.Inner)
	for item := range all {
		all[item] = uint16(item)
	}
	from := make([]uint8, len(k.part.Places))
	var keys []uint64
	for block, rank := range k.blocks {
		if k.Best[rank] == 1 {
			continue
		}
		bitmap := make([]uint64, (len(all)+wordBits-1)/wordBits)
		for item := range all {
			bitmap[item/wordBits] |= 1 << (item % wordBits)
		}
		keys = k.AppendKeys(keys[:0], block, all)
		for rest := k.Best[rank] &^ 1; rest != 0; rest &= rest - 1 {
			g := bits.TrailingZeros64(rest)
			for place, to := range k.to[g] {
				from[to] = uint8(place)
			}
			_, row := rows.Renamed(int(rank), from, g)
			for item, to := range rows.All()[row] {
				if keys[to] < keys[item] {
					bitmap[item/wordBits] &^= 1 << (item % wordBits)
				}
			}
		}
		k.valid[block] = bitmap
	}
}

// AppendKeys appends the keys of items of a block.
func (k *numbering) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	var pieces, at, order [coordinates.PlacesMax]uint8
	list, marks, outer := pieces[:len(k.part.Places)], at[:k.split.Marked], int(k.blocks[block])
	k.split.Place(marks, outer)
	for number, place := range marks {
		list[place] = k.itemOf[number]
	}
	free := k.split.Free(outer)
	for _, item := range items {
		k.split.Order(order[:], outer, item)
		for i, left := 0, free; left != 0; i, left = i+1, left&(left-1) {
			list[bits.TrailingZeros16(left)] = k.itemOf[len(marks)+int(order[i])]
		}
		keys = append(keys, ranking.Distinct(list)*k.part.Stride)
	}
	return keys
}

// Rank returns the block and the item of a representative.
func (k *numbering) Rank(key uint64) (block int, item uint16, ok bool) {
	var pieces [coordinates.PlacesMax]uint8
	list := pieces[:len(k.part.Places)]
	k.part.Unrank(list, key/k.part.Stride%k.part.Size)
	for i, item := range list {
		list[i] = k.numberOf[k.part.Labels[item]]
	}
	rank, item, ok := k.split.Rank(list)
	if !ok || k.blockOf[rank] < 0 {
		return 0, 0, false
	}
	block = int(k.blockOf[rank])
	if valid := k.valid[block]; valid != nil {
		ok = valid[item/wordBits]>>(item%wordBits)&1 != 0
	}
	return block, item, ok
}
