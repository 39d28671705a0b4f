package rushhour

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour/narrow"
)

// narrowMovesMax bounds the fast path's tables, at 24 bytes per move. Boards with long
// rows of single cells exceed it and take the wide path.
const narrowMovesMax = 1 << 17

// newNarrow builds the fast path, or returns nil if the puzzle is too wide.
func (g *game) newNarrow(t *tables) *narrow.Board {
	if g.rows*g.cols > 64 || g.layout.KeyBits > 64 {
		return nil
	}
	estimate, fixed := 0, uint64(0)
	for n := range g.lines {
		l := &g.lines[n]
		estimate += int(l.placements) * 2 * min(l.free, len(l.vehicles)*l.distanceMax(g.metric))
		if l.placements == 1 {
			fixed |= boardCells(g.cols, l, t.shapes[n].masks[0])
		}
	}
	if estimate > narrowMovesMax {
		return nil
	}
	f := narrow.New(g.metric == metricStep, t.successorsMax, fixed)
	for n := range g.lines {
		l := &g.lines[n]
		if l.placements == 1 {
			continue
		}
		nl := narrow.Line{Upright: l.vertical, Cells: boardCells(g.cols, l, 1<<l.cells-1), Shift: l.shift, Width: l.width}
		for i := range l.movesEach * len(l.vehicles) {
			link := narrow.Link{Inverse: t.backs[l.move+i]}
			link.From, link.To = g.prunedAfter(t, puzzle.Move(l.move+i))
			nl.Links = append(nl.Links, link)
		}
		for rank := range int(l.placements) {
			nl.Slots = append(nl.Slots, g.narrowSlot(t, n, rank))
		}
		f.Add(&nl)
	}
	return f
}

// Numbering numbers the boards of at most 8x8 cells whose vehicles are in the same lines.
func (g *game) Numbering() puzzle.Numbering {
	t := g.tables()
	if t.narrow == nil || max(g.rows, g.cols) > narrow.SideMax {
		return nil
	}
	return t.narrow.Numbering(g, g.narrowGoal(t))
}

// narrowGoal returns how far the goal vehicle has to go.
func (g *game) narrowGoal(t *tables) narrow.Goal {
	l, s := &g.lines[g.goalLine], t.shapes[g.goalLine]
	goal := narrow.Goal{}
	for i := range g.lines[:g.goalLine] {
		if g.lines[i].placements > 1 {
			goal.Line++
		}
	}
	if l.placements == 1 {
		goal.Line = -1
	}
	k := len(s.lengths)
	for rank := range s.masks {
		from, to := int(s.starts[rank*k+g.goalAt]), g.goalStart
		var cells uint16 // all that it has on its way
		// Behind a wall the goal may be off the board.
		for start := max(0, min(from, to)); start <= max(from, to); start++ {
			cells |= 1<<(start+int(s.lengths[g.goalAt])) - 1<<start
		}
		own := uint16(1<<(from+int(s.lengths[g.goalAt])) - 1<<from)
		goal.Ways = append(goal.Ways, narrow.Way{Cells: boardCells(g.cols, l, cells&^own), Steps: max(from, to) - min(from, to)})
	}
	return goal
}

// narrowSlot lists the moves of one placement of a line.
func (g *game) narrowSlot(t *tables, n, rank int) narrow.Slot {
	l, s := &g.lines[n], t.shapes[n]
	slot := narrow.Slot{Cells: boardCells(g.cols, l, s.masks[rank])}
	for id := l.move; id < l.move+l.movesEach*len(l.vehicles); id++ {
		m := t.moves[id]
		swept, ok := s.sweep(rank, int(m.vehicle), int(m.steps), l.cells)
		if !ok || swept&s.masks[rank] != 0 {
			continue
		}
		slot.Moves = append(slot.Moves, narrow.Move{
			Cells: boardCells(g.cols, l, swept),
			Delta: t.delta(s, rank, int(m.vehicle), int(m.steps)) << l.shift,
			Move:  puzzle.Move(id),
			Back:  m.steps < 0,
		})
	}
	return slot
}

// boardCells converts cells of a line to cells of a board of so many columns, and at most
// 64 cells.
func boardCells(cols int, l *line, mask uint16) uint64 {
	offset, stride := l.index*cols+l.first, 1
	if l.vertical {
		offset, stride = l.first*cols+l.index, cols
	}
	cells := uint64(0)
	for i := range l.cells {
		cells |= uint64(mask>>i&1) << (offset + i*stride)
	}
	return cells
}
