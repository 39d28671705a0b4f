package sokoban

import (
	"context"
	"slices"

	"github.com/everystate/everystate/internal/solve"
)

// Strategy is the kind of solution that A* looks for.
type Strategy uint8

// The strategies.
const (
	PushOptimal Strategy = iota // the least pushes
	MoveOptimal                 // the least steps of the player, pushes included
	Fast                        // any solution
)

// haste is the weight of the bound against the pushes made, with strategy Fast.
const haste = 4

// AStar solves a level by best-first search; it keeps all positions.
func (l *Level) AStar(ctx context.Context, p *solve.Problem, strategy Strategy) solve.Result {
	s := &astar{strategy: strategy, run: l.newRun(ctx, p), index: newIndex()}
	prune := pruneAll
	if strategy == MoveOptimal {
		prune &^= pruneCorrals // postponing pushes may cost steps
	}
	outcome := solve.Unsolvable
	if !s.startDead {
		s.expander = newExpander(l.tables, prune, false)
		outcome = s.solve()
	}
	var path []push
	if outcome == solve.Solved {
		path = s.path()
	}
	return l.result(&s.run, outcome, path, strategy == l.optimum())
}

// optimum returns the strategy that finds the fewest moves of the puzzle.
func (l *Level) optimum() Strategy {
	if l.source.PushMove {
		return PushOptimal
	}
	return MoveOptimal
}

// node is a position that was reached. Its boxes are stored separately, in sets.
type node struct {
	parent int32
	cost   int32
	bound  uint16
	push   push
	player uint8 // the least cell that it can walk to; with MoveOptimal, where it is
	state  nodeState
}

type nodeState uint8

const (
	open nodeState = iota
	closed
	hopeless // no solution from here
)

type astar struct {
	run
	strategy Strategy
	expander *expander

	nodes    []node
	sets     []uint64 // words of each node's boxes
	index    index
	frontier frontier
	goal     int32
}

func (s *astar) bytes() int64 {
	return int64(cap(s.nodes))*20 + int64(cap(s.sets))*8 + int64(cap(s.index.slots))*4 + s.frontier.entries*8
}

func (s *astar) boxesOf(n int32) (boxes cellSet) {
	copy(boxes[:], s.sets[int(n)*s.words:int(n+1)*s.words])
	return boxes
}

// priority orders nodes, the least first.
func (s *astar) priority(cost, bound int) int {
	if s.strategy == Fast {
		return cost + haste*bound
	}
	return cost + bound
}

func (s *astar) solve() solve.Outcome {
	e := s.expander
	e.enter(&s.start, s.player)
	bound := e.bound()
	if bound >= unreachable {
		return solve.Unsolvable
	}
	s.initial = bound
	player := uint8(s.player)
	if s.strategy != MoveOptimal {
		player = uint8(e.reached.least())
	}
	start, player := s.canonical(&s.start, player, &e.reached)
	s.add(&start, player, s.hash(&start, int(player)), node{parent: none, bound: uint16(bound)})
	var children []child
	for {
		at, ok := s.frontier.pop(s)
		if !ok {
			return solve.Unsolvable
		}
		boxes := s.boxesOf(at)
		if boxes == s.targets {
			s.goal = at
			return solve.Solved
		}
		s.Stored, s.MemoryBytes = int64(len(s.nodes)), s.bytes()
		s.Frontier = max(s.Frontier, s.frontier.entries+1)
		if s.stop = s.Check(); s.stop != solve.StopNone {
			return solve.Unknown
		}
		s.Expanded++
		s.nodes[at].state = closed
		e.enter(&boxes, int(s.nodes[at].player))
		children = e.children(children[:0])
		s.Generated += int64(len(children))
		s.keepPushing(at, children)
		s.reach(at, &boxes, children)
	}
}

// keepPushing moves the pushes of the box pushed last to the end: among equal
// positions, the last one is expanded first.
func (s *astar) keepPushing(at int32, children []child) {
	n := &s.nodes[at]
	last := none // cell of the box
	if n.parent >= 0 && len(s.symmetries) == 1 {
		last = int(s.next[n.push.from][n.push.dir])
	}
	slices.SortStableFunc(children, func(a, b child) int { return other(&b, last) - other(&a, last) })
}

// canonical returns the representative of a position under the symmetries of the
// level.
func (s *astar) canonical(boxes *cellSet, player uint8, reached *cellSet) (cellSet, uint8) {
	if s.strategy == MoveOptimal {
		reached = nil // the player is where it is
	}
	return canonical(s.symmetries, boxes, player, reached)
}

// reach adds the children of a node, or shortens their paths.
func (s *astar) reach(at int32, boxes *cellSet, children []child) {
	parent := s.nodes[at]
	var steps [cellsMax]int16
	if s.strategy == MoveOptimal {
		steps = s.steps(boxes, int(parent.player))
	}
	matched := false
	for i := range children {
		c := &children[i]
		cost, player, hash := int(parent.cost)+1, c.least, c.hash
		if s.strategy == MoveOptimal {
			cost += int(steps[s.next[c.push.from][c.push.dir.opposite()]])
			player = c.push.from
		}
		boxes, player := s.canonical(&c.boxes, player, &c.reached)
		if len(s.symmetries) > 1 || s.strategy == MoveOptimal {
			hash = s.hash(&boxes, int(player))
		}
		if known := s.index.find(s, hash, &boxes, player); known >= 0 {
			n := &s.nodes[known]
			if n.state == hopeless || cost >= int(n.cost) || s.strategy == Fast && n.state == closed {
				continue
			}
			n.cost, n.parent, n.push, n.state = int32(cost), at, c.push, open
			s.frontier.push(s.priority(cost, int(n.bound)), int(n.bound), known)
			continue
		}
		if !matched {
			s.expander.match()
			matched = true
		}
		bound := s.expander.boundOf(c)
		if bound >= unreachable {
			s.add(&boxes, player, hash, node{state: hopeless})
			continue
		}
		// A push lowers the number of pushes needed by at most one.
		bound = max(bound, int(parent.bound)-1)
		s.add(&boxes, player, hash, node{parent: at, cost: int32(cost), bound: uint16(bound), push: c.push})
	}
}

// add adds a node.
func (s *astar) add(boxes *cellSet, player uint8, hash uint64, n node) {
	n.player = player
	id := int32(len(s.nodes))
	s.nodes = append(s.nodes, n)
	s.sets = append(s.sets, boxes[:s.words]...)
	s.index.add(s, hash, id)
	if n.state == open {
		s.frontier.push(s.priority(int(n.cost), int(n.bound)), int(n.bound), id)
	}
}

// path returns the pushes that lead to the goal. Nodes store pushes of
// representatives, so each push is mapped to where the boxes really are.
func (s *astar) path() []push {
	var chain []int32
	for n := s.goal; n >= 0; n = s.nodes[n].parent {
		chain = append(chain, n)
	}
	path := make([]push, 0, len(chain))
	boxes, player := s.start, s.player
	for i := len(chain) - 2; i >= 0; i-- {
		to := s.imageOf(chain[i+1], &boxes, player)
		p := s.nodes[chain[i]].push
		p = push{to.cells[p.from], to.directions[p.dir]}
		boxes.remove(int(p.from))
		boxes.add(int(s.next[p.from][p.dir]))
		player = int(p.from)
		path = append(path, p)
	}
	return path
}

// imageOf returns the symmetry that maps a node's position to another one.
func (s *astar) imageOf(n int32, boxes *cellSet, player int) *symmetry {
	held := s.boxesOf(n)
	reached := s.walk(boxes, player)
	for i := range s.symmetries {
		m := &s.symmetries[i]
		there := int(m.cells[s.nodes[n].player])
		if m.of(&held) == *boxes && (there == player || s.strategy != MoveOptimal && reached.has(there)) {
			return m
		}
	}
	panic("sokoban: a node that stands for another than the position it was reached by")
}

// index finds nodes by position.
type index struct {
	slots []uint32 // a node's number plus 1, or 0
	used  int
}

func newIndex() index { return index{slots: make([]uint32, 1<<10)} }

func (x *index) find(s *astar, hash uint64, boxes *cellSet, player uint8) int32 {
	mask := uint64(len(x.slots) - 1)
	for at := hash & mask; x.slots[at] != 0; at = (at + 1) & mask {
		n := int32(x.slots[at] - 1)
		if s.nodes[n].player == player && s.boxesOf(n) == *boxes {
			return n
		}
	}
	return none
}

func (x *index) add(s *astar, hash uint64, n int32) {
	if x.used++; 2*x.used > len(x.slots) {
		old := x.slots
		x.slots = make([]uint32, 2*len(old))
		for _, entry := range old {
			if entry != 0 {
				boxes := s.boxesOf(int32(entry - 1))
				x.put(s.hash(&boxes, int(s.nodes[entry-1].player)), entry)
			}
		}
	}
	x.put(hash, uint32(n)+1)
}

func (x *index) put(hash uint64, entry uint32) {
	mask := uint64(len(x.slots) - 1)
	at := hash & mask
	for x.slots[at] != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = entry
}

// frontier holds the open nodes by priority and, within a priority, by bound, the
// least first. Among equals, the last one added comes first.
type frontier struct {
	buckets [][][]int32
	first   int
	entries int64
}

func (f *frontier) push(priority, bound int, n int32) {
	for len(f.buckets) <= priority {
		f.buckets = append(f.buckets, nil)
	}
	for len(f.buckets[priority]) <= bound {
		f.buckets[priority] = append(f.buckets[priority], nil)
	}
	f.buckets[priority][bound] = append(f.buckets[priority][bound], n)
	f.first = min(f.first, priority)
	f.entries++
}

// pop removes and returns the next node that is still open with the priority it was
// added under.
func (f *frontier) pop(s *astar) (int32, bool) {
	for ; f.first < len(f.buckets); f.first++ {
		for bound := 0; bound < len(f.buckets[f.first]); bound++ {
			for b := &f.buckets[f.first][bound]; len(*b) > 0; {
				n := (*b)[len(*b)-1]
				*b = (*b)[:len(*b)-1]
				f.entries--
				at := &s.nodes[n]
				if at.state == open && s.priority(int(at.cost), int(at.bound)) == f.first {
					return n, true
				}
			}
		}
	}
	return 0, false
}
