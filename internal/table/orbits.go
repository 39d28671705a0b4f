package table

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Where states are representatives of orbits (puzzle.Orbits), an action is two rows, and in
// some blocks not all items are states.

// Save is that of Saving, but for merged states: what a part of a layer stands for is not in
// its Part, and there are few of them.
func (s *passes) Save(pause func() bool, save func(part Part) error) {
	if s.table.space.weighted == nil {
		s.Saving.Save(pause, save)
	}
}

// orbitsInto finds the items of a block that actions lead to from the last layer, as block
// does.
func (w *worker) orbitsInto(block, open int) {
	s, space := w.search, w.search.table.space
	r := space.Ranks
	if valid := r.Orbits.Valid[block]; valid != nil {
		open = 0
		for i, word := range valid {
			w.open[i] &= word
			w.unseen[i] = w.open[i]
			open += bits.OnesCount64(w.open[i])
		}
	}
	for _, i := range r.Orbits.Into[block] {
		if open == w.found {
			break
		}
		a := &r.Actions[i]
		back := &r.Actions[a.Inverse]
		from := int(back.Blocks[block])
		if s.counts[from] == 0 {
			continue
		}
		front := s.front[from*space.words:][:space.words]
		pull := int(s.counts[from]) > open-w.found
		switch {
		case a.Thens == nil && pull:
			w.pull(front, r.Rows[back.Row(block)])
		case a.Thens == nil:
			w.push(front, r.Rows[a.Row(from)])
		case pull:
			w.pullTwice(front, r.Rows[back.Row(block)], r.Rows[back.Thens[block]])
		default:
			w.pushTwice(front, r.Rows[a.Row(from)], r.Rows[a.Thens[from]])
		}
		w.link(a.Move)
	}
}

// pushTwice is push with two rows.
func (w *worker) pushTwice(front []uint64, row, then []uint16) {
	n := uint(w.found)
	for i, word := range front {
		for ; word != 0; word &= word - 1 {
			to := then[row[i*wordBits+bits.TrailingZeros64(word)]]
			open := &w.open[to/wordBits]
			take := *open >> (to % wordBits) & 1
			*open &^= take << (to % wordBits)
			w.items[n&puzzle.NoItem] = to
			n += uint(take)
		}
	}
	w.found = int(n)
}

// pullTwice is pull with two rows.
func (w *worker) pullTwice(front []uint64, row, then []uint16) {
	n := uint(w.found)
	for i := range front {
		word := w.open[i]
		left := word
		for ; word != 0; word &= word - 1 {
			bit := uint(bits.TrailingZeros64(word))
			from := then[row[uint(i)*wordBits+bit]]
			take := front[from/wordBits] >> (from % wordBits) & 1
			left &^= take << (bit % wordBits)
			w.items[n&puzzle.NoItem] = uint16(uint(i)*wordBits + bit)
			n += uint(take)
		}
		w.open[i] = left
	}
	w.found = int(n)
}

// orbitLink is Link, of a state with a code before it.
func (t *Table) orbitLink(block int, item uint16, before code) (move puzzle.Move, fromBlock int, fromItem uint16, ok bool) {
	r := t.space.Ranks
	for _, i := range r.Orbits.Into[block] {
		back := &r.Actions[r.Actions[i].Inverse]
		from := int(back.Blocks[block])
		at := r.Rows[back.Row(block)][item]
		if back.Thens != nil {
			at = r.Rows[back.Thens[block]][at]
		}
		if at != puzzle.NoItem && t.at(from, at) == before {
			return r.Actions[i].Move, from, at, true
		}
	}
	return 0, 0, 0, false
}

// orbitLinks returns the links of some items of a block, as orbitLink does: 0 in layer 0.
func (t *Table) orbitLinks(block int, items []uint16) []puzzle.Move {
	r, links := t.space.Ranks, make([]puzzle.Move, len(items))
	left := make([]int, 0, len(items)) // those whose links are not known yet
	for k, item := range items {
		if t.at(block, item) != 0 {
			left = append(left, k)
		}
	}
	for _, i := range r.Orbits.Into[block] {
		if len(left) == 0 {
			break
		}
		back := &r.Actions[r.Actions[i].Inverse]
		from, row := int(back.Blocks[block]), r.Rows[back.Row(block)]
		var then []uint16
		if back.Thens != nil {
			then = r.Rows[back.Thens[block]]
		}
		rest := left[:0]
		for _, k := range left {
			at := row[items[k]]
			if then != nil {
				at = then[at]
			}
			if at != puzzle.NoItem && t.at(from, at) == t.at(block, items[k]).before() {
				links[k] = r.Actions[i].Move
			} else {
				rest = append(rest, k)
			}
		}
		left = rest
	}
	return links
}

// countOrbitEdges is countEdges where moves are possible in some items of a block only. The
// actions of one move lead to images of the same state.
func (w *worker) countOrbitEdges(block int) {
	space := w.search.table.space
	r := space.Ranks
	var possible [wordsMax]uint64
	for i := range r.Actions {
		a := &r.Actions[i]
		if a.Blocks[block] >= 0 {
			for k, word := range space.domains[a.Row(block)] {
				possible[k] |= word
			}
		}
		if i+1 < len(r.Actions) && int(a.Move)/r.Orbits.Symmetries == int(r.Actions[i+1].Move)/r.Orbits.Symmetries {
			continue
		}
		for _, item := range w.items[:w.found] {
			w.edges += int64(possible[item/wordBits] >> (item % wordBits) & 1)
		}
		clear(possible[:space.words])
	}
}
