package solve

import "context"

// IDDFS searches depth first to depth 1, then 2, and so on.
func IDDFS() Algorithm {
	return Algorithm{
		Name: "iddfs", Summary: "iterative deepening: depth-first search to depth 1, 2, 3, ...",
		Optimal: true,
		Solve: func(ctx context.Context, p *Problem) (Result, error) {
			return deepen(ctx, p, blind{}), nil
		},
	}
}
