package narrow

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// expander generates steps by number.
type expander struct {
	*numbering
	at    []lineAt      // by line of Board.lines
	cells [2][64]cellAt // by direction, upright or not, and cell of the board
	// steps holds the steps of each line in each way, by placement and by cell entered.
	steps []step
	// terms are where the terms of the lines of each half are.
	terms  [2][]uint16
	prunes [][]prune // by link, and placement of its line
	// near tells, by placement of the goal vehicle's line, which steps matter to its own steps to
	// the goal; clears, by direction, cell and placement, how a line leaves a cell.
	near   []prune
	clears [2][64][]clearing

	spots [spotsMax]spot

	// The block at hand.
	block int
	lists [2]*list
}

// lineAt tells where a line's placement is among the ranks of a block and of its halves.
type lineAt struct {
	half  uint8 // inBlock: none
	shift uint8
	terms uint16 // of a line of a half
}

const inBlock = 2

// cellAt tells which line has a cell, and where its steps into the cell are: by way, those
// of placement 0.
type cellAt struct {
	lineAt
	steps [2]uint32
}

// step is a move of one cell.
type step struct {
	move puzzle.Move
	to   uint16 // placement
	by   int32  // of a block line: how much the placement of all block lines changes
}

// prune tells which steps are left, by the cells that they enter and by way.
type prune struct{ rows, columns [2]uint64 }

// Expander returns an expander of steps.
func (n *numbering) Expander() puzzle.Expander {
	e := &expander{numbering: n, block: -1, at: make([]lineAt, len(n.lines))}
	strides := make([]int, len(n.lines))
	for i := range n.blockLines {
		l := &n.blockLines[i]
		e.at[l.line], strides[l.line] = lineAt{half: inBlock, shift: uint8(8 * i)}, l.stride
	}
	for i := range n.halves {
		for k := range n.halves[i].lines {
			l := &n.halves[i].lines[k]
			e.at[l.line] = lineAt{uint8(i), uint8(8 * k), uint16(l.terms)}
			e.terms[i] = append(e.terms[i], uint16(l.terms))
		}
	}
	cells, entered := make([]uint64, len(n.lines)), make([][]uint64, len(n.links))
	for i := range n.lines {
		l := &n.lines[i]
		for rank := range l.slots {
			slot := &l.slots[rank]
			cells[i] |= slot.cells
			for _, m := range slot.moves {
				cells[i] |= m.cells
				entered[m.move] = slices.Grow(entered[m.move], len(l.slots))[:len(l.slots)]
				entered[m.move][rank] = m.cells
			}
		}
		e.addSteps(i, cells[i], strides[i])
	}
	for link := range n.links {
		e.prunes = append(e.prunes, e.prunesOf(puzzle.Move(link), cells, entered))
	}
	e.setLeaving(cells)
	return e
}

// direction returns 1 for a column.
func (n *numbering) direction(line int) int {
	if line < n.upright {
		return 0
	}
	return 1
}

// addSteps lists the steps of a line, which has some cells.
func (e *expander) addSteps(line int, cells uint64, stride int) {
	l, at := &e.lines[line], &e.cells[e.direction(line)]
	size := SideMax * len(l.slots) // in each way
	first := len(e.steps)
	for place := 0; cells != 0; cells &= cells - 1 {
		c := &at[bits.TrailingZeros64(cells)]
		c.lineAt, c.steps = e.at[line], [2]uint32{uint32(first + place), uint32(first + size + place)}
		place++
	}
	e.steps = append(e.steps, make([]step, 2*size)...)
	for rank := range l.slots {
		for _, m := range l.slots[rank].moves {
			c := &at[bits.TrailingZeros64(m.cells)]
			to := l.after(rank, m)
			e.steps[int(c.steps[l.wayOf(rank, m)])+rank*SideMax] = step{m.move, uint16(to), int32((to - rank) * stride)}
		}
	}
}

// apply leaves out steps, by the cells that they enter.
func (p *prune) apply(rows, columns *[2]uint64) {
	rows[0] &= p.rows[0]
	rows[1] &= p.rows[1]
	columns[0] &= p.columns[0]
	columns[1] &= p.columns[1]
}

// prunesOf tells, by placement of the link's line, what the link leaves.
func (e *expander) prunesOf(link puzzle.Move, cells []uint64, entered [][]uint64) []prune {
	by := &e.links[link]
	before := uint64(0)
	for i := range by.line {
		if e.direction(i) == e.direction(by.line) {
			before |= cells[i]
		}
	}
	l := &e.lines[by.line]
	prunes := make([]prune, len(l.slots))
	for rank := range l.slots {
		if len(entered[by.back]) == 0 || entered[by.back][rank] == 0 {
			continue // the link does not lead here
		}
		left := entered[by.back][rank]
		keep := [2]uint64{before, before}
		for _, m := range l.slots[rank].moves {
			if m.move >= by.from && m.move <= by.to || m.move > link && m.cells&left == 0 {
				continue
			}
			keep[l.wayOf(rank, m)] |= m.cells
		}
		if prunes[rank] = (prune{keep, [2]uint64{left, left}}); e.direction(by.line) == 1 {
			prunes[rank] = prune{[2]uint64{^uint64(0), ^uint64(0)}, keep}
		}
	}
	return prunes
}

// after returns the placement that a move leads to.
func (l *boardLine) after(rank int, m slotMove) int {
	return int((uint64(rank) + m.delta>>l.shift) & l.mask)
}

// wayOf returns 0 if a move goes left or up.
func (l *boardLine) wayOf(rank int, m slotMove) int {
	if l.after(rank, m) < rank {
		return 0
	}
	return 1
}

// enter sets the block at hand.
func (e *expander) enter(block int) { e.block, e.lists = block, e.listsOf(block) }

// listsOf returns what the halves of a block can be.
func (e *expander) listsOf(block int) (lists [2]*list) {
	for i, at := range e.blocks[block].lists {
		lists[i] = &e.halves[i].lists[at]
	}
	return lists
}

// spot is a state: its number, and the placements of its halves and of all lines.
type spot struct {
	number uint64
	block  int
	places [2]uint64
	ranks  [3]uint64 // of the halves, and of the block

	// By way, the cells that steps enter which are not pruned; and how many are legal.
	rows, columns [2]uint64
	legal         int
	free          uint64 // cells
}

// Expand appends keys, and successors as numbers.
func (e *expander) Expand(keys, numbers []uint64, links []puzzle.Move, out *puzzle.Edges) (appended []uint64, pruned int) {
	return e.expand(keys, numbers, links, unknown, out)
}

// spotsMax is how many states are expanded at a time. What halves have for their placements
// is far apart in memory, so it is fetched for some states together: in a loop of its own, of
// which no branch depends on what was fetched.
const spotsMax = 64

func (e *expander) expand(keys, numbers []uint64, links []puzzle.Move, distance int, out *puzzle.Edges) (appended []uint64, pruned int) {
	for len(numbers) > 0 {
		n := min(len(numbers), spotsMax)
		spots := e.spots[:n]
		keys = e.find(keys, numbers[:n], spots)
		numbers = numbers[n:]
		if links != nil {
			e.prune(links[:n], spots)
		}
		if distance != unknown {
			e.leave(spots, distance)
		}
		if links != nil {
			links = links[n:]
		}
		made := len(out.Moves)
		out.Keys, out.Moves = slices.Grow(out.Keys, n*e.successorsMax), slices.Grow(out.Moves, n*e.successorsMax)
		for i := range spots {
			at := &spots[i]
			pruned += at.legal
			if at.block != e.block {
				e.enter(at.block)
			}
			e.emit(at, 0, &at.rows, out)
			e.emit(at, 1, &at.columns, out)
		}
		pruned -= len(out.Moves) - made
	}
	return keys, pruned
}

// find finds the states with some numbers, and appends their keys.
func (e *expander) find(keys, numbers []uint64, spots []spot) []uint64 {
	block := max(e.block, 0)
	if numbers[0] < e.blocks[block].first {
		block = 0
	}
	b, lists, halves := &e.blocks[block], e.listsOf(block), &e.halves
	for i, number := range numbers {
		if block+1 < len(e.blocks) && number >= e.blocks[block+1].first {
			block = e.blockOf(number, block)
			b, lists = &e.blocks[block], e.listsOf(block)
		}
		at := &spots[i]
		at.number, at.block = number, block
		at.places[0], at.places[1] = b.divide(number, lists[0])
		lower, upper := &halves[0].all[lists[0].places[at.places[0]]], &halves[1].all[lists[1].places[at.places[1]]]
		keys = append(keys, b.key|lower.key|upper.key)
		free := ^(b.cells | lower.cells | upper.cells)
		at.rows = [2]uint64{b.entered[0] & free, b.entered[1] & free}
		at.columns = [2]uint64{(lower.entered[0] | upper.entered[0]) & free, (lower.entered[1] | upper.entered[1]) & free}
		if e.columns {
			at.rows, at.columns = at.columns, at.rows
		}
		at.legal = at.left()
		at.ranks, at.free = [3]uint64{lower.ranks, upper.ranks, b.ranks}, free
	}
	return keys
}

// prune leaves out the steps that links prune.
func (e *expander) prune(links []puzzle.Move, spots []spot) {
	for i, link := range links {
		at := &spots[i]
		line := &e.at[e.links[link].line]
		e.prunes[link][uint8(at.ranks[line.half]>>line.shift)].apply(&at.rows, &at.columns)
	}
}

// emit appends the states that steps into some cells lead to.
func (e *expander) emit(from *spot, direction int, entered *[2]uint64, out *puzzle.Edges) {
	for way, cells := range entered {
		for ; cells != 0; cells &= cells - 1 {
			c := &e.cells[direction][bits.TrailingZeros64(cells)&63]
			rank := uint32(uint8(from.ranks[c.half] >> c.shift))
			s := &e.steps[c.steps[way]+rank*SideMax]
			to := from.number
			if c.half == inBlock {
				to = e.inOther(from, s.by)
			} else {
				terms := e.lists[c.half].terms[c.terms:]
				by := uint64(int64(terms[s.to]) - int64(terms[rank]))
				if c.half == 1 {
					by *= uint64(len(e.lists[0].places))
				}
				to += by
			}
			out.Keys, out.Moves = append(out.Keys, to), append(out.Moves, s.move)
		}
	}
}

// inOther returns the number of the state with another placement of the block lines.
func (e *expander) inOther(from *spot, by int32) uint64 {
	here := &e.blocks[e.block]
	b := &e.blocks[e.byPlacement[here.placement+by]]
	places := from.places
	for i := range places {
		if b.lists[i] != here.lists[i] {
			places[i] = e.placeOf(i, &e.halves[i].lists[b.lists[i]], from.ranks[i])
		}
	}
	return b.first + places[1]*uint64(len(e.halves[0].lists[b.lists[0]].places)) + places[0]
}

// placeOf returns the placement of a half whose lines have some ranks.
func (e *expander) placeOf(half int, l *list, ranks uint64) uint64 {
	at := uint32(0)
	for _, terms := range e.terms[half] {
		at += l.terms[int(terms)+int(uint8(ranks))]
		ranks >>= 8
	}
	return uint64(at)
}
