package sokoban

import "github.com/everystate/everystate/puzzle"

// Onward appends the successors of each state but for those that its link prunes: the
// state before, and what two moves that commute lead to by a lesser last one. Two
// pushes commute if they are of two boxes, both are possible before the other and after
// it, and it is plain that neither opens or closes a path of the player (the test of
// [narrow.regionAfter]); to find out otherwise costs more than it saves. Two steps commute
// if neither pushes.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	if g.metric == metricBackward {
		return g.pulls(states, links, out)
	}
	return g.forward(states, links, out)
}

// Homeward is Onward for predecessors.
func (g *game) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	if g.metric == metricBackward {
		return g.forward(states, links, out)
	}
	return g.pulls(states, links, out)
}

// A past is the state before a link: one push or pull before another state, in which a box
// went from one place to another. All moves of the state are compared with it.
type past struct {
	known      bool // the link neither opened nor closed a path; otherwise it prunes nothing
	link       puzzle.Move
	d          direction // the link's, of a push done or undone
	from, to   uint8     // the places of the box before the link and after it
	behind     uint8     // the place beside it where the player of the push stands first
	free, walk uint64    // the free places before the link, and those of them that the player can walk to
}

// beforePush returns the state before a push.
func (n *narrow) beforePush(walked, free uint64, link puzzle.Move) past {
	d := direction(link & 3)
	p := past{link: link, d: d, from: n.placeOf[link>>2&63]}
	p.to, p.behind = n.next[d][p.from&63], n.next[d.opposite()][p.from&63]
	p.free = free&^(1<<(p.from&63)) | 1<<(p.to&63)
	p.known = n.sameRegion(walked, free, p.to, d.opposite(), p.from)
	p.walk = walked&^(1<<(p.from&63)) | 1<<(p.to&63)
	return p
}

// beforePull returns the state before a push was undone.
func (n *narrow) beforePull(walked, free uint64, link puzzle.Move) past {
	d := direction(link & 3)
	p := past{link: link, d: d, to: n.placeOf[link>>2&63]}
	p.from, p.behind = n.next[d][p.to&63], n.next[d.opposite()][p.to&63]
	p.free = free&^(1<<(p.from&63)) | 1<<(p.to&63)
	p.known = n.sameRegion(walked, free, p.to, d, p.from)
	p.walk = walked&^(1<<(p.from&63)) | 1<<(p.to&63)
	return p
}

// prunesPush reports whether the link prunes the push m of a box from x to y, after
// which the player can walk to region.
func (n *narrow) prunesPush(p *past, m puzzle.Move, x, y uint8, region uint64) bool {
	d := direction(m & 3)
	if x == p.to {
		return d == p.d.opposite() && bit(p.walk, x) != 0
	}
	if m <= p.link || bit(region, p.from) == 0 || bit(p.walk, n.next[d.opposite()][x&63]) == 0 {
		return false
	}
	return p.behind != y && bit(p.walk|1<<(x&63), p.behind) != 0 && n.sameRegion(p.walk, p.free, x, d, y)
}

// prunesPull reports whether the link prunes the pull of a box from y to x, which undoes
// the push m, and after which the player can walk to region, from behind.
func (n *narrow) prunesPull(p *past, m puzzle.Move, x, y, behind uint8, region uint64) bool {
	d := direction(m & 3)
	if y == p.to {
		return d == p.d.opposite() && bit(p.walk, behind) != 0
	}
	if m <= p.link || behind == p.from || bit(region, p.behind) == 0 || bit(p.walk, x) == 0 {
		return false
	}
	return p.to != x && bit(p.walk|1<<(y&63), p.to) != 0 && n.sameRegion(p.walk, p.free, y, d.opposite(), x)
}

// A widePast is a past of levels whose sets of cells do not fit a word.
type widePast struct {
	known            bool
	link             puzzle.Move
	d                direction
	from, to, behind int
	boxes, walk      cellSet
}

// widePastOf returns the state before a push, or before a push was undone.
func (l *level) widePastOf(boxes, walked *cellSet, link puzzle.Move, undone bool) widePast {
	from, to, behind, _ := l.pushOf(link)
	p := widePast{link: link, d: direction(link & 3), from: from, to: to, behind: behind, boxes: *boxes, walk: *walked}
	way := p.d.opposite()
	if undone {
		p.from, p.to, way = to, from, p.d
	}
	p.known = l.sameRegion(walked, boxes, p.to, way, p.from)
	p.boxes.remove(p.to)
	p.boxes.add(p.from)
	p.walk.add(p.to)
	p.walk.remove(p.from)
	return p
}

// walkAfter returns the cells that can be walked to from seed after a box went from x to
// y, beside it; if same, that is what could be walked to before, but for x and y.
func (l *level) walkAfter(walked, boxes *cellSet, x, y, seed int, same bool) cellSet {
	if !same {
		walk, _ := l.region(boxes, seed)
		return walk
	}
	walk := *walked
	walk.add(x)
	walk.remove(y)
	return walk
}

// prunesPush is narrow.prunesPush.
func (l *level) prunesPush(p *widePast, move, x, y int, region cellSet) bool {
	m, d := puzzle.Move(move), direction(move&3)
	if x == p.to {
		return d == p.d.opposite() && p.walk.has(x)
	}
	if m <= p.link || !region.has(p.from) || !p.walk.has(int(l.next[d.opposite()][x])) {
		return false
	}
	return p.behind != y && (p.behind == x || p.walk.has(p.behind)) && l.sameRegion(&p.walk, &p.boxes, x, d, y)
}

// prunesPull is narrow.prunesPull.
func (l *level) prunesPull(p *widePast, move, x, y, behind int, region cellSet) bool {
	m, d := puzzle.Move(move), direction(move&3)
	if y == p.to {
		return d == p.d.opposite() && p.walk.has(behind)
	}
	if m <= p.link || behind == p.from || !region.has(p.behind) || !p.walk.has(x) {
		return false
	}
	return p.to != x && (p.to == y || p.walk.has(p.to)) && l.sameRegion(&p.walk, &p.boxes, y, d.opposite(), x)
}

// prunesStep reports whether a step of the player, made or undone, prunes another
// direction of the next. Steps that push prune nothing and are not pruned. aside is the
// cell beside the player's before the link in that direction, and whether it is free.
func prunesStep(link, m puzzle.Move, aside bool) bool {
	if (link|m)&1 != 0 {
		return false
	}
	d, next := direction(link>>1), direction(m>>1)
	return next == d.opposite() || next != d && m > link && aside
}
