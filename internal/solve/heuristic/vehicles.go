package heuristic

import (
	"errors"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// newBlockers counts what blocks the goal vehicle. Each vehicle across its path must
// leave it at least by the shorter end; one that lies along the path stays in it
// forever.
func newBlockers(b *puzzle.Board) (solve.Heuristic, error) {
	p, steps := b.Puzzle, b.Metric == "step"
	if _, ok := rushhour.SceneOf(p, p.Starts()); !ok {
		return nil, errors.New("not a board of Rush Hour")
	}
	return each{p.Layout().Words(), func(state []uint64) int32 {
		s, _ := rushhour.SceneOf(p, state)
		return blockers(&s, steps)
	}}, nil
}

func blockers(s *rushhour.Scene, steps bool) int32 {
	goal := s.Vehicles[s.Goal]
	stride := 1
	if goal.Vertical {
		stride = s.Cols
	}
	// The cells that the goal vehicle has yet to enter.
	from, to := goal.Cell+goal.Length*stride, s.GoalCell+goal.Length*stride
	if s.GoalCell < goal.Cell {
		from, to = s.GoalCell, goal.Cell
	}
	if from >= to {
		return 0
	}
	sum := int32(1)
	if steps {
		sum = int32((to - from) / stride)
	}
	for cell := from; cell < to; cell += stride {
		if s.Walls[cell] {
			return solve.Dead
		}
	}
	for i, v := range s.Vehicles {
		if i == s.Goal {
			continue
		}
		across := s.Cols
		if !v.Vertical {
			across = 1
		}
		for n := range v.Length {
			cell := v.Cell + n*across
			if cell < from || cell >= to || (cell-from)%stride != 0 {
				continue
			}
			if v.Vertical == goal.Vertical {
				return solve.Dead
			}
			back, forward := room(s, &v, across)
			least := int32(solve.Dead)
			if n+1 <= forward {
				least = int32(n + 1)
			}
			if v.Length-n <= back {
				least = min(least, int32(v.Length-n))
			}
			if least == solve.Dead {
				return solve.Dead
			}
			if !steps {
				least = 1
			}
			sum += least
		}
	}
	return sum
}

// room returns how far a vehicle could go each way if there were only walls.
func room(s *rushhour.Scene, v *rushhour.SceneVehicle, stride int) (back, forward int) {
	place, cells := v.Cell%s.Cols, s.Cols
	if v.Vertical {
		place, cells = v.Cell/s.Cols, s.Rows
	}
	for back < place && !s.Walls[v.Cell-(back+1)*stride] {
		back++
	}
	for place+v.Length+forward < cells && !s.Walls[v.Cell+(v.Length+forward)*stride] {
		forward++
	}
	return back, forward
}
