package permutation

import (
	"math/big"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/coordinates"
	"github.com/everystate/everystate/puzzle/permutation/product"
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
	outer, inner *joint

	// If an orbit is split, its pieces are the least significant part of the blocks
	// and all of the items.
	split      *coordinates.Split
	splitPiece *coordinate
}

// joint is some coordinates together, most significant first, limited to the combinations
// of ranks that moves reach.
type joint struct {
	*product.Product
	factors []*factor
	keys    []uint64 // by combination: its share in a key
}

// newJoint returns nil if there are more combinations than limit.
func newJoint(factors []*factor, moves, limit int) *joint {
	p := product.New(parts(factors), moves, limit)
	if p == nil {
		return nil
	}
	j := &joint{Product: p, factors: factors, keys: make([]uint64, p.Len())}
	for i := range j.keys {
		p.Numbers(p.Combination(i), func(k, number int) { j.keys[i] += factors[k].ranks[number] * factors[k].stride })
	}
	return j
}

func parts(factors []*factor) (list []product.Part) {
	for _, f := range factors {
		list = append(list, f.next)
	}
	return list
}

// number returns the combination of a key.
func (j *joint) number(key uint64) (int, bool) {
	all := uint64(0)
	for _, f := range j.factors {
		i := f.index[key/f.stride%f.size]
		if i == 0 {
			return 0, false
		}
		all = all*uint64(len(f.ranks)) + uint64(i) - 1
	}
	return j.Number(all)
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
	blocks, size := k.outer.Len(), k.inner.Len()
	if k.split != nil {
		blocks, size = blocks*k.split.Outer, k.split.Inner
	}
	if !k.fits(uint64(blocks)) || size >= puzzle.NoItem || wasteful(size) && blocks > 1 {
		return nil
	}
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
	var factors []*factor
	for _, c := range k.game.ranked {
		if c.labels != nil && c.distinct && len(c.places) >= splitPlacesMin {
			if k.split != nil || len(c.places) > coordinates.PlacesMax {
				return false
			}
			if !k.fits(ranking.Factorials[len(c.places)] / ranking.Factorials[splitOthers]) {
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
		factors = append(factors, f)
	}
	var inner []*factor
	if k.split == nil {
		var ok bool
		if factors, inner, ok = k.share(factors); !ok {
			return false
		}
	}
	moves := len(k.game.moves)
	k.outer, k.inner = newJoint(factors, moves, entriesMax/moves), newJoint(inner, moves, puzzle.NoItem)
	return k.outer != nil && k.inner != nil
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

// share divides coordinates into outer ones and inner ones, of which a block is made.
func (k *ranks) share(all []*factor) (outer, inner []*factor, ok bool) {
	states := 1.0
	if size := k.game.Size(); size.Exact {
		states, _ = new(big.Float).SetInt(size.States).Float64()
	}
	moves := len(k.game.moves)
	bounds := product.Bounds{Items: rowItemsMax, ItemsMax: puzzle.NoItem - 1, Blocks: entriesMax / moves, Wasteful: wasteful}
	chosen, ok := product.Share(parts(all), moves, states, bounds)
	if !ok {
		return nil, nil, false
	}
	for i, f := range all {
		if chosen>>i&1 != 0 {
			inner = append(inner, f)
		} else {
			outer = append(outer, f)
		}
	}
	return outer, inner, true
}

// blocks returns where a move leads from each block, for ranks without a split.
func (k *ranks) blocks(blocks, id int) []int32 {
	if k.split != nil {
		return make([]int32, blocks)
	}
	return k.outer.Next(id)
}

// row returns where a move leads from each item.
func (k *ranks) row(size, id int) []uint16 {
	row := make([]uint16, size)
	for i, next := range k.inner.Next(id) {
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
		others := k.outer.Next(id)
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
		base := k.outer.keys[block]
		for _, item := range items {
			keys = append(keys, base+k.inner.keys[item])
		}
		return keys
	}
	at := len(keys)
	keys = k.split.AppendRanks(keys, block%k.split.Outer, items)
	base := k.outer.keys[block/k.split.Outer]
	for i := range keys[at:] {
		keys[at+i] = keys[at+i]*k.splitPiece.stride + base
	}
	return keys
}

// Rank returns the block and the item of a key.
func (k *ranks) Rank(key uint64) (block int, item uint16, ok bool) {
	block, ok = k.outer.number(key)
	if !ok {
		return 0, 0, false
	}
	if k.split == nil {
		inner, ok := k.inner.number(key)
		return block, uint16(inner), ok
	}
	var items [placesMax]uint8
	c := k.splitPiece
	c.Unrank(items[:len(c.places)], key/c.stride%c.size)
	outer, item, ok := k.split.Rank(items[:len(c.places)])
	return block*k.split.Outer + outer, item, ok
}
