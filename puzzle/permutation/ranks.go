package permutation

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/coordinates"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
)

// Bounds of the tables behind ranks.
const (
	// entriesMax bounds the tables of a coordinate and those of all blocks, which have
	// an entry per rank or block and move.
	entriesMax = 1 << 25
	// rowItemsMax is how many items a block should have at most: a row of them stays
	// in a fast cache.
	rowItemsMax = 1 << 13
	// splitOthers is the number of pieces of a split orbit that an item orders.
	splitOthers = 7
	// splitPlacesMin is the least size of an orbit that is split: 9! items do not fit
	// a row.
	splitPlacesMin = 9
)

// factor is a coordinate with the effect of moves on it, limited to ranks that moves
// reach.
type factor struct {
	*coordinate
	next  [][]int32 // by move, by index
	ranks []uint64  // by index
	index []int32   // by rank: its index plus 1, or 0 if no move reaches it
}

// ranks are the ranks of a reversible game.
type ranks struct {
	game         *game
	outer, inner []*factor // most significant first

	// If an orbit is split, its pieces are the least significant part of the blocks
	// and all of the items.
	split      *coordinates.Split
	splitPiece *coordinate

	outerKeys, innerKeys []uint64
}

var _ puzzle.Dense = reversible{}

// Ranks returns the ranks of the states: products of coordinates, one of which may be
// split if it is large.
func (r reversible) Ranks() *puzzle.Ranks {
	if r.ranked == nil {
		return nil
	}
	k := &ranks{game: r.game}
	if !k.setCoordinates() {
		return nil
	}
	blocks, size := 1, 1
	for _, f := range k.inner {
		size *= len(f.ranks)
	}
	if k.split != nil {
		blocks, size = k.split.Outer, k.split.Inner
	}
	for _, f := range k.outer {
		blocks *= len(f.ranks)
		if !k.fits(uint64(blocks)) {
			return nil
		}
	}
	if size >= puzzle.NoItem || wasteful(size) && blocks > 1 {
		return nil
	}
	k.outerKeys, k.innerKeys = sums(k.outer), sums(k.inner)
	out := &puzzle.Ranks{Blocks: blocks, Size: size, RankCoder: k}
	for id := range r.moves {
		inverse := slices.IndexFunc(r.moves, r.undoing[id].Equal)
		out.Actions = append(out.Actions, puzzle.Action{Move: puzzle.Move(id), Inverse: inverse, Blocks: k.blocks(blocks, id), OneRow: id})
		if k.split == nil {
			out.Rows = append(out.Rows, k.row(size, id))
		}
	}
	if k.split != nil && !k.setSplit(out) {
		return nil
	}
	return out
}

// fits reports whether a table of so many entries per move is small enough.
func (k *ranks) fits(entries uint64) bool {
	return entries <= entriesMax/uint64(len(k.game.moves))
}

// wasteful reports whether a bitmap of one block would waste too many bits of its
// words.
func wasteful(size int) bool {
	words := (size + wordBits - 1) / wordBits
	return size*4 < words*wordBits*3
}

// setCoordinates builds the coordinates and divides them between blocks and items.
func (k *ranks) setCoordinates() bool {
	for _, c := range k.game.ranked {
		if c.labels != nil && c.distinct && len(c.places) >= splitPlacesMin {
			if k.split != nil || len(c.places) > coordinates.PlacesMax {
				return false
			}
			if !k.fits(factorials[len(c.places)] / factorials[splitOthers]) {
				return false
			}
			k.splitPiece = c
			k.split = coordinates.New(k.shape(c))
			continue
		}
		f := k.factor(c)
		if f == nil {
			return false
		}
		k.outer = append(k.outer, f)
	}
	if k.split == nil {
		k.share()
	}
	return true
}

// shape returns how an orbit is split.
func (k *ranks) shape(c *coordinate) coordinates.Shape {
	shape := coordinates.Shape{Places: len(c.places), Marked: len(c.places) - splitOthers}
	for _, t := range k.game.moves {
		if ranking.Parity(c.move(t).From) == 1 {
			return shape
		}
	}
	items := make([]uint8, len(c.places))
	c.take(items, k.game.system.start)
	start := ranking.Parity(items)
	shape.Parity = func([]uint8) uint8 { return start }
	return shape
}

// factor enumerates the ranks that moves reach from the start. It returns nil if they
// would be too many.
func (k *ranks) factor(c *coordinate) *factor {
	if !k.fits(c.size) {
		return nil
	}
	f := &factor{coordinate: c, next: make([][]int32, len(k.game.moves)), index: make([]int32, c.size)}
	var items, moved [placesMax]uint8
	n := len(c.places)
	c.take(items[:n], k.game.system.start)
	f.add(c.Rank(items[:n]))
	moves := make([]partMove, len(k.game.moves))
	for id, t := range k.game.moves {
		moves[id] = c.move(t)
	}
	for at := 0; at < len(f.ranks); at++ {
		c.Unrank(items[:n], f.ranks[at])
		for id := range moves {
			for i, from := range moves[id].From {
				moved[i] = items[from]
				if c.labels == nil {
					moved[i] = (items[from] + moves[id].By[i]) % uint8(c.modulus)
				}
			}
			f.next[id] = append(f.next[id], f.add(c.Rank(moved[:n])))
		}
	}
	return f
}

// add returns the index of a rank.
func (f *factor) add(rank uint64) int32 {
	if f.index[rank] == 0 {
		f.ranks = append(f.ranks, rank)
		f.index[rank] = int32(len(f.ranks))
	}
	return f.index[rank] - 1
}

// share makes inner the coordinates whose product is the largest that fits a row, or
// the smallest coordinate if each is too large.
func (k *ranks) share() {
	best, bestSize := uint(0), 0
	const choicesMax = 12
	for chosen := uint(1); chosen < 1<<min(len(k.outer), choicesMax); chosen++ {
		size := 1
		for i, f := range k.outer {
			if chosen>>i&1 != 0 && size <= rowItemsMax {
				size *= len(f.ranks)
			}
		}
		if size <= rowItemsMax && size > bestSize || bits.OnesCount(chosen) == 1 && (bestSize == 0 || bestSize > rowItemsMax && size < bestSize) {
			best, bestSize = chosen, size
		}
	}
	var outer []*factor
	for i, f := range k.outer {
		if best>>i&1 != 0 {
			k.inner = append(k.inner, f)
		} else {
			outer = append(outer, f)
		}
	}
	k.outer = outer
}

// sums returns the share of each combination of coordinates in a key.
func sums(list []*factor) []uint64 {
	all := []uint64{0}
	for _, f := range list {
		var longer []uint64
		for _, sum := range all {
			for _, rank := range f.ranks {
				longer = append(longer, sum+rank*f.stride)
			}
		}
		all = longer
	}
	return all
}

// movedProduct returns where a move leads from each combination of coordinates.
func movedProduct(list []*factor, id int) []int32 {
	all := []int32{0}
	for _, f := range list {
		longer := make([]int32, 0, len(all)*len(f.ranks))
		for _, index := range all {
			for _, next := range f.next[id] {
				longer = append(longer, index*int32(len(f.ranks))+next)
			}
		}
		all = longer
	}
	return all
}

// blocks returns where a move leads from each block, for ranks without a split.
func (k *ranks) blocks(blocks, id int) []int32 {
	if k.split != nil {
		return make([]int32, blocks)
	}
	return movedProduct(k.outer, id)
}

// row returns where a move leads from each item.
func (k *ranks) row(size, id int) []uint16 {
	row := make([]uint16, size)
	for i, next := range movedProduct(k.inner, id) {
		row[i] = uint16(next)
	}
	return row
}

// setSplit sets where moves lead if an orbit is split. It reports false if there are
// too many rows.
func (k *ranks) setSplit(out *puzzle.Ranks) bool {
	rows := coordinates.NewRows(k.split)
	for id := range out.Actions {
		a := &out.Actions[id]
		a.BlockRows = make([]uint16, len(a.Blocks))
		from := k.splitPiece.move(k.game.moves[id]).From
		others := movedProduct(k.outer, id)
		for outer := range k.split.Outer {
			next, row := rows.Step(outer, from)
			if row > 1<<12 {
				return false
			}
			for i, other := range others {
				block := i*k.split.Outer + outer
				a.Blocks[block] = other*int32(k.split.Outer) + int32(next)
				a.BlockRows[block] = uint16(row)
			}
		}
	}
	out.Rows = rows.All()
	return true
}

// AppendKeys appends the keys of items of a block.
func (k *ranks) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	if k.split == nil {
		base := k.outerKeys[block]
		for _, item := range items {
			keys = append(keys, base+k.innerKeys[item])
		}
		return keys
	}
	at := len(keys)
	keys = k.split.AppendRanks(keys, block%k.split.Outer, items)
	base := k.outerKeys[block/k.split.Outer]
	for i := range keys[at:] {
		keys[at+i] = keys[at+i]*k.splitPiece.stride + base
	}
	return keys
}

// Rank returns the block and the item of a key.
func (k *ranks) Rank(key uint64) (block int, item uint16, ok bool) {
	block, ok = index(k.outer, key)
	if !ok {
		return 0, 0, false
	}
	if k.split == nil {
		inner, ok := index(k.inner, key)
		return block, uint16(inner), ok
	}
	var items [placesMax]uint8
	c := k.splitPiece
	c.Unrank(items[:len(c.places)], key/c.stride%c.size)
	outer, item, ok := k.split.Rank(items[:len(c.places)])
	return block*k.split.Outer + outer, item, ok
}

// index returns the combination of coordinates of a key.
func index(list []*factor, key uint64) (int, bool) {
	all := 0
	for _, f := range list {
		i := f.index[key/f.stride%f.size]
		if i == 0 {
			return 0, false
		}
		all = all*len(f.ranks) + int(i) - 1
	}
	return all, true
}
