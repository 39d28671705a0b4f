package solve

import "context"

// Greedy looks at the estimate alone.
func Greedy() Algorithm {
	return Algorithm{
		Name: "greedy", Summary: "greedy best-first search: expand the least estimate first",
		Heuristic: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			s := newBestFirst(ctx, p, false, func(_, estimate int32) int64 { return int64(estimate) })
			s.once = true // that the way became shorter does not change its rank
			return s.solve(p.starts()), nil
		},
	}
}
