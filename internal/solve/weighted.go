package solve

import (
	"context"
	"math"
)

// WeightedAStar is A* with the estimate weighted.
func WeightedAStar() Algorithm {
	return Algorithm{
		Name: "wastar", Summary: "weighted A*: the estimate counts --weight times; solutions are at most that many times longer than the shortest",
		Heuristic: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			weight := p.Weight
			if weight == 0 {
				weight = 2
			}
			if weight < 1 || weight > 1e6 || math.IsNaN(weight) {
				return unsuited("weight %g: must be 1 to 1000000", weight)
			}
			// Ranks are integers, lest two machines order two states differently.
			const unit = 1000
			scaled := int64(math.Round(weight * unit))
			s := newBestFirst(ctx, p, scaled == unit, func(depth, estimate int32) int64 {
				return int64(depth)*unit + int64(estimate)*scaled
			})
			return s.solve(p.starts()), nil
		},
	}
}
