package solve

import "context"

// IDAStar is IDA*: iterative deepening by depth plus estimate.
func IDAStar() Algorithm {
	return Algorithm{
		Name: "idastar", Summary: "IDA*: depth first as far as depth plus estimate is bounded, and again with the next bound",
		Optimal: true, Heuristic: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			return deepen(ctx, p, p.heuristic()), nil
		},
	}
}
