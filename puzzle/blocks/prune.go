package blocks

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// narrowLink is the move that led to a state, with what is needed to prune moves after
// it.
type narrowLink struct {
	pair
	move     puzzle.Move
	back     puzzle.Move
	metric   metric
	vertical bool

	class *narrowClass // of the piece that moved
	place *narrowPlace // where it was
	gone  uint64       // cells that it was on and no longer is
	left  uint64       // the same, and the empty cells that it passed
	empty uint64       // cells that were empty
}

// setLink sets a state's link.
func (n *narrow) setLink(by *narrowLink, link puzzle.Move, t *tables, key, empty uint64) {
	*by = narrowLink{pair: t.pairs[link], move: link, metric: n.metric, class: n.singles}
	for i := range n.groups {
		g := &n.groups[i]
		for k, at := range g.tuple(int(key >> g.shift & g.mask)) {
			if g.pieces[k].places[at].first == by.to {
				by.class = g.pieces[k].narrowClass
			}
		}
	}
	now := &by.class.places[by.class.at[by.to]]
	by.place = &by.class.places[by.class.at[by.from]]
	back := &now.moves[bits.OnesCount64(now.to&(1<<by.from-1))]
	by.back, by.vertical = back.move, back.vertical
	by.gone, by.left = by.place.cells&^now.cells, back.need
	by.empty = (empty | now.cells) &^ by.place.cells
}

// prunes reports whether a legal move of a piece is pruned: for the piece that moved
// last, the inverse and, for slides, all moves along the same line; for others, moves
// with greater ids that neither pass where that piece was nor end on its way.
func (by *narrowLink) prunes(place *narrowPlace, m *narrowMove) bool {
	switch {
	case by == nil:
		return false
	case place.first == by.to:
		return m.move == by.back || by.metric == metricSlide && m.vertical == by.vertical
	default:
		return m.move > by.move && m.need&by.gone == 0 && (place.cells^m.toggle)&by.left == 0
	}
}

// pruneWalk does what prunes does for the ends of all moves of a piece by any path. It
// returns the ends that are kept, and the number pruned.
func (by *narrowLink) pruneWalk(c *narrowClass, place *narrowPlace, ends uint64, cols int) (left uint64, pruned int) {
	switch {
	case by == nil || ends == 0:
		return ends, 0
	case place.first == by.to:
		return 0, bits.OnesCount64(ends) // the piece could have gone there in one move
	}
	left = ends
	before := c.reach(place, by.empty, cols)
	if c == by.class && before>>by.to&1 != 0 && ends>>by.from&1 != 0 {
		// It goes to where the other piece was, which is of its class and is now where
		// it could have gone itself.
		left &^= 1 << by.from
		pruned++
	}
	for both := left & before; both != 0; both &= both - 1 {
		end := both & -both
		m := &place.moves[bits.OnesCount64(place.to&(end-1))]
		if m.move < by.move {
			continue
		}
		after := by.empty ^ m.toggle
		if by.class.reach(by.place, after, cols)>>by.to&1 != 0 {
			left &^= end
			pruned++
		}
	}
	return left, pruned
}
