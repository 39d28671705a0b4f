package rushhour

import "math/bits"

// Group returns the number of walls of a unit's boards. Units of a group take about the
// same time per state: the more walls, the more of the boards are left out.
func (e *Enumeration) Group(unit int) int {
	walls := 0
	for i, k := range e.units[unit].rows {
		walls += bits.OnesCount32(e.rowSets[i][k].walls)
	}
	return walls
}
