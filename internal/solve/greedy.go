package solve

import "context"

// Greedy ranks states by the estimate alone.
func Greedy() Algorithm {
	return Algorithm{
		Name: "greedy", Summary: "greedy best-first search: expand the least estimate first",
		Heuristic: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			s := newBestFirst(ctx, p, false, func(_, estimate int32) int64 { return int64(estimate) })
			s.once = true // a shorter path does not change a state's rank
			return s.solve(p.starts()), nil
		},
	}
}
