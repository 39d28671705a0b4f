package table

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Where ranks are folded (puzzle.Fold), the table holds one block of each orbit. A state
// and its images have the same depth, and what is accounted for one is accounted for all.
// The link of an image is the least image of the moves that lead to the state from the
// layer before: all of these are found, not only the least.

// folds is a table's view of folded ranks.
type folds struct {
	*puzzle.Fold
	// Sets of moves are divided into parts of some moves each. least holds, by symmetry,
	// by part and by set, the least of the moves' images; noMove for the empty set.
	least     []uint8
	parts     int
	partMoves uint
}

const (
	noMove       = 255
	partMovesMax = 9
)

func newFolds(f *puzzle.Fold) *folds {
	if f == nil {
		return nil
	}
	moves := len(f.Moves[0])
	parts := (moves + partMovesMax - 1) / partMovesMax
	v := &folds{Fold: f, parts: parts, partMoves: uint((moves + parts - 1) / parts)}
	table := make([]uint8, 1<<v.partMoves)
	table[0] = noMove
	for _, moves := range f.Moves {
		for i := range parts {
			for set := 1; set < len(table); set++ {
				least := table[set&(set-1)]
				if m := i*int(v.partMoves) + bits.TrailingZeros(uint(set)); m < len(moves) {
					least = min(least, uint8(moves[m]))
				}
				table[set] = least
			}
			v.least = append(v.least, table...)
		}
	}
	return v
}

// link returns the least image of a set of moves under a symmetry, 0 of none.
func (v *folds) link(symmetry int, moves uint64) puzzle.Move {
	least, size := uint8(noMove), 1<<v.partMoves
	tables := v.least[symmetry*v.parts*size:]
	for at := 0; moves != 0; at += size {
		least = min(least, tables[at+int(moves)&(size-1)])
		moves >>= v.partMoves
	}
	if least == noMove {
		return 0
	}
	return puzzle.Move(least)
}

// FoldLink returns the least image of a set of moves under a symmetry, 0 of none, where ranks
// are folded.
func (s *Space) FoldLink(symmetry int, moves uint64) puzzle.Move {
	return s.folds.link(symmetry, moves)
}

// setLinks sets the least image of each set of moves, none of which is empty, under a
// symmetry, plus what plus has for it unless that is nil.
func (v *folds) setLinks(links []puzzle.Move, symmetry int, plus []uint16, sets []uint64) {
	if plus == nil && v.parts == 2 {
		size := 1 << v.partMoves
		first, second := v.least[symmetry*2*size:][:size], v.least[(symmetry*2+1)*size:][:size]
		for k, set := range sets {
			links[k] = puzzle.Move(min(first[set&uint64(size-1)], second[set>>(v.partMoves&63)&uint64(size-1)]))
		}
		return
	}
	for k := range links {
		by := symmetry
		if plus != nil {
			by += int(plus[k])
		}
		links[k] = v.link(by, sets[k])
	}
}

// foldInto finds the items of a block that moves lead to from the last layer, and which
// moves do: every move is tried from the items of the last layer or from the open ones,
// whichever are fewer.
func (w *worker) foldInto(block, open int) {
	s, r := w.search, w.search.table.space.Ranks
	if w.setOf == nil {
		w.setOf = new([puzzle.NoItem + 1]uint64)
	}
	if open == 0 {
		return
	}
	reached := 0 // about as many items, some of them more than once
	for i := range r.Actions {
		if from := r.Actions[r.Actions[i].Inverse].Blocks[block]; from >= 0 {
			reached += int(s.counts[from])
		}
	}
	const few = 4
	isFew := reached < open/few
	words := s.table.space.words
	for i := range r.Actions {
		back := &r.Actions[r.Actions[i].Inverse]
		from := int(back.Blocks[block])
		if from < 0 || s.counts[from] == 0 {
			continue
		}
		front, row, move := s.front[from*words:][:words], back.Row(block), uint64(1)<<r.Actions[i].Move
		switch {
		case isFew:
			w.pushFew(front, s.table.space.folds.Inverted[row], move)
		case int(s.counts[from]) > open:
			w.pullSets(front, r.Rows[row], move)
		default:
			w.pushSets(front, s.table.space.folds.Inverted[row], move)
		}
	}
	switch {
	case isFew:
		w.sets = w.sets[:0]
		for _, item := range w.items[:w.found] {
			w.sets = append(w.sets, w.setOf[item])
			w.setOf[item] = 0
		}
	case reached > 0:
		w.takeSets()
		clear(w.setOf[:r.Size])
	}
}

// pushFew adds a move to the sets of the open items that a row leads to from the last layer,
// and takes them. It has no branch, as in push.
func (w *worker) pushFew(front []uint64, row []uint16, move uint64) {
	sets, n := w.setOf, uint(w.found)
	for i, word := range front {
		for ; word != 0; word &= word - 1 {
			to := row[i*wordBits+bits.TrailingZeros64(word)]
			open := &w.open[to/wordBits]
			take := *open >> (to % wordBits) & 1
			*open &^= take << (to % wordBits)
			sets[to] |= -(w.unseen[to/wordBits] >> (to % wordBits) & 1) & move
			w.items[n&puzzle.NoItem] = to
			n += uint(take)
		}
	}
	w.found = int(n)
}

// pushSets adds a move to the sets of the items that a row leads to from the last layer.
func (w *worker) pushSets(front []uint64, row []uint16, move uint64) {
	sets := w.setOf
	for i, word := range front {
		for ; word != 0; word &= word - 1 {
			sets[row[i*wordBits+bits.TrailingZeros64(word)]] |= move
		}
	}
}

// pullSets adds a move to the sets of the open items from which a row leads back to the
// last layer.
func (w *worker) pullSets(front []uint64, row []uint16, move uint64) {
	sets := w.setOf
	for i, word := range w.open[:len(front)] {
		for ; word != 0; word &= word - 1 {
			item := i*wordBits + bits.TrailingZeros64(word)
			if at := row[item]; int(at)/wordBits < len(front) { // else NoItem
				sets[item&puzzle.NoItem] |= -(front[at/wordBits] >> (at % wordBits) & 1) & move
			}
		}
	}
}

// takeSets takes the open items whose sets have moves. Which do is unpredictable, so the
// loop has no branch, as in push.
func (w *worker) takeSets() {
	sets := w.setOf
	w.sets = slices.Grow(w.sets[:0], w.search.table.space.Ranks.Size+1)
	found := w.sets[:cap(w.sets)]
	n := 0
	for i, word := range w.open[:w.search.table.space.words] {
		left := word
		for ; word != 0; word &= word - 1 {
			bit := uint(bits.TrailingZeros64(word))
			item := uint(i)*wordBits + bit
			set := sets[item&puzzle.NoItem]
			take := (set | -set) >> 63
			w.items[n&puzzle.NoItem], found[n] = uint16(item), set
			left &^= take << bit
			n += int(take)
		}
		w.open[i] = left
	}
	w.found, w.sets = n, found[:n]
}

// accountImages accounts for the states found in a block and their images.
func (w *worker) accountImages(block int) {
	space := w.search.table.space
	fold, sets := space.folds, w.sets
	w.keys = fold.EachImage(w.keys, block, w.items[:w.found], func(symmetry int, plus []uint16, keys []uint64) {
		w.imageLinks = slices.Grow(w.imageLinks[:0], len(keys))[:len(keys)]
		if clear(w.imageLinks); w.search.depth > 0 {
			fold.setLinks(w.imageLinks, symmetry, plus, sets)
		}
		w.digest.AddEach(w.salt, keys, w.imageLinks)
		space.Scheme.CountNarrow(w.parts, keys)
		w.countGoals(keys)
	})
}

// Images returns a function that calls f with the keys of the states that items of a block
// stand for, some at a time, and their links. f must not retain them. Different functions may
// be called concurrently.
func (t *Table) Images(f func(keys []uint64, link func(i int) puzzle.Move)) func(block int, items []uint16) {
	space := t.space
	var keys []uint64
	if space.folds != nil {
		return func(block int, items []uint16) {
			var sets []uint64
			keys = space.folds.EachImage(keys, block, items, func(symmetry int, plus []uint16, keys []uint64) {
				f(keys, func(i int) puzzle.Move {
					by := symmetry
					if plus != nil {
						by += int(plus[i])
					}
					if sets == nil {
						sets = t.linksOf(block, items)
					}
					return space.folds.link(by, sets[i])
				})
			})
		}
	}
	var at int
	var of []uint16
	link := func(i int) puzzle.Move {
		move, _, _, _ := t.Link(at, of[i])
		return move
	}
	var links []puzzle.Move // of all, once one was asked for
	switch {
	case space.expands():
		l := t.newLinker()
		link = func(i int) puzzle.Move {
			move, _, _, _ := l.link(at, of[i], t.at(at, of[i]).before())
			return move
		}
	case space.Ranks.Orbits != nil:
		link = func(i int) puzzle.Move {
			if links == nil {
				links = t.orbitLinks(at, of)
			}
			return links[i]
		}
	}
	return func(block int, items []uint16) {
		at, of, links = block, items, nil
		keys = space.Ranks.AppendKeys(keys[:0], block, items)
		f(keys, link)
	}
}

// linksOf returns, for each of some items of a block, the moves that lead there from the
// layer before: none in layer 0.
func (t *Table) linksOf(block int, items []uint16) []uint64 {
	sets, r := make([]uint64, len(items)), t.space.Ranks
	for i := range r.Actions {
		back := &r.Actions[r.Actions[i].Inverse]
		from, row := int(back.Blocks[block]), r.Rows[back.Row(block)]
		if from < 0 {
			continue
		}
		for k, item := range items {
			if c := t.at(block, item); c != 0 && row[item] != puzzle.NoItem && t.at(from, row[item]) == c.before() {
				sets[k] |= 1 << r.Actions[i].Move
			}
		}
	}
	return sets
}

// LinkOf returns the least move that leads to a state from the layer before, 0 in layer 0,
// and its depth, -1 if it is unseen.
func (t *Table) LinkOf(key uint64) (link puzzle.Move, depth int) {
	if f := t.space.folds; f != nil {
		block, item, symmetry, ok := f.RankImage(key)
		if !ok {
			return 0, -1
		}
		return f.link(symmetry, t.linksOf(block, []uint16{item})[0]), t.Depth(block, item)
	}
	block, item, ok := t.space.Ranks.Rank(key)
	if !ok {
		return 0, -1
	}
	link, _, _, _ = t.Link(block, item)
	return link, t.Depth(block, item)
}
