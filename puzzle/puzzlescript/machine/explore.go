package machine

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// What follows is for exploring all states of a level: a move from any level at rest,
// without undo, sounds or further levels.

// NewDrawing returns a machine whose random rules draw from r. If r is nil, such a rule is
// a fault.
func NewDrawing(p *Program, r *Random) *Machine {
	m := New(p)
	m.random = r
	return m
}

// Load sets the objects of all cells; the words of a cell are consecutive.
func (m *Machine) Load(cells []uint64) { m.board.load(cells) }

// Begin loads a level.
func (m *Machine) Begin(l *game.Level) { m.board.load(levelCells(m.board, l)) }

// CopyFrom copies the level of another machine of the same program, which must be at
// rest.
func (m *Machine) CopyFrom(o *Machine) {
	copy(m.board.cells, o.board.cells)
	copy(m.board.objects, o.board.objects)
	m.board.has.objects = o.board.has.objects
}

// Cells returns the words of all cells, as a part of the machine.
func (m *Machine) Cells() []uint64 { return m.board.cells }

// Cell returns the objects of a cell, as a part of the machine.
func (m *Machine) Cell(i int) game.Set { return m.board.cell(i) }

// Plane returns the cells of an object, one bit each, as a part of the machine.
func (m *Machine) Plane(id int) []uint64 { return m.board.object(id) }

// Put puts an object into a cell.
func (m *Machine) Put(i, id int) {
	m.board.setCell(i, id>>6, m.board.cells[i*m.board.objectWords+id>>6]|1<<(id&63))
}

// Outcome is the result of a move.
type Outcome uint8

// The outcomes of a move.
const (
	Rests    Outcome = iota // the level is at rest
	Restarts                // a command restarts the level
	Wins                    // a command wins the level
	Aborted                 // see Fault
)

// Fault returns why the last turn was aborted, or nil.
func (m *Machine) Fault() *FaultError { return m.fault }

// Step makes a move, with the turns that the command "again" asks for, until nothing
// changes or the level is won. Spare is a machine of the same program; its level is
// overwritten. If d is 0, Step begins a level.
func (m *Machine) Step(d game.Direction, spare *Machine) Outcome {
	begins := d == 0
	m.refill()
	for range againMax {
		spare.CopyFrom(m)
		m.turn(d)
		again := m.queuedAt("again")
		switch {
		case m.fault != nil:
			return Aborted
		case m.game.NeedsMove && len(m.players) > 0 && !m.playerMoved(), m.has("cancel"):
			m.settle(spare)
			return Rests
		case m.has("restart") && !begins:
			return Restarts
		case m.has("win") && !begins:
			return Wins
		case again < 0 || slices.Equal(m.board.cells, spare.board.cells) || !begins && m.Solved():
			m.settle(m)
			return Rests
		}
		d, begins = 0, false
	}
	m.fault = &FaultError{m.queue[max(m.queuedAt("again"), 0)].line, fmt.Sprintf("the command again of this rule does not terminate: more than %d turns follow a move", againMax)}
	return Aborted
}

// settle restores the level of another machine, and removes all movements.
func (m *Machine) settle(to *Machine) {
	if m != to {
		m.CopyFrom(to)
	}
	if m.start != nil {
		m.board.stop()
	}
}

func (m *Machine) queuedAt(command string) int {
	return slices.IndexFunc(m.queue, func(q queued) bool { return q.name == command })
}
