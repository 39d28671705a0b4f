package solve

import "context"

// AStar is A*: it expands the state with the least depth plus estimate first.
func AStar() Algorithm {
	return Algorithm{
		Name: "astar", Summary: "A*: expand the least depth plus estimate first",
		Optimal: true, Heuristic: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			s := newBestFirst(ctx, p, true, func(depth, estimate int32) int64 { return int64(depth) + int64(estimate) })
			return s.solve(p.starts()), nil
		},
	}
}
