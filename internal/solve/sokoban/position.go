package sokoban

import "math/bits"

func trailing(word uint64) int { return bits.TrailingZeros64(word) }

// tables holds what is precomputed for a level.
type tables struct {
	*level
	distances *distances
	pairs     *pairs
	triples   *triples
	// symmetries of the level, the identity first.
	symmetries []symmetry
	mix        [cellsMax]uint64 // of a box on each cell; rotated for the player
}

func newTables(l *level) *tables {
	t := &tables{level: l, distances: newDistances(l), symmetries: l.findSymmetries()}
	state := uint64(0x9e3779b97f4a7c15)
	for i := range t.mix {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		t.mix[i] = z ^ z>>31
	}
	return t
}

// hash hashes a position.
func (t *tables) hash(boxes *cellSet, player int) uint64 {
	h := bits.RotateLeft64(t.mix[player], 29)
	for w := range t.words {
		for word := boxes[w]; word != 0; word &= word - 1 {
			h ^= t.mix[w<<6+trailing(word)]
		}
	}
	return h
}

// push is the push of a box from a cell.
type push struct {
	from uint8
	dir  direction
}

// child is a position that a push leads to.
type child struct {
	boxes   cellSet
	reached cellSet // where the player can walk to
	hash    uint64
	push    push
	to      uint8
	slot    uint8 // of the pushed box in the parent's list
	least   uint8 // cell that the player can walk to
	bound   int
}

// What an expander prunes, or adds to the plain bound.
type pruning uint8

const (
	pruneFreeze pruning = 1 << iota
	prunePairs
	pruneTriples
	pruneCorrals
	boundRegions // the bound depends on the player's region
	boundPairs
	pruneLostCorrals
)

const pruneAll = pruneFreeze | prunePairs | pruneTriples | pruneCorrals | boundRegions | boundPairs | pruneLostCorrals

// expander generates the children of positions and their bounds.
type expander struct {
	*tables
	prune   pruning
	nearest bool // the bound is the sum of the nearest targets, not a matching

	// Of the position being expanded.
	boxes   cellSet
	reached cellSet
	list    []uint8
	player  int
	base    *matching
	work    *matching
	sums    int // of the nearest targets

	corrals *corrals // nil if corrals are not examined

	other []uint8 // the child's list
	gains []gain
}

type gain struct {
	excess uint8
	i, j   uint8
}

func newExpander(t *tables, p pruning, nearestOnly bool) *expander {
	if p&(prunePairs|boundPairs) != 0 && t.pairs == nil {
		t.pairs = newPairs(t.level, t.distances, p&boundPairs != 0)
	}
	if p&pruneTriples != 0 && t.triples == nil {
		t.triples = newTriples(t.level)
	}
	e := &expander{tables: t, prune: p, nearest: nearestOnly, base: newMatching(t.boxes), work: newMatching(t.boxes)}
	if p&pruneLostCorrals != 0 {
		e.corrals = newCorrals(t)
	}
	return e
}

// row returns a box's pushes to each target.
func (e *expander) row(c uint8, player int) []uint16 {
	if e.prune&boundRegions != 0 {
		return e.distances.of(int(c), player)
	}
	return e.distances.least[c]
}

// enter sets the position to expand. player is any cell that the player can walk to.
func (e *expander) enter(boxes *cellSet, player int) {
	e.boxes, e.player = *boxes, player
	e.reached = e.walk(boxes, player)
	e.list = boxes.list(e.list[:0])
}

// match prepares the bounds of the children.
func (e *expander) match() {
	if e.nearest {
		e.sums = 0
		for _, c := range e.list {
			e.sums += nearest(e.row(c, e.player))
		}
		return
	}
	for i, c := range e.list {
		e.base.costs[i+1] = e.row(c, e.player)
	}
	e.base.solve()
}

// bound returns the bound of the position being expanded, or unreachable.
func (e *expander) bound() int {
	e.match()
	total := min(e.sums, unreachable)
	if !e.nearest {
		total = e.base.sum()
	}
	if total < unreachable && e.prune&boundPairs != 0 {
		total += e.excess(e.list, &e.reached)
	}
	return min(total, unreachable)
}

// boundOf returns the bound of a child, or unreachable. match must have been called.
func (e *expander) boundOf(c *child) int {
	player := int(c.push.from)
	if e.nearest {
		old := nearest(e.row(c.push.from, e.player))
		return min(e.sums-old+nearest(e.row(c.to, player)), unreachable)
	}
	e.work.copyFrom(e.base)
	e.other = append(e.other[:0], e.list...)
	e.other[c.slot] = c.to
	e.work.replace(int(c.slot)+1, e.row(c.to, player))
	if e.prune&boundRegions != 0 {
		for i, box := range e.list {
			if i != int(c.slot) && e.distances.region[box][player] != e.distances.region[box][e.player] {
				e.work.replace(i+1, e.row(box, player))
			}
		}
	}
	total := e.work.sum()
	if total < unreachable && e.prune&boundPairs != 0 {
		total += e.excess(e.other, &c.reached)
	}
	if total < unreachable && e.corrals != nil && e.corrals.dead(c) {
		return unreachable
	}
	return min(total, unreachable)
}

// excess returns what disjoint pairs of boxes need beyond the sum of each box's
// pushes, or unreachable. The pairs are chosen greedily.
func (e *expander) excess(list []uint8, reached *cellSet) int {
	var sides [cellsMax]int8
	for i, c := range list {
		sides[i] = unknownSide
		for side, p := range e.next[c] {
			if p >= 0 && reached.has(int(p)) {
				sides[i] = int8(side)
				break
			}
		}
	}
	e.gains = e.gains[:0]
	for i, a := range list {
		for j, b := range list[:i] {
			var excess uint8
			if sides[i] != unknownSide {
				excess = e.pairs.of(a, int(sides[i]), b)
			} else {
				excess = e.pairs.of(b, int(sides[j]), a)
			}
			if excess == deadPair {
				return unreachable
			}
			if excess > 0 {
				e.gains = append(e.gains, gain{excess, uint8(i), uint8(j)})
			}
		}
	}
	total := 0
	var taken cellSet
	for {
		best, at := uint8(0), 0
		for k, g := range e.gains {
			if g.excess > best && !taken.has(int(g.i)) && !taken.has(int(g.j)) {
				best, at = g.excess, k
			}
		}
		if best == 0 {
			return total
		}
		taken.add(int(e.gains[at].i))
		taken.add(int(e.gains[at].j))
		total += int(best)
	}
}

// children appends the positions that pushes lead to, except known dead ones, in the
// order of the boxes' cells and the directions.
func (e *expander) children(to []child) []child {
	fence, fenced := cellSet{}, false
	if e.prune&pruneCorrals != 0 {
		fence, fenced = e.corral(&e.boxes, &e.reached)
	}
	for slot, c := range e.list {
		if fenced && !fence.has(int(c)) {
			continue
		}
		for d := range directions {
			behind, ahead := int(e.next[c][d.opposite()]), int(e.next[c][d])
			if behind < 0 || ahead < 0 || ahead >= e.live || !e.reached.has(behind) || e.boxes.has(ahead) {
				continue
			}
			to = append(to, child{boxes: e.boxes, push: push{c, d}, to: uint8(ahead), slot: uint8(slot)})
			k := &to[len(to)-1]
			k.boxes.remove(int(c))
			k.boxes.add(ahead)
			if e.lostAfter(k) {
				to = to[:len(to)-1]
				continue
			}
			k.reached = e.walk(&k.boxes, int(c))
			k.least = uint8(k.reached.least())
			k.hash = e.hash(&k.boxes, int(k.least))
		}
	}
	return to
}

// lostAfter reports whether a push is known to lead to a dead position.
func (e *expander) lostAfter(k *child) bool {
	if e.prune&pruneFreeze != 0 && e.freezes(&k.boxes, int(k.to)) {
		return true
	}
	side := int(k.push.dir.opposite())
	if e.prune&prunePairs != 0 {
		for i, c := range e.list {
			if i != int(k.slot) && e.pairs.of(k.to, side, c) == deadPair {
				return true
			}
		}
	}
	if e.prune&pruneTriples != 0 && e.triples != nil {
		for i, a := range e.list {
			if i == int(k.slot) {
				continue
			}
			for j, b := range e.list[:i] {
				if j != int(k.slot) && e.triples.dead(k.to, side, a, b) {
					return true
				}
			}
		}
	}
	return false
}
