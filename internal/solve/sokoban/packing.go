package sokoban

// A packing is a set of filled targets. It is sound if the other targets can still be
// filled: with boxes on all targets, those of the rest can be pulled back, one by one,
// to where boxes start. Which sets are sound gives the orders in which a room of
// targets can be packed. The boxes that still have to come are ignored, so packing is
// advice and proves nothing.

// packing is what is known of a set of filled targets.
type packing struct {
	kept  cellSet // the filled targets that may remain
	order []uint8 // in which the boxes of the others are pulled back
	lost  int     // filled targets that must be cleared, and targets that cannot be filled
	reach *reach  // with boxes on kept
	// rank orders the targets still to be filled, the one to fill first the highest.
	rank [cellsMax]uint8
}

// reach holds, for each free target, the cells from which a box can be pushed to it
// past fixed boxes.
type reach struct {
	targets []uint8
	from    []cellSet
}

type packer struct {
	*level
	hauler *hauler
	sinks  cellSet
	plan   *packing // of no filled targets
	known  map[cellSet]*packing
	paths  map[cellSet]*reach

	// Of a matching.
	boxes []uint8
	owner [cellsMax]int16
	tried cellSet
}

// packingsHeld and reachesHeld bound what is remembered.
const (
	packingsHeld = 1 << 16
	reachesHeld  = 1 << 14
)

func newPacker(l *level) *packer {
	p := &packer{level: l, hauler: newHauler(l), known: map[cellSet]*packing{}, paths: map[cellSet]*reach{}}
	for _, sinks := range p.sinksToTry() {
		p.sinks, p.plan = sinks, &packing{}
		clear(p.known)
		if p.plan = p.of(&cellSet{}, nil); p.plan.lost == 0 {
			break
		}
	}
	// Targets whose boxes cannot be pulled back come last in any order.
	for _, t := range l.targetList {
		if p.plan.rank[t] == 0 {
			p.plan.order = append(p.plan.order, t)
		}
	}
	return p
}

// sinksToTry returns sets of cells where a box that is pulled there counts as gone, the
// most faithful first: where boxes start; all but targets, for rooms that can only be
// packed by parking boxes in them; all cells.
func (p *packer) sinksToTry() []cellSet {
	starts := minus(&p.start, &p.targets)
	if starts == (cellSet{}) {
		starts = p.start
	}
	var all cellSet
	for c := range p.live {
		all.add(c)
	}
	return []cellSet{starts, minus(&all, &p.targets), all}
}

// bytes returns about how much memory is used.
func (p *packer) bytes() int64 {
	return int64(len(p.known))*400 + int64(len(p.paths))*int64(100+33*len(p.targetList))
}

// of returns what is known of the targets that boxes fill. The order of a similar
// packing, or nil, is tried first.
func (p *packer) of(boxes *cellSet, similar *packing) *packing {
	away := minus(boxes, &p.targets)
	filled := minus(boxes, &away)
	if known, ok := p.known[filled]; ok {
		return known
	}
	if len(p.known) >= packingsHeld {
		clear(p.known)
	}
	if similar == nil || similar.lost > 0 {
		similar = p.plan
	}
	best := &packing{lost: cellsMax}
	var tried cellSet
	for c := range p.cells {
		if tried.has(c) || p.targets.has(c) {
			continue
		}
		region := p.walk(&p.targets, c)
		for w := range tried {
			tried[w] |= region[w]
		}
		if u := p.unpack(&filled, c, similar.order); u.lost < best.lost || u.lost == best.lost && u.kept.count() > best.kept.count() {
			best = u
		}
	}
	best.reach = p.past(&best.kept)
	p.known[filled] = best
	return best
}

// unpack pulls boxes back from the targets, those that need not remain first, with
// the player beginning on a cell.
func (p *packer) unpack(filled *cellSet, player int, order []uint8) *packing {
	u := &packing{}
	boxes := p.targets
	for rank := uint8(1); ; rank++ {
		spare := minus(&boxes, filled)
		if spare == (cellSet{}) {
			break
		}
		reached := p.walk(&boxes, player)
		c, to, side := p.following(order, &boxes, &spare, &reached)
		if c == none {
			full := minus(&boxes, &spare)
			if c, to, side = p.nearest(&boxes, &full, &reached); c == none {
				break
			}
			u.lost++
		}
		boxes.remove(c)
		u.rank[c] = rank
		u.order = append(u.order, uint8(c))
		player = int(p.next[to][side])
	}
	left := minus(&boxes, filled)
	u.kept = minus(&boxes, &left)
	u.lost += left.count()
	return u
}

// minus returns the cells of a set that are not in another.
func minus(a, b *cellSet) cellSet {
	var s cellSet
	for w := range s {
		s[w] = a[w] &^ b[w]
	}
	return s
}

// nearest returns, of the given boxes, the one with the fewest pulls to a sink, and
// where it and the player end.
func (p *packer) nearest(boxes, among, reached *cellSet) (c, to, side int) {
	var list [cellsMax]uint8
	best := 1 << 15
	c = none
	for _, box := range among.list(list[:0]) {
		if !p.pullable(int(box), boxes, reached) {
			continue
		}
		h := p.hauler
		others := *boxes
		others.remove(int(box))
		h.fix(&others)
		h.begin(int(box), reached)
		pulls, last := 0, len(h.queue)
		for i := 0; i < len(h.queue) && pulls < best; i++ {
			if i == last {
				pulls, last = pulls+1, len(h.queue)
			}
			if at := h.queue[i]; at.from >= 0 && p.sinks.has(int(at.cell)) {
				if pulls < best {
					best, c, to, side = pulls, int(box), int(at.cell), int(at.side)
				}
				break
			}
			h.pulls(i)
		}
	}
	return c, to, side
}

// following is nearest, but prefers the first box of an order that can be pulled to a
// sink at all.
func (p *packer) following(order []uint8, boxes, among, reached *cellSet) (c, to, side int) {
	for _, box := range order {
		if among.has(int(box)) {
			var alone cellSet
			alone.add(int(box))
			if c, to, side = p.nearest(boxes, &alone, reached); c != none {
				return c, to, side
			}
		}
	}
	if len(order) > 0 {
		return none, 0, 0
	}
	return p.nearest(boxes, among, reached)
}

// pullable reports whether the player can pull a box at all.
func (p *packer) pullable(c int, boxes, reached *cellSet) bool {
	for side, to := range &p.next[c] {
		if int(to) < p.live && to >= 0 && reached.has(int(to)) {
			if back := p.next[to][side]; back >= 0 && !boxes.has(int(back)) {
				return true
			}
		}
	}
	return false
}

// past returns the cells from which boxes can be pushed to the free targets past
// fixed ones, the player being wherever it helps.
func (p *packer) past(fixed *cellSet) *reach {
	if known, ok := p.paths[*fixed]; ok {
		return known
	}
	if len(p.paths) >= reachesHeld {
		clear(p.paths)
	}
	r := &reach{}
	h := p.hauler
	h.fix(fixed)
	var anywhere cellSet
	for w := range anywhere {
		anywhere[w] = ^uint64(0)
	}
	for _, t := range p.targetList {
		if fixed.has(int(t)) {
			continue
		}
		clear(h.seen[:])
		h.begin(int(t), &anywhere)
		var from cellSet
		for i := 0; i < len(h.queue); i++ {
			from.add(int(h.queue[i].cell))
			h.pulls(i)
		}
		r.targets = append(r.targets, t)
		r.from = append(r.from, from)
	}
	p.paths[*fixed] = r
	return r
}

// stranded returns how many of the boxes that are not fixed find no target of their
// own.
func (p *packer) stranded(boxes, fixed *cellSet, r *reach) int {
	rest := minus(boxes, fixed)
	p.boxes = rest.list(p.boxes[:0])
	for i := range r.targets {
		p.owner[i] = none
	}
	lost := 0
	for i := range p.boxes {
		p.tried = cellSet{}
		if !p.place(r, i) {
			lost++
		}
	}
	return lost
}

// place finds a target for a box along an alternating path.
func (p *packer) place(r *reach, box int) bool {
	c := int(p.boxes[box])
	for t := range r.targets {
		if p.owner[t] == none && r.from[t].has(c) {
			p.owner[t] = int16(box)
			return true
		}
	}
	for t := range r.targets {
		if !r.from[t].has(c) || p.tried.has(t) {
			continue
		}
		p.tried.add(t)
		if p.place(r, int(p.owner[t])) {
			p.owner[t] = int16(box)
			return true
		}
	}
	return false
}

// frozen returns the boxes that can never move again.
func (l *level) frozen(boxes *cellSet) cellSet {
	frozen := *boxes
	var list [cellsMax]uint8
	for again := true; again; {
		again = false
		for _, c := range frozen.list(list[:0]) {
			if l.mayMove(&frozen, int(c)) {
				frozen.remove(int(c))
				again = true
			}
		}
	}
	return frozen
}
