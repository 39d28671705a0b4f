package solve

import (
	"cmp"
	"context"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Beam is breadth-first search that keeps only the best states of each layer.
func Beam() Algorithm {
	return Algorithm{
		Name: "beam", Summary: "beam search: breadth-first search that keeps the best --width states of each layer",
		Heuristic: true, Solve: beam,
	}
}

// beam never revisits a state that it has dropped, so it ends. If it has dropped
// none, its answer is that of a breadth-first search.
func beam(ctx context.Context, p *Problem) (Result, error) {
	width := p.Width
	if width == 0 {
		width = 1000
	}
	if width < 0 {
		return unsuited("width %d: must be 1 or more", width)
	}
	m, game, heuristic := NewMeter(ctx, p), p.Board.Puzzle, p.heuristic()
	v := newVisited(game.Layout().Words())
	v.addStarts(p.starts())
	var edges puzzle.Edges
	var estimates []int32
	dropped, initial := false, -1
	var layer []int
	for first := 0; ; {
		// The layer is the states from first on.
		fresh := v.len() - first
		if goal := goalAmong(game, v.keys[first*v.words:], fresh); goal >= 0 {
			r := m.solved(v, game, first+goal, !dropped)
			r.InitialBound = max(0, initial)
			return r, nil
		}
		estimates = sized(estimates, fresh)
		heuristic.Estimate(v.keys[first*v.words:], estimates)
		layer = layer[:0]
		for i, h := range estimates {
			if h != Dead {
				layer = append(layer, first+i)
			}
		}
		if initial < 0 && len(layer) > 0 {
			initial = int(slices.Min(estimates))
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(estimates[a-first], estimates[b-first]) })
		if len(layer) > width {
			layer, dropped = layer[:width], true
		}
		m.waiting(len(layer))
		switch {
		case len(layer) > 0:
		case dropped:
			return m.stopped(StopPruned), nil
		default:
			return m.unsolvable(), nil
		}
		first = v.len()
		for _, expand := range layer {
			m.Stored, m.MemoryBytes = int64(v.len()), v.bytes()
			if stop := m.Check(); stop != StopNone {
				return m.stopped(stop), nil
			}
			edges.Reset()
			game.Successors(v.key(expand), &edges)
			m.Expanded++
			m.Generated += int64(edges.Len())
			v.addAll(&edges)
		}
	}
}
