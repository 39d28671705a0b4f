package folding

import (
	"slices"
	"sort"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// block returns the outer parts of a block.
func (f *Space) block(block int) state {
	a := f.start
	f.put(&a, f.choice.outer, int(f.reps[block]))
	return a
}

// bases are what the outer parts of a block count in a key, by turn of the whole.
type bases struct {
	space *Space
	outer *state
	known []uint64 // plus 1, or 0
}

func (b *bases) reset(f *Space, outer *state) {
	b.space, b.outer = f, outer
	b.known = append(b.known[:0], make([]uint64, len(f.turns))...)
}

// of returns what the outer parts count after a turn.
func (b *bases) of(i uint16) uint64 {
	if b.known[i] == 0 {
		to := *b.outer
		turn(&to, b.outer, &b.space.turns[i], b.space.system, b.space.outerPlaces)
		b.known[i] = share(b.space.turned.outer, &to) + 1
	}
	return b.known[i] - 1
}

// AppendKeys appends the keys of items of a block.
func (f *Space) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	a, class := f.block(block), f.blockClass[block]
	var b bases
	b.reset(f, &a)
	byItem, turn := f.bringing(&a, class)
	for _, item := range items {
		if byItem != nil {
			turn = byItem[item]
		}
		keys = append(keys, b.of(turn)+f.keys[class][turn][item])
	}
	return keys
}

// bins divide items by the turn that brings the held piece home.
type bins struct {
	bases
	lists [][]uint16
}

var binsPool = sync.Pool{New: func() any { return new(bins) }}

// EachImage calls g with the images of items of a block.
func (f *Space) EachImage(buf []uint64, block int, items []uint16, g func(symmetry int, list []uint16, keys []uint64)) []uint64 {
	a := f.block(block)
	b := a
	sorted, ok := binsPool.Get().(*bins)
	if !ok {
		sorted = new(bins)
	}
	defer binsPool.Put(sorted)
	class, weight, turns := f.blockClass[block], int(f.weights[block]), len(f.turns)
	var seen [puzzle.SymmetriesMax]uint32
	n := 0
	for i := 0; i < len(f.list); i += turns {
		f.image(&b, &a, i, f.outerPlaces)
		if weight < len(f.list)/turns {
			number := f.leastTurned(&b)
			if slices.Contains(seen[:n], number) {
				continue
			}
			seen[n] = number
			n++
		}
		sorted.reset(f, &b)
		to, row := f.class(&b), f.images[i][class]
		byItem, turn := f.bringing(&b, to)
		if byItem != nil {
			buf = f.eachTurn(sorted, buf, i, items, row, byItem, f.keys[to], g)
			continue
		}
		base, inner := sorted.of(turn), f.keys[to][turn]
		buf = buf[:0]
		for _, item := range items {
			buf = append(buf, base+inner[row[item]])
		}
		g(i+int(turn), nil, buf)
	}
	return buf
}

// eachTurn calls g with the images of items under a symmetry followed by each turn that
// some of them need.
func (f *Space) eachTurn(sorted *bins, buf []uint64, symmetry int, items, row, byItem []uint16, keys [][]uint64, g func(symmetry int, list []uint16, keys []uint64)) []uint64 {
	for len(sorted.lists) < len(f.turns) {
		sorted.lists = append(sorted.lists, nil)
	}
	lists := sorted.lists[:len(f.turns)]
	for i := range lists {
		lists[i] = lists[i][:0]
	}
	for k, item := range items {
		turn := byItem[row[item]]
		lists[turn] = append(lists[turn], uint16(k))
	}
	for turn, list := range lists {
		if len(list) == 0 {
			continue
		}
		base, inner := sorted.of(uint16(turn)), keys[turn]
		buf = buf[:0]
		for _, k := range list {
			buf = append(buf, base+inner[row[items[k]]])
		}
		g(symmetry+turn, list, buf)
	}
	return buf
}

// leastTurned returns the least number of a block after a turn of the whole.
func (f *Space) leastTurned(a *state) uint32 {
	least, b := f.number(f.choice.outer, a), *a
	for i := range f.turns[1:] {
		turn(&b, a, &f.turns[i+1], f.system, f.outerPlaces)
		least = min(least, f.number(f.choice.outer, &b))
	}
	return uint32(least)
}

// Rank returns the block and the item that stand for a key.
func (f *Space) Rank(key uint64) (block int, item uint16, ok bool) {
	block, item, _, ok = f.RankImage(key)
	return block, item, ok
}

// RankImage returns the block and the item that stand for a key, and how.
func (f *Space) RankImage(key uint64) (block int, item uint16, symmetry int, ok bool) {
	var items [placesMax]uint8
	a := f.start
	for _, parts := range [][]*Part{f.turned.outer, f.turned.inner} {
		for _, p := range parts {
			list := items[:len(p.Places)]
			p.Unrank(list, key/p.Stride%p.Size)
			p.put(&a, list)
		}
	}
	b := a
	inner, least := f.number(f.choice.inner, &a), f.number(f.choice.outer, &a)
	if inner < 0 || least < 0 || f.classOf[inner] != f.class(&a) || !f.reached(&a) {
		return 0, 0, 0, false
	}
	best := 0
	for g := range f.list {
		f.image(&b, &a, g, f.outerPlaces)
		if number := f.number(f.choice.outer, &b); number < least {
			best, least = g, number
		}
	}
	block = sort.Search(len(f.reps), func(i int) bool { return f.reps[i] >= uint32(least) })
	return block, f.images[best][f.classOf[inner]][f.itemOf[inner]], f.back[best], true
}

// reached reports whether moves reach the parity of each part of a state that they
// permute evenly.
func (f *Space) reached(a *state) bool {
	for _, parts := range [][]*numbering{f.choice.outer, f.choice.inner} {
		for _, n := range parts {
			if n.halved && !n.even(a) {
				return false
			}
		}
	}
	return true
}
