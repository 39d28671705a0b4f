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

// bases appends what the outer parts of a block count in a key, by turn of the whole.
func (f *Space) bases(list []uint64, outer *state) []uint64 {
	to := *outer
	for i := range f.turns {
		turn(&to, outer, &f.turns[i], f.system, f.outerPlaces)
		list = append(list, share(f.turned.outer, &to))
	}
	return list
}

// AppendKeys appends the keys of items of a block.
func (f *Space) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	a, class := f.block(block), f.blockClass[block]
	bases := f.bases(nil, &a)
	byItem, turn := f.bringing(&a, class)
	for _, item := range items {
		if byItem != nil {
			turn = byItem[item]
		}
		keys = append(keys, bases[turn]+f.keys[class][turn][item])
	}
	return keys
}

// scratch is the memory of EachImage.
type scratch struct {
	bases []uint64
	turns []uint16
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// EachImage calls g with the images of items of a block.
func (f *Space) EachImage(buf []uint64, block int, items []uint16, g func(symmetry int, plus []uint16, keys []uint64)) []uint64 {
	a := f.block(block)
	b := a
	s, ok := scratches.Get().(*scratch)
	if !ok {
		s = new(scratch)
	}
	defer scratches.Put(s)
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
		s.bases = f.bases(s.bases[:0], &b)
		to, row := f.class(&b), f.images[i][class]
		byItem, turn := f.bringing(&b, to)
		buf = buf[:0]
		if byItem == nil {
			base, inner := s.bases[turn], f.keys[to][turn]
			for _, item := range items {
				buf = append(buf, base+inner[row[item]])
			}
			g(i+int(turn), nil, buf)
			continue
		}
		s.turns = s.turns[:0]
		inner := f.home[to][f.placeOf(&b)]
		for _, item := range items {
			image := row[item]
			turn := byItem[image]
			buf = append(buf, s.bases[turn]+inner[image])
			s.turns = append(s.turns, turn)
		}
		g(i, s.turns, buf)
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
