package query

import (
	"context"

	"github.com/everystate/everystate/puzzle"
)

// Phase holds how far the states are from their nearest goal in which some pieces are solved:
// those with which a phase of a solution begins.
type Phase struct {
	// Hardest holds the farthest of them. Where symmetric states are merged, these too are
	// true states, and Represented is 0.
	Hardest
	Distances []int64 // how many there are, by goal distance up to the greatest
	States    int64   // how many there are in all
}

// toldAfter is how many states are read between two calls that tell how many.
const toldAfter = 1 << 16

// PhaseFrom returns how far the states are in which the named pieces are solved, and the first n
// of the farthest, by their texts. It returns ErrNoGoal if no goal can be reached from any. told
// is called now and then with the part of the states that have been read.
func PhaseFrom(ctx context.Context, s *Space, pieces string, n int, told func(part float64) error) (Phase, error) {
	if !s.HasDistances() {
		return Phase{}, ErrNoDistances
	}
	solved, err := puzzle.WithSolved(s.Board.Puzzle, pieces)
	if err != nil {
		return Phase{}, err
	}
	var p Phase
	layers, all, read := s.distanceLayers(), int64(0), int64(0)
	for _, layer := range layers {
		all += layer.States
	}
	for _, layer := range layers {
		count := int64(0)
		err := s.eachState(ctx, layer, func(key []uint64, _ puzzle.Move) error {
			solved(key, func([]uint64) { count++ })
			if read++; read%toldAfter != 0 {
				return nil
			}
			return told(float64(read) / float64(all))
		})
		if err != nil {
			return Phase{}, err
		}
		p.Distances = append(p.Distances, count)
		if p.States += count; count > 0 {
			p.Distance, p.Count = int(layer.Depth), count
		}
	}
	if p.States == 0 {
		return Phase{}, ErrNoGoal
	}
	p.Distances = p.Distances[:p.Distance+1]
	best := newTextHeap(s, n)
	err = s.eachState(ctx, layers[p.Distance], func(key []uint64, _ puzzle.Move) error {
		solved(key, best.offer)
		return nil
	})
	p.Hardest.States = best.sorted()
	return p, err
}
