package blocks

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// narrow generates moves for ranked keys, which are one word of a board of at most 64
// cells: the fast path.
type narrow struct {
	*ranking
	metric  metric
	cols    int
	groups  []narrowGroup
	singles *narrowClass // nil if there are none

	restMask uint64
	sort     bool // moves come from several classes, whose ids interleave

	goalSingles uint64 // cells on which the goal requires one-cell pieces
}

// narrowGroup holds the tables of a group.
type narrowGroup struct {
	*group
	cells  []uint64 // taken cells, by rank
	pieces []narrowPiece
	goals  []bool // by rank: the pieces are where the goal requires them

	// deltas holds, for each rank, the change of the key by the moves of each piece,
	// in the order of its place's list: from piece.delta on, stride entries per rank.
	// Entries of moves that the group itself blocks are undefined.
	deltas []int32
	stride int
}

type narrowPiece struct {
	*narrowClass
	delta int
}

// narrowClass holds the moves of a class.
type narrowClass struct {
	places  []narrowPlace
	offsets []uint8 // of the shape's cells from its first cell
	at      []int16

	// First cells of all places, and of those with a place to the left or right.
	firsts, hasLeft, hasRight uint64
}

// narrowPlace holds the moves of a piece at a place.
type narrowPlace struct {
	cells uint64
	first uint8
	halo  uint64 // cells that a step in one of the directions needs
	to    uint64 // first cells after the moves
	moves []narrowMove
}

// narrowMove is legal if all cells of need are empty or, in the metric move, if its
// end is among the places reached. It exchanges taken and empty for the cells of
// toggle.
type narrowMove struct {
	need     uint64
	toggle   uint64
	move     puzzle.Move
	vertical bool
}

// deltasMax bounds the fast path's tables, at four bytes per entry. Boards beyond it
// take the wide path.
const deltasMax = 1 << 21

// newNarrow builds the fast path, or returns nil if there is none.
func (g *game) newNarrow() *narrow {
	if g.ranking == nil {
		return nil
	}
	n := &narrow{ranking: g.ranking, metric: g.metric, cols: g.cols}
	n.restMask = 1<<n.rest.width - 1
	n.sort = len(g.classes) > 1
	if c := n.rest.class; c != nil {
		n.singles = g.narrowClass(c)
		for _, at := range c.wants {
			n.goalSingles |= c.places[at].cells[0]
		}
	}
	total := 0
	for _, group := range g.ranking.groups {
		ng := narrowGroup{group: group}
		for _, c := range group.classes {
			nc := g.narrowClass(c)
			for range c.count {
				ng.pieces = append(ng.pieces, narrowPiece{nc, ng.stride})
				ng.stride += nc.movesMax()
			}
		}
		n.groups = append(n.groups, ng)
		if total += ng.stride * group.states(); total > deltasMax {
			return nil
		}
	}
	for i := range n.groups {
		n.groups[i].build()
	}
	return n
}

// narrowClass lists the moves of a class.
func (g *game) narrowClass(c *class) *narrowClass {
	nc := &narrowClass{at: c.at}
	for _, at := range c.kind.shape.cells {
		nc.offsets = append(nc.offsets, uint8(at.row*g.cols+at.col-c.kind.shape.cells[0].col))
	}
	for i := range c.places {
		p := &c.places[i]
		np := narrowPlace{cells: p.cells[0], first: uint8(p.first)}
		bit := uint64(1) << p.first
		nc.firsts |= bit
		for d, at := range p.next {
			if at < 0 {
				continue
			}
			np.halo |= c.places[at].cells[0] &^ np.cells
			switch directions[d].col {
			case -1:
				nc.hasLeft |= bit
			case 1:
				nc.hasRight |= bit
			}
		}
		to := c.targets(uint8(i), &mask{}, g.metric)
		np.to = to[0]
		for to := to.next(0); to >= 0; to = np.after(to) {
			end := c.places[c.at[to]].cells[0]
			np.moves = append(np.moves, narrowMove{
				need:   c.swept(i, to, g.metric) &^ np.cells,
				toggle: np.cells ^ end,
				move:   g.moves.id(p.first, to),

				vertical: (to-p.first)%g.cols == 0,
			})
		}
		nc.places = append(nc.places, np)
	}
	return nc
}

// after returns the first end after another, or -1.
func (p *narrowPlace) after(to int) int {
	left := p.to &^ (2<<to - 1)
	if left == 0 {
		return -1
	}
	return bits.TrailingZeros64(left)
}

// swept returns the cells that a piece covers on its way, except those of its own
// place.
func (c *class) swept(from, to int, m metric) uint64 {
	if m == metricMove {
		return c.places[c.at[to]].cells[0]
	}
	for d := range directions {
		cells := uint64(0)
		for at := c.places[from].next[d]; at >= 0; at = c.places[at].next[d] {
			cells |= c.places[at].cells[0]
			if c.places[at].first == to {
				return cells
			}
		}
	}
	panic("blocks: a move is not straight")
}

// movesMax returns the greatest number of moves from one place.
func (c *narrowClass) movesMax() int {
	most := 0
	for i := range c.places {
		most = max(most, len(c.places[i].moves))
	}
	return most
}

// build fills the tables of a group.
func (g *narrowGroup) build() {
	states := g.states()
	g.cells = make([]uint64, states)
	g.goals = make([]bool, states)
	g.deltas = make([]int32, states*g.stride)
	next := make([]uint8, g.group.pieces)
	for rank := range states {
		places := g.tuple(rank)
		for i, at := range places {
			g.cells[rank] |= g.pieces[i].places[at].cells
		}
		g.goals[rank] = true
		for first, i := 0, 0; i < len(g.classes); i++ {
			c := g.classes[i]
			own := places[first : first+c.count]
			g.goals[rank] = g.goals[rank] && c.satisfied(own)
			for n, at := range own {
				piece := &g.pieces[first+n]
				place := &piece.places[at]
				deltas := g.deltas[rank*g.stride+piece.delta:]
				for j := range place.moves {
					m := &place.moves[j]
					if m.need&(g.cells[rank]) != 0 {
						continue
					}
					copy(next, places)
					end := piece.at[bits.TrailingZeros64(dropLeast(place.to, j))]
					replace(next[first:first+c.count], at, uint8(end))
					deltas[j] = int32(g.rank(next) - rank)
				}
			}
			first += c.count
		}
	}
}

// dropLeast returns the set without its n least members.
func dropLeast(set uint64, n int) uint64 {
	for range n {
		set &= set - 1
	}
	return set
}

// markGoals marks the goals among states.
func (n *narrow) markGoals(states []uint64, marks []bool) {
	for i, key := range states {
		marks[i] = true
		open := n.floor
		for j := range n.groups {
			g := &n.groups[j]
			rank := key >> g.shift & g.mask
			marks[i] = marks[i] && g.goals[rank]
			open &^= g.cells[rank]
		}
		if marks[i] && n.goalSingles != 0 {
			singles := open &^ n.rest.empty(open, key&n.restMask)
			marks[i] = n.goalSingles&^singles == 0
		}
	}
}

// successors appends the successors of each state except those that links prune, if
// there are any, and returns the number pruned.
func (n *narrow) successors(states []uint64, links []puzzle.Move, out *puzzle.Edges, t *tables) (pruned int) {
	var by *narrowLink // nil if there are no links
	if links != nil {
		by = &narrowLink{}
	}
	for i, key := range states {
		begin := len(out.Moves)
		open := n.floor
		for j := range n.groups {
			g := &n.groups[j]
			open &^= g.cells[key>>g.shift&g.mask]
		}
		empty := n.rest.empty(open, key&n.restMask)
		if by != nil {
			n.setLink(by, links[i], t, key, empty)
		}
		for j := range n.groups {
			g := &n.groups[j]
			rank := int(key >> g.shift & g.mask)
			places := g.tuple(rank)
			deltas := g.deltas[rank*g.stride : rank*g.stride+g.stride]
			for k := range g.pieces {
				piece := &g.pieces[k]
				place := &piece.places[places[k]]
				if place.halo&empty == 0 {
					continue
				}
				own := deltas[piece.delta:]
				if n.metric == metricMove {
					pruned += n.walk(piece.narrowClass, place, key, open, empty, g.shift, own, by, out)
					continue
				}
				for m := range place.moves {
					move := &place.moves[m]
					if move.need&^empty == 0 {
						if by.prunes(place, move) {
							pruned++
							continue
						}
						next := key&^n.restMask + uint64(int64(own[m]))<<g.shift
						n.emit(next, open^move.toggle, empty^move.toggle, move.move, out)
					}
				}
			}
		}
		if n.singles != nil {
			pruned += n.moveSingles(key&^n.restMask, open, empty, by, out)
		}
		if n.sort {
			sortMoves(out.Keys[begin:], out.Moves[begin:])
		}
	}
	return pruned
}

// emit appends a successor.
func (n *narrow) emit(key, open, empty uint64, move puzzle.Move, out *puzzle.Edges) {
	out.Keys = append(out.Keys, key|n.rest.rank(open, empty))
	out.Moves = append(out.Moves, move)
}

// walk appends the moves of a piece of a group by any path, and returns how many are
// pruned.
func (n *narrow) walk(c *narrowClass, place *narrowPlace, key, open, empty uint64, shift int, deltas []int32, by *narrowLink, out *puzzle.Edges) int {
	ends, pruned := by.pruneWalk(c, place, c.reach(place, empty, n.cols), n.cols)
	for ; ends != 0; ends &= ends - 1 {
		j := bits.OnesCount64(place.to & (ends&-ends - 1))
		move := &place.moves[j]
		next := key&^n.restMask + uint64(int64(deltas[j]))<<shift
		n.emit(next, open^move.toggle, empty^move.toggle, move.move, out)
	}
	return pruned
}

// reach returns the first cells of all places, except its own, that a piece can reach
// step by step through empty cells.
func (c *narrowClass) reach(place *narrowPlace, empty uint64, cols int) uint64 {
	free, start := empty|place.cells, uint64(1)<<place.first
	fits := c.firsts
	for _, offset := range c.offsets {
		fits &= free >> offset
	}
	for reached := start; ; {
		wider := reached | fits&(reached>>cols|reached<<cols|reached&c.hasLeft>>1|reached&c.hasRight<<1)
		if wider == reached {
			return reached &^ start
		}
		reached = wider
	}
}

// moveSingles appends the moves of the one-cell pieces of the rest, and returns how
// many are pruned.
func (n *narrow) moveSingles(key, open, empty uint64, by *narrowLink, out *puzzle.Edges) (pruned int) {
	c := n.singles
	near := (empty>>n.cols | empty<<n.cols | empty>>1 | empty<<1) & open &^ empty
	for ; near != 0; near &= near - 1 {
		place := &c.places[c.at[bits.TrailingZeros64(near)]]
		if n.metric == metricMove {
			ends, without := by.pruneWalk(c, place, c.reach(place, empty, n.cols), n.cols)
			pruned += without
			for ; ends != 0; ends &= ends - 1 {
				move := &place.moves[bits.OnesCount64(place.to&(ends&-ends-1))]
				n.emit(key, open, empty^move.toggle, move.move, out)
			}
			continue
		}
		for m := range place.moves {
			move := &place.moves[m]
			if move.need&^empty == 0 {
				if by.prunes(place, move) {
					pruned++
					continue
				}
				n.emit(key, open, empty^move.toggle, move.move, out)
			}
		}
	}
	return pruned
}

// sortMoves sorts the few successors of a state by move.
func sortMoves(keys []uint64, moves []puzzle.Move) {
	for i := 1; i < len(moves); i++ {
		key, move, j := keys[i], moves[i], i
		for ; j > 0 && moves[j-1] > move; j-- {
			keys[j], moves[j] = keys[j-1], moves[j-1]
		}
		keys[j], moves[j] = key, move
	}
}
