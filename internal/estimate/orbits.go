package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// orbitSteps is how many steps each walk makes to sample orbits.
const orbitSteps = 1 << 12

// plainStates returns the number of states of the puzzle whose symmetric states are merged,
// 0 if p merges none, does not know how many it merges, or the number is not known.
func plainStates(p puzzle.Puzzle) float64 {
	m, merged := p.(puzzle.Merged)
	if _, weighs := p.(puzzle.Weighted); !merged || !weighs {
		return 0
	}
	size := SizeOf(m.Unmerged())
	if !size.Exact {
		return 0
	}
	states, _ := size.States.Float64()
	return states
}

// byOrbits estimates the number of orbits of so many states. If all states were drawn alike,
// the mean of 1 by the size of the orbit is that of orbits by states; a random walk comes to
// a state as often as it has moves. Few orbits are smaller than others in a large space, so
// few samples are enough.
func (e *Estimate) byOrbits(ctx context.Context, p puzzle.Puzzle, f *first, o *Options, states float64) error {
	weighted, ok := p.(puzzle.Weighted)
	if !ok {
		return nil // each state stands for itself
	}
	words := p.Layout().Words()
	var means [chains]float64
	var out puzzle.Edges
	visits := 0.0
	for i := range means {
		random := source(mix(o.Seed + uint64(i)<<32))
		state := slices.Clone(f.frontier[int(random.next()%uint64(len(f.frontier)/words))*words:][:words])
		sum, all := 0.0, 0.0
		for step := range orbitSteps {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			out.Reset()
			p.Successors(state, &out)
			if out.Len() == 0 {
				break
			}
			if step >= orbitSteps/2 {
				var size [1]uint64
				weighted.Weights(state, size[:])
				sum += 1 / float64(size[0]) / float64(out.Len())
				all += 1 / float64(out.Len())
				visits++
			}
			copy(state, out.Keys[random.below(out.Len())*words:])
		}
		means[i] = sum / all
	}
	mean, squares := 0.0, 0.0
	for _, m := range means {
		mean += m / chains
	}
	for _, m := range means {
		squares += (m - mean) * (m - mean) / (chains * (chains - 1))
	}
	// No sample has shown what is rarer than one of them.
	by := sureSigmas * (math.Sqrt(squares)/mean + 1/visits)
	e.Method, e.States = Walks, states*mean
	e.Low, e.High = e.States*(1-by), e.States*(1+by)
	return puzzle.Err(p)
}
