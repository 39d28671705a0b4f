package narrow

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Leave appends keys, and successors as numbers as far as they may be farther from a goal.
//
// Most steps lead no farther. If a state is at some distance and there is a plan of as many
// steps that leads to a goal, the plan is still possible after any step that it does not depend
// on. So only the steps of the vehicles that it moves are left, and those into cells that it
// needs.
func (e *expander) Leave(keys, numbers []uint64, links []puzzle.Move, distance uint32, out *puzzle.Edges) (appended []uint64, pruned int) {
	return e.expand(keys, numbers, links, int(distance), out)
}

// unknown is no distance from a goal.
const unknown = -1

// clearing is how a line leaves a cell in the fewest steps of its own, cannotClear if it cannot:
// the cells that have to be free, and the steps that matter to it: those of its line and those
// into the cells.
type clearing struct {
	steps int
	cells uint64
	keep  prune
}

// cannotClear is more than any distance from a goal.
const cannotClear = 1 << 30

// setLeaving prepares what leave needs. The lines have some cells.
func (e *expander) setLeaving(cells []uint64) {
	goal := &e.goal
	if goal.Line < 0 {
		return
	}
	for _, way := range goal.Ways {
		e.near = append(e.near, e.keeping(goal.Line, cells[goal.Line], way.Cells))
	}
	for line, along := range cells {
		for left := along; left != 0 && line != goal.Line; left &= left - 1 {
			c := bits.TrailingZeros64(left)
			e.clears[e.direction(line)][c] = e.clearingsOf(line, along, 1<<c)
		}
	}
}

// clearingsOf returns how a line, which has some cells, leaves one of them, by its placement.
func (e *expander) clearingsOf(line int, along, cell uint64) []clearing {
	l := &e.lines[line]
	clearings := make([]clearing, len(l.slots))
	for rank := range clearings {
		clearings[rank].steps = cannotClear
		type reached struct {
			rank, steps int
			cells       uint64
		}
		seen := make([]bool, len(l.slots))
		seen[rank] = true
		for queue := []reached{{rank: rank}}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			slot := &l.slots[at.rank]
			if slot.cells&cell == 0 {
				needed := at.cells &^ l.slots[rank].cells
				clearings[rank] = clearing{at.steps, needed, e.keeping(line, along, needed)}
				break
			}
			for _, m := range slot.moves {
				if to := l.after(at.rank, m); !seen[to] {
					seen[to] = true
					queue = append(queue, reached{to, at.steps + 1, at.cells | m.cells})
				}
			}
		}
	}
	return clearings
}

// keeping leaves the steps of a line, which has some cells, and those across it into others.
func (e *expander) keeping(line int, along, across uint64) prune {
	p := prune{[2]uint64{along, along}, [2]uint64{across, across}}
	if e.direction(line) == 1 {
		p.rows, p.columns = p.columns, p.rows
	}
	return p
}

// or leaves what either leaves.
func (p *prune) or(q *prune) {
	for way := range p.rows {
		p.rows[way] |= q.rows[way]
		p.columns[way] |= q.columns[way]
	}
}

// leavingMin is how many steps have to be left for it to pay to look for a plan.
const leavingMin = 4

// leave leaves out steps of states at a distance from the nearest goal that lead no farther.
func (e *expander) leave(spots []spot, distance int) {
	goal := &e.goal
	if goal.Line < 0 {
		return
	}
	line := &e.at[goal.Line]
	for i := range spots {
		at := &spots[i]
		rank := uint8(at.ranks[line.half] >> line.shift)
		switch steps := goal.Ways[rank].Steps; {
		case steps == distance: // nothing is in the way
			e.near[rank].apply(&at.rows, &at.columns)
		case at.left() >= leavingMin:
			e.leaveByPlan(at, rank, distance-steps)
		}
	}
}

// left returns how many steps are left.
func (s *spot) left() int {
	return bits.OnesCount64(s.rows[0]) + bits.OnesCount64(s.rows[1]) + bits.OnesCount64(s.columns[0]) + bits.OnesCount64(s.columns[1])
}

// leaveByPlan leaves out steps that do not matter to a plan, if it finds one of at most so many
// steps besides those of the goal vehicle. Lines across the goal vehicle's way leave it, each
// without a look at the others; where they need cells that are taken, the lines there leave
// these before, and so on. No line moves twice, nor into a cell that another needs later.
func (e *expander) leaveByPlan(at *spot, rank uint8, steps int) {
	keep, needed := e.near[rank], e.goal.Ways[rank].Cells
	lines, direction := uint32(0), 1-e.direction(e.goal.Line)
	for cells := needed; cells&^at.free != 0; direction = 1 - direction {
		taken := cells &^ at.free
		for cells = 0; taken != 0; taken &= taken - 1 {
			c := bits.TrailingZeros64(taken) & 63
			in := &e.cells[direction][c].lineAt
			line := uint32(1) << (in.half*linesMax + in.shift/8)
			if e.clears[direction][c] == nil || lines&line != 0 {
				return
			}
			clears := &e.clears[direction][c][uint8(at.ranks[in.half]>>in.shift)]
			if steps -= clears.steps; steps < 0 || clears.cells&needed != 0 {
				return
			}
			lines |= line
			cells |= clears.cells
			keep.or(&clears.keep)
		}
		needed |= cells
	}
	keep.apply(&at.rows, &at.columns)
}
