// Package narrow generates the moves of Rush Hour boards of at most 64 cells with keys of
// one word, by tables for each placement of a line, and numbers the boards with the same
// vehicles in each line (puzzle.Numbered).
//
// It must never read or write boards: package rushhour gives it tables, and asks it where
// they fit.
package narrow

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Board generates moves. It is immutable once all lines have been added, and then safe for
// concurrent use.
type Board struct {
	lines []boardLine
	fixed uint64 // cells of lines with one placement
	links []lastMove

	steps   bool
	upright int     // lines from here on are columns
	columns [64]int // by cell: the number of the line in its column, plus 1; 0: none

	successorsMax int
}

// Line describes a line: a row or column of cells between walls, with vehicles that move
// along it. It has at least two placements.
type Line struct {
	Upright bool
	Cells   uint64
	// Shift and Width are where keys hold the rank of its placement.
	Shift, Width uint
	Slots        []Slot // by rank
	Links        []Link // of its moves, by id
}

// Slot is a placement of a line: the cells that it takes, and the moves that no vehicle of
// the same line blocks, by id.
type Slot struct {
	Cells uint64
	Moves []Move
}

// Move is legal if no vehicle stands on Cells; it leads to the state's key plus Delta.
type Move struct {
	Cells uint64
	Delta uint64
	Move  puzzle.Move
	// Back says that it goes left or up.
	Back bool
}

// Link says how moves are pruned after a move: its inverse, and the moves pruned in any
// state.
type Link struct{ Inverse, From, To puzzle.Move }

// boardLine is a line with at least two placements.
type boardLine struct {
	slots []lineSlot // by rank
	shift uint
	mask  uint64
	cells uint64
}

// lineSlot is one placement of a line.
type lineSlot struct {
	cells uint64 // cells taken
	// Cells newly entered by moves to the left or up, and by those to the right or down.
	leftUp, rightDown uint64
	moves             []slotMove // those not blocked by vehicles of the same line, by id
}

// slotMove is legal if no vehicle stands on cells; it leads to the state's key plus
// delta.
type slotMove struct {
	cells uint64
	delta uint64
	move  puzzle.Move
}

// lastMove describes how moves are pruned after a move.
type lastMove struct {
	line     int         // of Board.lines
	back     puzzle.Move // the inverse move
	from, to puzzle.Move // the moves pruned in any state
}

// New returns a board without lines, whose moves are steps of one cell if steps is set. A
// state has no more successors than successorsMax, and fixed are cells that are always taken.
func New(steps bool, successorsMax int, fixed uint64) *Board {
	return &Board{successorsMax: successorsMax, steps: steps, fixed: fixed}
}

// Add adds the next line, by the ids of its moves: rows come first.
func (f *Board) Add(l *Line) {
	for _, link := range l.Links {
		f.links = append(f.links, lastMove{len(f.lines), link.Inverse, link.From, link.To})
	}
	if !l.Upright {
		f.upright++
	} else {
		for cells := l.Cells; cells != 0; cells &= cells - 1 {
			f.columns[bits.TrailingZeros64(cells)] = len(f.lines) + 1
		}
	}
	line := boardLine{shift: l.Shift, mask: 1<<l.Width - 1, cells: l.Cells}
	for _, s := range l.Slots {
		slot := lineSlot{cells: s.Cells}
		for _, m := range s.Moves {
			if m.Back {
				slot.leftUp |= m.Cells
			} else {
				slot.rightDown |= m.Cells
			}
			slot.moves = append(slot.moves, slotMove{m.Cells, m.Delta, m.Move})
		}
		line.slots = append(line.slots, slot)
	}
	f.lines = append(f.lines, line)
}

// Successors appends the successors of each state.
func (f *Board) Successors(states []uint64, out *puzzle.Edges) {
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

// Onward is Successors with moves pruned by each state's link, and returns how many of
// the pruned moves are legal. Moves of lines before the link's have smaller ids and
// are kept. Moves of its own line and of later lines are kept if they need a cell that
// the link has left or passed.
func (f *Board) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
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
func (l *lastMove) left(list []slotMove) uint64 {
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
func (f *Board) count(state uint64) (occupied uint64, legal int) {
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
func (f *Board) crossing(by *lastMove, left uint64) []boardLine {
	at := f.columns[bits.TrailingZeros64(left)&63]
	if by.line >= f.upright || at == 0 {
		return nil
	}
	return f.lines[at-1 : at]
}
