package sokoban

import "math/bits"

// narrow generates the moves of levels of at most 64 cells. A set of cells is a word
// with a place for each cell. Places increase with cell numbers, and if possible the
// cells of two adjoining rows are always the same number of bits apart.
//
// Beside a wall there is no place: the number of such a neighbour is 64, and shifting
// by it yields no bit.
type narrow struct {
	cells   uint64
	boxes   int
	cellOf  [64]uint8
	placeOf [64]uint8
	// next holds the place beside each place.
	next [directions][64]uint8
	all  uint64
	// fromLeft and fromRight are the places with a neighbour at the left and at the
	// right.
	fromLeft, fromRight uint64
	// drops are the distances in bits between a row and the next.
	drops []drop
	// around holds the places beside each place.
	around [64]uint64
	// passes is used to tell whether the places around one stay connected when it is
	// taken from those that can be walked on.
	passes [directions][64]pass

	// binomials[i<<6+c] is choose(c, i).
	binomials []uint64

	cellsLost, freezes bool
	dead, targets      uint64
	// pairs are the places between two dead ones, in a column and in a row.
	pairs [2]uint64
}

// drop is a distance in bits between two cells, one below the other.
type drop struct {
	by           uint
	above, under uint64 // the upper and lower cells of such pairs
}

// pass names the places around two adjacent places x and y.
//
//	xSide[0]  ySide[0]  fSide[0]
//	x         y         front
//	xSide[1]  ySide[1]  fSide[1]
type pass struct {
	front               uint8
	xSide, ySide, fSide [2]uint8
}

// nowhere is the place of a wall.
const nowhere = 64

func newNarrow(g *game) *narrow {
	n := &narrow{cells: uint64(g.cells), boxes: g.count}
	placeOf := g.placesInWord()
	for c, p := range placeOf {
		n.cellOf[p], n.placeOf[c] = uint8(c), p
		n.all |= 1 << p
	}
	n.findNeighbours(g, placeOf)
	n.findPasses()
	n.binomials = make([]uint64, (g.count+2)<<6)
	for i := range g.count + 1 {
		copy(n.binomials[i<<6:(i+1)<<6], g.binomials[i*g.stride:(i+1)*g.stride])
	}
	n.targets = n.placed(&g.targets, placeOf)
	if g.deadlocks != nil {
		n.cellsLost, n.freezes = g.deadlocks.cells, g.deadlocks.freezes
		n.dead = n.placed(&g.deadlocks.dead, placeOf)
		n.pairs[0] = n.shifted(up, n.dead) & n.shifted(down, n.dead)
		n.pairs[1] = n.shifted(left, n.dead) & n.shifted(right, n.dead)
	}
	return n
}

func (n *narrow) findNeighbours(g *game, placeOf []uint8) {
	for d := range n.next {
		for p := range n.next[d] {
			n.next[d][p] = nowhere
		}
		for c, p := range placeOf {
			if to := g.next[d][c]; to >= 0 {
				n.next[d][p] = placeOf[to]
				n.around[p] |= 1 << placeOf[to]
			}
		}
	}
	for _, p := range placeOf {
		if n.next[left][p] != nowhere {
			n.fromLeft |= 1 << p
		}
		if n.next[right][p] != nowhere {
			n.fromRight |= 1 << p
		}
		if under := n.next[down][p]; under != nowhere {
			n.addDrop(p, under)
		}
	}
}

func (n *narrow) addDrop(above, under uint8) {
	by := uint(under - above)
	i := 0
	for i < len(n.drops) && n.drops[i].by != by {
		i++
	}
	if i == len(n.drops) {
		n.drops = append(n.drops, drop{by: by})
	}
	n.drops[i].above |= 1 << above
	n.drops[i].under |= 1 << under
}

func (n *narrow) findPasses() {
	for d := range n.passes {
		side := direction(d).lateral()
		for x := range n.passes[d] {
			y := n.next[d][x]
			if y == nowhere {
				continue
			}
			p := &n.passes[d][x]
			p.front = n.next[d][y]
			for i, s := range []direction{side, side.opposite()} {
				p.xSide[i], p.ySide[i], p.fSide[i] = n.next[s][x], n.next[s][y], nowhere
				if p.front != nowhere {
					p.fSide[i] = n.next[s][p.front]
				}
			}
		}
	}
}

// placed converts a set of cells to places.
func (n *narrow) placed(set *cellSet, placeOf []uint8) uint64 {
	word := uint64(0)
	for c, p := range placeOf {
		if set.has(c) {
			word |= 1 << p
		}
	}
	return word
}

// shifted returns the places one step further in a direction.
func (n *narrow) shifted(d direction, set uint64) uint64 {
	switch d {
	case left:
		return set >> 1 & n.fromRight
	case right:
		return set << 1 & n.fromLeft
	default:
	}
	moved := uint64(0)
	for i := range n.drops {
		if g := &n.drops[i]; d == up {
			moved |= set >> (g.by & 63) & g.above
		} else {
			moved |= set << (g.by & 63) & g.under
		}
	}
	return moved
}

// fill returns the places that can be walked to from a set.
func (n *narrow) fill(set, free uint64) uint64 {
	fromLeft, fromRight := n.fromLeft&free, n.fromRight&free
	if len(n.drops) == 1 {
		by := n.drops[0].by & 63
		above, under := n.drops[0].above&free, n.drops[0].under&free
		for {
			wider := set | set<<1&fromLeft | set>>1&fromRight
			wider |= wider<<by&under | wider>>by&above
			if wider == set {
				return set
			}
			set = wider
		}
	}
	for {
		wider := set | set<<1&fromLeft | set>>1&fromRight
		for i := range n.drops {
			g := &n.drops[i]
			wider |= (wider<<(g.by&63)&g.under | wider>>(g.by&63)&g.above) & free
		}
		if wider == set {
			return set
		}
		set = wider
	}
}

// bit returns whether a place is in a set; nowhere never is.
func bit(set uint64, p uint8) uint64 { return set >> p & 1 }

// regionAfter returns the places that can be walked to from seed after a box went from
// x to y, beside it. Before that it was walked, in free.
//
// Most pushes neither open nor close a path. If x touches nothing but what could be
// walked to, and the places around y are connected without y, the region stays the
// same except for x and y.
func (n *narrow) regionAfter(walked, free uint64, x uint8, d direction, y, seed uint8) uint64 {
	if n.sameRegion(walked, free, x, d, y) {
		return (walked | 1<<(x&63)) &^ (1 << (y & 63))
	}
	return n.fill(1<<(seed&63), (free|1<<(x&63))&^(1<<(y&63)))
}

// sameRegion is the test of regionAfter.
func (n *narrow) sameRegion(walked, free uint64, x uint8, d direction, y uint8) bool {
	if n.around[x&63]&free&^walked != 0 {
		return false
	}
	now := (free | 1<<(x&63)) &^ (1 << (y & 63))
	p := &n.passes[d][x&63]
	x0, x1 := bit(now, p.xSide[0]), bit(now, p.xSide[1])
	y0, y1 := bit(now, p.ySide[0]), bit(now, p.ySide[1])
	f := bit(now, p.front)
	f0, f1 := y0&bit(now, p.fSide[0]), y1&bit(now, p.fSide[1])
	return (y0&^x0)|(y1&^x1)|(f&^(f0|f1)) == 0
}

// unrank returns the boxes of a rank.
func (n *narrow) unrank(rank uint64) uint64 {
	set := uint64(0)
	places := n.all
	for i := n.boxes; i > 0; i-- {
		row := n.binomials[i<<6 : i<<6+64]
		for {
			top := 63 - bits.LeadingZeros64(places)
			places &^= 1 << (top & 63)
			if b := row[n.cellOf[top&63]&63]; b <= rank {
				rank -= b
				set |= 1 << (top & 63)
				break
			}
		}
	}
	return set
}

// rankAfter returns the rank after a box went from x to y.
func (n *narrow) rankAfter(rank, boxes uint64, x, y uint8) uint64 {
	below := bits.OnesCount64(boxes & (1<<(x&63) - 1))
	at := n.binomials[(below+1)<<6:]
	rank -= at[n.cellOf[x&63]]
	if y > x {
		passed := boxes & (1<<(y&63) - 1) &^ (2<<(x&63) - 1)
		row := (below + 1) << 6
		for ; passed != 0; passed &= passed - 1 {
			c := int(n.cellOf[bits.TrailingZeros64(passed)&63])
			rank += n.binomials[row+c] - n.binomials[row+64+c]
			row += 64
		}
		return rank + n.binomials[row+int(n.cellOf[y&63])]
	}
	passed := boxes & (1<<(x&63) - 1) &^ (2<<(y&63) - 1)
	row := (below + 1 - bits.OnesCount64(passed)) << 6
	rank += n.binomials[row+int(n.cellOf[y&63])]
	for ; passed != 0; passed &= passed - 1 {
		c := int(n.cellOf[bits.TrailingZeros64(passed)&63])
		rank += n.binomials[row+64+c] - n.binomials[row+c]
		row += 64
	}
	return rank
}

// lostAfter reports whether a state is known to be unsolvable after a box was pushed
// to a place.
func (n *narrow) lostAfter(boxes uint64, to uint8) bool {
	return n.cellsLost && bit(n.dead, to) != 0 || n.freezes && n.frozen(boxes)
}

// frozen is [deadlocks.frozen] for places.
func (n *narrow) frozen(frozen uint64) bool {
	for {
		loose := n.all &^ frozen
		moves := n.shifted(up, loose) & n.shifted(down, loose) &^ n.pairs[0]
		moves |= n.shifted(left, loose) & n.shifted(right, loose) &^ n.pairs[1]
		if moves&frozen == 0 {
			return frozen&^n.targets != 0
		}
		frozen &^= moves
	}
}
