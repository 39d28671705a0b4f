package sokoban

import (
	"context"
	"slices"

	"github.com/everystate/everystate/internal/solve"
)

// Fess solves a level by feature-space search (Shoham and Schaeffer 2020): positions
// are projected on a space of features, and the cells of that space take turns. A
// turn expands the cheapest haul that its positions have left. A haul that an advisor
// proposes costs 0, any other 1, and costs add up along a path. It looks for any
// solution. All hauls are expanded in the end, so that it proves that there is none
// if it runs out of them.
func (l *Level) Fess(ctx context.Context, p *solve.Problem) solve.Result {
	f := &fess{run: l.newRun(ctx, p), known: map[corralKey]struct{}{}, places: map[features]*place{}, advisors: advisors(), bytesMax: memoryMax(p)}
	f.Every = fessLook
	outcome := solve.Unsolvable
	var path []push
	if !f.startDead {
		f.survey = newSurveyor(newExpander(l.tables, pruneAll&^boundPairs, false))
		if outcome = f.solve(); outcome == solve.Solved {
			path = f.path()
		}
	}
	return l.result(&f.run, outcome, path, false)
}

// fessLook is how many positions are expanded between checks of the time: on a large level
// one takes up to a fifth of a second.
const fessLook = 1

// fessNode is a position that was reached.
type fessNode struct {
	boxes   cellSet
	player  uint8 // the least cell that it can walk to
	from    uint8 // the box hauled last, and where it went
	to      uint8
	advised uint8 // how many of left are advised; they come first
	parent  int32
	cost    int32
	left    []fessMove // its hauls that are left, in the order they are to be tried
}

// fessMove is a haul; the player is on the given cell after it.
type fessMove struct {
	from, to, player uint8
}

// place is a nonempty cell of feature space. Its positions wait by the cost of the
// haul that comes next.
type place struct {
	features
	waiting [][]int32
	least   int
	newest  bool // the position reached last had the last turn
}

type fess struct {
	run
	survey   *surveyor
	advisors []advisor
	nodes    []fessNode
	known    map[corralKey]struct{}
	places   map[features]*place
	turns    []*place
	best     []*place // the same, the most advanced first
	moves    int64    // held by nodes
	bytesMax int64
	chosen   []int
}

func (f *fess) bytes() int64 {
	return int64(cap(f.nodes))*72 + int64(len(f.known))*80 + f.moves*3 + f.survey.packer.bytes()
}

func (f *fess) solve() solve.Outcome {
	e := f.survey.expander
	e.enter(&f.start, f.player)
	f.initial = e.bound()
	if f.initial >= unreachable {
		return solve.Unsolvable
	}
	solved := f.add(fessNode{boxes: f.start, player: uint8(e.reached.least()), parent: none})
	for idle := false; !idle && !solved && f.stop == solve.StopNone; {
		idle = true
		for i := 0; i < len(f.turns) && !solved && f.stop == solve.StopNone; i++ {
			var went bool
			if solved, went = f.turn(f.turns[i]); !went {
				continue
			}
			idle = false
			for _, p := range f.best {
				if solved || f.stop != solve.StopNone {
					break
				}
				if solved, went = f.turn(p); went {
					break
				}
			}
		}
	}
	switch {
	case solved:
		return solve.Solved
	case f.stop != solve.StopNone:
		return solve.Unknown
	}
	return solve.Unsolvable
}

// turn makes the next haul of a place, if it has one left, and reports whether it or
// one after it solves the level.
func (f *fess) turn(p *place) (solved, went bool) {
	at, m, cost := f.next(p)
	if at == none {
		return false, false
	}
	return f.haul(at, m, cost), true
}

// next takes the cheapest haul of a place, and returns its cost with all before it.
// Among equals, the positions reached last and first take turns: the former go deep
// and the latter keep what was begun from being forgotten.
func (f *fess) next(p *place) (at int32, m fessMove, cost int) {
	p.newest = !p.newest
	for ; p.least < len(p.waiting); p.least++ {
		for len(p.waiting[p.least]) > 0 {
			queue := p.waiting[p.least]
			i := 0
			if p.newest {
				i = len(queue) - 1
			}
			at := queue[i]
			n := &f.nodes[at]
			if advised := p.least == int(n.cost); len(n.left) > 0 && (n.advised > 0 || !advised) {
				m, n.left = n.left[0], n.left[1:]
				if advised {
					n.advised--
				}
				return at, m, p.least
			}
			if p.newest {
				p.waiting[p.least] = queue[:i]
			} else {
				p.waiting[p.least] = queue[1:]
			}
			if len(n.left) > 0 {
				p.wait(at, p.least+1)
			}
		}
		p.waiting[p.least] = nil
	}
	return none, m, 0
}

func (p *place) wait(n int32, cost int) {
	for len(p.waiting) <= cost {
		p.waiting = append(p.waiting, nil)
	}
	p.waiting[cost] = append(p.waiting[cost], n)
	p.least = min(p.least, cost)
}

// haul makes a haul, and reports whether it or one after it solves the level.
func (f *fess) haul(at int32, m fessMove, cost int) bool {
	boxes := f.nodes[at].boxes
	boxes.remove(int(m.from))
	boxes.add(int(m.to))
	reached := f.walk(&boxes, int(m.player))
	n := fessNode{boxes: boxes, player: uint8(reached.least()), parent: at, from: m.from, to: m.to, cost: int32(cost)}
	key := corralKey{boxes, n.player}
	if _, ok := f.known[key]; ok {
		return false
	}
	f.known[key] = struct{}{}
	f.Generated++
	if f.dead(&n, m, &reached) {
		return false
	}
	return f.add(n)
}

// dead reports whether the position after a haul is known to be dead.
func (f *fess) dead(n *fessNode, m fessMove, reached *cellSet) bool {
	packer := f.survey.packer
	fixed := f.frozen(&n.boxes)
	if fixed != (cellSet{}) && packer.stranded(&n.boxes, &fixed, packer.past(&fixed)) > 0 {
		return true
	}
	e := f.survey.expander
	e.enter(&n.boxes, int(n.player))
	e.match()
	if e.base.sum() >= unreachable {
		return true
	}
	k := child{boxes: n.boxes, reached: *reached, push: push{from: m.player}, to: m.to, least: n.player}
	return e.corrals.dead(&k)
}

// add adds a node and its hauls, and reports whether it or one of them solves the
// level.
func (f *fess) add(n fessNode) bool {
	f.Stored, f.MemoryBytes = int64(len(f.nodes)), f.bytes()
	f.Frontier = max(f.Frontier, int64(len(f.turns)))
	if f.stop = f.Check(); f.stop == solve.StopNone && f.MemoryBytes > f.bytesMax {
		f.stop = solve.StopMemory
	}
	if f.stop != solve.StopNone {
		return false
	}
	at := int32(len(f.nodes))
	f.nodes = append(f.nodes, n)
	if n.boxes == f.targets {
		return true
	}
	f.Expanded++
	s := f.survey
	s.enter(&n.boxes, int(n.player))
	s.survey()
	if s.goal {
		k := s.hauls[len(s.hauls)-1]
		reached := f.walk(&f.targets, int(k.player))
		f.nodes = append(f.nodes, fessNode{boxes: f.targets, player: uint8(reached.least()), parent: at, from: k.from, to: k.to})
		return true
	}
	now := s.here()
	f.chosen = advise(f.advisors, &now, uint16(s.reached.count()), s.hauls, f.chosen[:0])
	f.list(&f.nodes[at])
	p := f.places[now]
	if p == nil {
		p = &place{features: now}
		f.places[now] = p
		f.turns = append(f.turns, p)
		i, _ := slices.BinarySearchFunc(f.best, p, func(a, b *place) int { return -a.ahead(&b.features) })
		f.best = slices.Insert(f.best, i, p)
	}
	p.wait(at, int(n.cost))
	return false
}

// list gives a node its hauls, the chosen ones first.
func (f *fess) list(n *fessNode) {
	hauls := f.survey.hauls
	n.left = make([]fessMove, 0, len(hauls))
	n.advised = uint8(len(f.chosen))
	for _, i := range f.chosen {
		n.left = append(n.left, hauls[i].move())
		hauls[i].chosen = true
	}
	slices.SortStableFunc(hauls, inOrder)
	for i := range hauls {
		if !hauls[i].chosen {
			n.left = append(n.left, hauls[i].move())
		}
	}
	f.moves += int64(len(n.left))
}

// path returns the pushes to the node added last.
func (f *fess) path() []push {
	var chain []int32
	for n := int32(len(f.nodes) - 1); f.nodes[n].parent != none; n = f.nodes[n].parent {
		chain = append(chain, n)
	}
	slices.Reverse(chain)
	var path []push
	for _, n := range chain {
		path = append(path, f.pushesTo(&f.nodes[n])...)
	}
	return path
}

// pushesTo returns the pushes of the haul that led to a node.
func (f *fess) pushesTo(n *fessNode) []push {
	h, parent := f.survey.hauler, &f.nodes[n.parent]
	others := parent.boxes
	others.remove(int(n.from))
	reached := f.walk(&parent.boxes, int(parent.player))
	h.fix(&others)
	h.begin(int(n.from), &reached)
	for i := 0; i < len(h.queue); i++ {
		h.pushes(i, func(int, int) bool { return true })
		if at := h.queue[i]; at.from >= 0 && at.cell == n.to {
			there := f.walk(&n.boxes, int(h.next[at.cell][at.side]))
			if there.least() == int(n.player) {
				return h.path(i)
			}
		}
	}
	panic("sokoban: a haul that cannot be made again")
}
