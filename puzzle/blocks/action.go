package blocks

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// action is what turns do to keys. The representative of an orbit is the one whose
// places come first, class by class; if turns map groups to groups, it is the least
// key.
type action struct {
	*game
	turns []turn

	// cells holds the cells of the placements of each group, by rank. It is nil unless
	// turns map groups to groups and the class of the rest to itself.
	cells [][]uint64
}

// rank builds the tables of the turns, if keys are ranks and all turns map groups to
// groups.
func (a *action) rank() {
	if a.ranking == nil {
		return
	}
	for i := range a.turns {
		if !a.rankTurn(&a.turns[i]) {
			return
		}
	}
	a.cells = make([][]uint64, len(a.ranking.groups))
	for i, g := range a.ranking.groups {
		for rank := range g.states() {
			cells, places := uint64(0), g.tuple(rank)
			for _, c := range g.classes {
				for _, at := range places[:c.count] {
					cells |= c.places[at].cells[0]
				}
				places = places[c.count:]
			}
			a.cells[i] = append(a.cells[i], cells)
		}
	}
}

// rankTurn builds the table of a turn, or reports false.
func (a *action) rankTurn(t *turn) bool {
	groupOf := map[*class]int{a.ranking.rest.class: -1}
	for i, g := range a.ranking.groups {
		for _, c := range g.classes {
			groupOf[c] = i
		}
	}
	t.groups = make([]groupImage, len(a.ranking.groups))
	for i := range t.groups {
		t.groups[i].to = -1
	}
	for to, from := range t.from {
		i, image := groupOf[a.classes[from]], groupOf[a.classes[to]]
		switch {
		case i < 0 && image < 0:
		case i < 0 || image < 0 || t.groups[i].to >= 0 && t.groups[i].to != image:
			return false
		default:
			t.groups[i].to = image
		}
	}
	for i, g := range a.ranking.groups {
		im := &t.groups[i]
		to := a.ranking.groups[im.to]
		if g.pieces != to.pieces {
			return false
		}
		im.shift = to.shift
		var p, q placed
		for rank := range g.states() {
			places := g.tuple(rank)
			for _, c := range g.classes {
				places = places[copy(p.of(c), places):]
			}
			var tuple []uint8
			for _, c := range to.classes {
				t.class(slices.Index(a.classes, c), a.classes, &q, &p)
				tuple = append(tuple, q.of(c)...)
			}
			im.ranks = append(im.ranks, uint16(to.rank(tuple)))
		}
	}
	return true
}

// class writes the image of the class that is mapped to class n.
func (t *turn) class(n int, classes []*class, dst, src *placed) {
	i := t.from[n]
	images, places := t.places[i], dst.of(classes[n])
	for k, at := range src.of(classes[i]) {
		to := images[at]
		for ; k > 0 && places[k-1] > to; k-- {
			places[k] = places[k-1]
		}
		places[k] = to
	}
}

// Image writes the image of a state.
func (a *action) Image(dst, state []uint64, symmetry int) {
	if symmetry == 0 {
		copy(dst, state)
		return
	}
	t := &a.turns[symmetry]
	if a.cells != nil {
		head := a.head(state[0], t)
		dst[0] = head | a.tail(a.ranked(state[0]), head, t)
		return
	}
	var p, q placed
	a.decode(state, &p)
	for n := range a.classes {
		t.class(n, a.classes, &q, &p)
	}
	a.encode(dst[:a.layout.Words()], &q)
}

// First returns the first symmetry that leads to the representative.
func (a *action) First(state []uint64) int {
	if a.cells != nil {
		first, _ := a.least(state[0])
		return first
	}
	var p, least placed
	a.decode(state, &p)
	return a.first(&p, &least)
}

// Fixing counts the symmetries that map a state to itself.
func (a *action) Fixing(state []uint64) int {
	fixing := 1
	if a.cells != nil {
		key, restMask := state[0], uint64(1)<<a.ranking.rest.width-1
		for i := 1; i < len(a.turns); i++ {
			t := &a.turns[i]
			if head := a.head(key, t); head == key&^restMask && head|a.tail(a.ranked(key), head, t) == key {
				fixing++
			}
		}
		return fixing
	}
	var p, q placed
	a.decode(state, &p)
	for i := 1; i < len(a.turns); i++ {
		if a.turns[i].compare(a.classes, &q, &p, &p) == 0 {
			fixing++
		}
	}
	return fixing
}

// Merge replaces keys by those of the representatives.
func (a *action) Merge(_, keys []uint64, moves []puzzle.Move) {
	words, n := a.layout.Words(), puzzle.Move(len(a.turns))
	var p, least placed
	for i := range moves {
		key := keys[i*words : (i+1)*words]
		var first int
		if a.cells != nil {
			first, key[0] = a.least(key[0])
		} else {
			a.decode(key, &p)
			if first = a.first(&p, &least); first > 0 {
				a.encode(key, &least)
			}
		}
		moves[i] = moves[i]*n + puzzle.Move(first)
	}
}

// first returns the first symmetry that leads to the representative, and writes that to
// least.
func (a *action) first(p, least *placed) (first int) {
	*least = *p
	var q placed
	for i := 1; i < len(a.turns); i++ {
		if a.turns[i].compare(a.classes, &q, p, least) < 0 {
			*least, first = q, i
		}
	}
	return first
}

// compare compares the image of a state with another state. It writes the image to
// dst, unless that comes later.
func (t *turn) compare(classes []*class, dst, src, other *placed) (order int) {
	for n, c := range classes {
		t.class(n, classes, dst, src)
		if order == 0 {
			if order = bytes.Compare(dst.of(c), other.of(c)); order > 0 {
				return order
			}
		}
	}
	return order
}

// head returns the part of an image's key that belongs to the groups.
func (a *action) head(key uint64, t *turn) (head uint64) {
	for i, g := range a.ranking.groups {
		im := &t.groups[i]
		head |= uint64(im.ranks[key>>g.shift&g.mask]) << im.shift
	}
	return head
}

// open returns the cells that the groups leave open.
func (a *action) open(key uint64) uint64 {
	open := a.ranking.floor
	for i, g := range a.ranking.groups {
		open &^= a.cells[i][key>>g.shift&g.mask]
	}
	return open
}

// ranked returns the cells that the rest of a key ranks.
func (a *action) ranked(key uint64) uint64 {
	r := a.ranking.rest
	if r.class == nil {
		return 0
	}
	open := a.open(key)
	empty := r.empty(open, key&(1<<r.width-1))
	if r.empties {
		return empty
	}
	return open &^ empty
}

// tail returns the rest of an image's key, given the cells that the rest of the key
// ranks, and the image's head.
func (a *action) tail(ranked, head uint64, t *turn) uint64 {
	r := a.ranking.rest
	if r.class == nil {
		return 0
	}
	image := uint64(0)
	for ; ranked != 0; ranked &= ranked - 1 {
		image |= 1 << t.cells[bits.TrailingZeros64(ranked)]
	}
	open := a.open(head)
	if !r.empties {
		image = open &^ image
	}
	return r.rank(open, image)
}

// least returns the key of the representative, and the first symmetry that leads there.
// Most are decided by the groups.
func (a *action) least(key uint64) (first int, least uint64) {
	restMask := uint64(1)<<a.ranking.rest.width - 1
	head, tail, known := key&^restMask, key&restMask, true // known: tail is that of the image
	ranked, decoded := uint64(0), false
	tailOf := func(head uint64, i int) uint64 {
		if !decoded {
			ranked, decoded = a.ranked(key), true
		}
		return a.tail(ranked, head, &a.turns[i])
	}
	for i := 1; i < len(a.turns); i++ {
		image := a.head(key, &a.turns[i])
		switch {
		case image < head:
			head, first, known = image, i, false
		case image == head:
			if !known {
				tail, known = tailOf(head, first), true
			}
			if other := tailOf(image, i); other < tail {
				tail, first = other, i
			}
		}
	}
	if !known {
		tail = tailOf(head, first)
	}
	return first, head | tail
}
