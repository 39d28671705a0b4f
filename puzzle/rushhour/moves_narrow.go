package rushhour

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// narrow generates moves where the board has at most 64 cells and the key is
// one word: the fast path.
type narrow struct {
	lines []narrowLine
	fixed uint64 // cells of lines with one placement
	backs []narrowBack

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
	cells uint64       // cells taken
	moves []narrowMove // those that no vehicle of the same line blocks, by id
}

// narrowMove is legal if no vehicle stands on cells; the key it leads to is
// the state's plus delta.
type narrowMove struct {
	cells uint64
	delta uint64
	move  puzzle.Move
}

// narrowBack is the move that takes another one back.
type narrowBack struct {
	move puzzle.Move
	line int // of narrow.lines
}

// narrowMovesMax bounds the fast path's tables, at 24 bytes a move. Boards with
// long rows of single cells exceed it and take the wide path.
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
	f := &narrow{successorsMax: t.successorsMax}
	for n := range g.lines {
		l := &g.lines[n]
		if l.placements == 1 {
			f.fixed |= g.boardCells(l, t.shapes[n].masks[0])
			continue
		}
		for range l.movesEach * len(l.vehicles) {
			f.backs = append(f.backs, narrowBack{t.backs[len(f.backs)], len(f.lines)})
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
		slot.moves = append(slot.moves, narrowMove{
			cells: g.boardCells(l, swept),
			delta: t.delta(s, rank, int(m.vehicle), int(m.steps)) << l.shift,
			move:  puzzle.Move(id),
		})
	}
	return slot
}

// boardCells turns cells of a line into cells of a board of at most 64.
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

// onward is successors without the way back over each state's link. It is
// written out once more for its speed: one line of a state has a loop with one
// more condition.
func (f *narrow) onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) {
	keys, moves := out.Keys, out.Moves
	for s, state := range states {
		back := f.backs[links[s]]
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
			if i == back.line {
				for j := range list {
					m := &list[j]
					newKeys[n] = state + m.delta
					newMoves[n] = m.move
					blocked := m.cells & occupied
					other := -uint64(m.move ^ back.move) // its top bit is set unless they are the same
					n += int((blocked - 1) &^ blocked & other >> 63)
				}
				continue
			}
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
