package rushhour

import "fmt"

// warning returns a warning for a board whose goal vehicle may not be the one that was
// meant, or can never leave.
func (h *headers) warning(s *setup, d *drawn) string {
	goal := s.vehicles[s.goal]
	if s.walled() {
		return fmt.Sprintf("a wall is between goal vehicle %c and its exit: no state is a goal", goal.symbol)
	}
	usual := (s.rows - 1) / 2
	if h.goal != 0 || d.goal >= 0 || !goal.vertical && goal.row == usual {
		return ""
	}
	for _, symbol := range []byte("XAR") {
		i := d.find(symbol)
		if i < 0 || i == s.goal || s.vehicles[i].vertical || s.vehicles[i].row != usual {
			continue
		}
		return fmt.Sprintf("goal vehicle %c is not in row %d, where the exit usually is, and %c is: if %c is the goal vehicle, say so with goal: %c",
			goal.symbol, usual+1, symbol, symbol, symbol)
	}
	return ""
}

// Unsolvable looks for a wall that the goal vehicle would have to pass.
func (g *game) Unsolvable([]uint64) string {
	if g.walled() {
		return fmt.Sprintf("a wall is between goal vehicle %c and its exit", g.vehicles[g.setup.goal].symbol)
	}
	return ""
}

// walled reports whether a wall stands between the goal vehicle and its exit.
func (s *setup) walled() bool {
	goal := s.vehicles[s.goal]
	cell, step := goal.cell(0), 1
	if s.exit == sideLeft || s.exit == sideTop {
		step = -1
	}
	for row, col := cell.Row, cell.Col; row >= 0 && row < s.rows && col >= 0 && col < s.cols; {
		if s.walls[row*s.cols+col] {
			return true
		}
		if goal.vertical {
			row += step
		} else {
			col += step
		}
	}
	return false
}
