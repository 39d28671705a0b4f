package rushhour

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// narrow generates moves for boards of at most 64 cells with one-word keys: the fast
// path.
type narrow struct {
	lines []narrowLine
	fixed uint64 // cells of lines with one placement
	links []narrowLink

	steps   bool
	upright int     // lines from here on are columns
	columns [64]int // by cell: the number of the line in its column, plus 1; 0: none

	successorsMax int
}

// narrowLine is a line with at least two placements.
type narrowLine struct {
	slots []narrowSlot // by rank
	shift uint
	mask  uint64
}

// narrowSlot is one placement of a line.
type narrowSlot struct {
	cells uint64 // cells taken
	// Cells newly entered by moves to the left or up, and by those to the right or down.
	leftUp, rightDown uint64
	moves             []narrowMove // those not blocked by vehicles of the same line, by id
}

// narrowMove is legal if no vehicle stands on cells; it leads to the state's key plus
// delta.
type narrowMove struct {
	cells uint64
	delta uint64
	move  puzzle.Move
}

// narrowLink describes how moves are pruned after a move.
type narrowLink struct {
	line     int         // of narrow.lines
	back     puzzle.Move // the inverse move
	from, to puzzle.Move // the moves pruned in any state
}

// narrowMovesMax bounds the fast path's tables, at 24 bytes per move. Boards with long
// rows of single cells exceed it and take the wide path.
const narrowMovesMax = 1 << 17

// newNarrow builds the fast path, or returns nil if the puzzle is too wide.
func (g *game) newNarrow(t *tables) *narrow {
	if g.rows*g.cols > 64 || g.layout.KeyBits > 64 {
		return nil
	}
	estimate := 0
	for n := range g.lines {
		l := &g.lines[n]
		estimate += int(l.placements) * 2 * min(l.free, len(l.vehicles)*g.distanceMax(l))
	}
	if estimate > narrowMovesMax {
		return nil
	}
	f := &narrow{successorsMax: t.successorsMax, steps: g.metric == metricStep}
	for n := range g.lines {
		l := &g.lines[n]
		if l.placements == 1 {
			f.fixed |= g.boardCells(l, t.shapes[n].masks[0])
			continue
		}
		for range l.movesEach * len(l.vehicles) {
			link := narrowLink{line: len(f.lines), back: t.backs[len(f.links)]}
			link.from, link.to = g.prunedAfter(t, puzzle.Move(len(f.links)))
			f.links = append(f.links, link)
		}
		if !l.vertical {
			f.upright++
		} else {
			for cells := g.boardCells(l, 1<<l.cells-1); cells != 0; cells &= cells - 1 {
				f.columns[bits.TrailingZeros64(cells)] = len(f.lines) + 1
			}
		}
		nl := narrowLine{shift: l.shift, mask: 1<<l.width - 1}
		for rank := range int(l.placements) {
			nl.slots = append(nl.slots, g.narrowSlot(t, n, rank))
		}
		f.lines = append(f.lines, nl)
	}
	return f
}

// narrowSlot lists the moves of one placement of a line.
func (g *game) narrowSlot(t *tables, n, rank int) narrowSlot {
	l, s := &g.lines[n], t.shapes[n]
	slot := narrowSlot{cells: g.boardCells(l, s.masks[rank])}
	for id := l.move; id < l.move+l.movesEach*len(l.vehicles); id++ {
		m := t.moves[id]
		swept, ok := s.sweep(rank, int(m.vehicle), int(m.steps), l.cells)
		if !ok || swept&s.masks[rank] != 0 {
			continue
		}
		cells := g.boardCells(l, swept)
		if m.steps < 0 {
			slot.leftUp |= cells
		} else {
			slot.rightDown |= cells
		}
		slot.moves = append(slot.moves, narrowMove{
			cells: cells,
			delta: t.delta(s, rank, int(m.vehicle), int(m.steps)) << l.shift,
			move:  puzzle.Move(id),
		})
	}
	return slot
}

// boardCells converts cells of a line to cells of a board of at most 64 cells.
func (g *game) boardCells(l *line, mask uint16) uint64 {
	offset, stride := l.index*g.cols+l.first, 1
	if l.vertical {
		offset, stride = l.first*g.cols+l.index, g.cols
	}
	cells := uint64(0)
	for i := range l.cells {
		cells |= uint64(mask>>i&1) << (offset + i*stride)
	}
	return cells
}

// successors appends the successors of each state.
func (f *narrow) successors(states []uint64, out *puzzle.Edges) {
	keys, moves := out.Keys, out.Moves
	for _, state := range states {
		occupied := f.fixed
		for i := range f.lines {
			l := &f.lines[i]
			occupied |= l.slots[state>>l.shift&l.mask].cells
		}
		if cap(keys)-len(keys) < f.successorsMax {
			keys = slices.Grow(keys, f.successorsMax)
		}
		if cap(moves)-len(moves) < f.successorsMax {
			moves = slices.Grow(moves, f.successorsMax)
		}
		n := 0
		newKeys := keys[len(keys) : len(keys)+f.successorsMax]
		newMoves := moves[len(moves) : len(moves)+f.successorsMax]
		for i := range f.lines {
			l := &f.lines[i]
			list := l.slots[state>>l.shift&l.mask].moves
			for j := range list {
				m := &list[j]
				newKeys[n] = state + m.delta
				newMoves[n] = m.move
				blocked := m.cells & occupied
				n += int((blocked - 1) &^ blocked >> 63) // 1 if blocked is 0
			}
		}
		keys, moves = keys[:len(keys)+n], moves[:len(moves)+n]
	}
	out.Keys, out.Moves = keys, moves
}

// onward is successors with moves pruned by each state's link, and returns how many of
// the pruned moves are legal. Moves of lines before the link's have smaller ids and
// are kept. Moves of its own line and of later lines are kept if they need a cell that
// the link has left or passed.
func (f *narrow) onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	keys, moves := out.Keys, out.Moves
	for s, state := range states {
		link, by := links[s], &f.links[links[s]]
		occupied, legal := f.fixed, 0
		if f.steps {
			occupied, legal = f.count(state)
		} else {
			for i := range f.lines {
				l := &f.lines[i]
				occupied |= l.slots[state>>l.shift&l.mask].cells
			}
		}
		if cap(keys)-len(keys) < f.successorsMax {
			keys = slices.Grow(keys, f.successorsMax)
		}
		if cap(moves)-len(moves) < f.successorsMax {
			moves = slices.Grow(moves, f.successorsMax)
		}
		n := 0
		newKeys := keys[len(keys) : len(keys)+f.successorsMax]
		newMoves := moves[len(moves) : len(moves)+f.successorsMax]
		for i := range f.lines[:by.line] {
			l := &f.lines[i]
			list := l.slots[state>>l.shift&l.mask].moves
			for j := range list {
				m := &list[j]
				newKeys[n] = state + m.delta
				newMoves[n] = m.move
				blocked := m.cells & occupied
				n += int((blocked - 1) &^ blocked >> 63) // 1 if blocked is 0
			}
		}
		others := n // legal moves, if not counted before
		l := &f.lines[by.line]
		list := l.slots[state>>l.shift&l.mask].moves
		left := by.left(list)
		for j := range list {
			m := &list[j]
			if m.cells&occupied != 0 {
				continue
			}
			others++
			if m.move >= by.from && m.move <= by.to || m.move > link && m.cells&left == 0 {
				continue
			}
			newKeys[n] = state + m.delta
			newMoves[n] = m.move
			n++
		}
		behind := f.lines[by.line+1:]
		if f.steps {
			behind = f.crossing(by, left)
		}
		for i := range behind {
			l := &behind[i]
			list := l.slots[state>>l.shift&l.mask].moves
			for j := range list {
				m := &list[j]
				newKeys[n] = state + m.delta
				newMoves[n] = m.move
				blocked, there := m.cells&occupied, m.cells&left
				free := (blocked - 1) &^ blocked >> 63 // 1 if blocked is 0
				others += int(free)
				n += int(free & ((there | -there) >> 63)) // 1 if there is not 0
			}
		}
		if !f.steps {
			legal = others
		}
		pruned += legal - n
		keys, moves = keys[:len(keys)+n], moves[:len(moves)+n]
	}
	out.Keys, out.Moves = keys, moves
	return pruned
}

// left returns the cells that the link has left or passed: those that its inverse, one
// of the moves of its line, enters.
func (l *narrowLink) left(list []narrowMove) uint64 {
	for j := range list {
		if list[j].move == l.back {
			return list[j].cells
		}
	}
	panic("rushhour: a link cannot be undone")
}

// count returns the occupied cells of a state and the number of legal steps. No two
// steps in the same direction enter the same cell, so they can be counted as cells,
// without a look at each step.
func (f *narrow) count(state uint64) (occupied uint64, legal int) {
	occupied = f.fixed
	var left, right, up, down uint64
	for i := range f.lines[:f.upright] {
		l := &f.lines[i]
		slot := &l.slots[state>>l.shift&l.mask]
		occupied |= slot.cells
		left |= slot.leftUp
		right |= slot.rightDown
	}
	for i := range f.lines[f.upright:] {
		l := &f.lines[f.upright+i]
		slot := &l.slots[state>>l.shift&l.mask]
		occupied |= slot.cells
		up |= slot.leftUp
		down |= slot.rightDown
	}
	return occupied, bits.OnesCount64(left&^occupied) + bits.OnesCount64(right&^occupied) +
		bits.OnesCount64(up&^occupied) + bits.OnesCount64(down&^occupied)
}

// crossing returns the lines after the link's own that may have a step into the cell
// that the link has left: the column there, if the link is in a row.
func (f *narrow) crossing(by *narrowLink, left uint64) []narrowLine {
	at := f.columns[bits.TrailingZeros64(left)&63]
	if by.line >= f.upright || at == 0 {
		return nil
	}
	return f.lines[at-1 : at]
}
