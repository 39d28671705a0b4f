package solve

import "context"

// IDAStar is IDA*: iterative deepening by depth plus estimate.
func IDAStar() Algorithm {
	return Algorithm{
		Name: "idastar", Summary: "IDA*: depth-first search while depth plus estimate is within a bound, repeated with the next bound",
		Optimal: true, Heuristic: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			return deepen(ctx, p, p.heuristic()), nil
		},
	}
}
