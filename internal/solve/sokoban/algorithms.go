package sokoban

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/internal/solve"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

// Algorithms returns the solvers, the default first.
func Algorithms() []solve.Algorithm {
	all := []solve.Algorithm{{
		Name: "soko", Summary: "Sokoban by A*: fewest moves in the board's metric, with every bound and deadlock rule",
		Optimal: true, Families: families(),
		Solve: func(ctx context.Context, p *solve.Problem) (solve.Result, error) {
			l, err := NewLevel(p.Board.Puzzle, p.Start)
			if err != nil {
				return solve.Result{}, err
			}
			return l.AStar(ctx, p, l.optimum()), nil
		},
	}}
	for _, a := range []struct {
		name, summary string
		strategy      Strategy
	}{
		{"soko-astar-push", "Sokoban by A*: fewest pushes", PushOptimal},
		{"soko-astar-move", "Sokoban by A*: fewest player steps", MoveOptimal},
		{"soko-astar-fast", "Sokoban by A*, fast: any solution", Fast},
	} {
		all = append(all, solve.Algorithm{
			Name: a.name, Summary: a.summary, Families: families(),
			Solve: func(ctx context.Context, p *solve.Problem) (solve.Result, error) {
				l, err := NewLevel(p.Board.Puzzle, p.Start)
				if err != nil {
					return solve.Result{}, err
				}
				return l.AStar(ctx, p, a.strategy), nil
			},
		})
	}
	all = append(all, solve.Algorithm{
		Name: "fess", Summary: "Sokoban by feature-space search, for large levels: any solution, not the shortest", Families: families(),
		Solve: func(ctx context.Context, p *solve.Problem) (solve.Result, error) {
			l, err := NewLevel(p.Board.Puzzle, p.Start)
			if err != nil {
				return solve.Result{}, err
			}
			return l.Fess(ctx, p), nil
		},
	})
	for i, summary := range []string{
		"bounded by each box's nearest target",
		"bounded by a minimum matching of boxes and targets",
		"with a transposition table",
		"trying the last pushed box first",
		"with every bound and deadlock rule",
	} {
		v := Version1 + Version(i)
		all = append(all, solve.Algorithm{
			Name: fmt.Sprintf("soko-%d", v), Summary: "Sokoban by IDA*, fewest pushes: " + summary, Families: families(),
			Solve: func(ctx context.Context, p *solve.Problem) (solve.Result, error) {
				l, err := NewLevel(p.Board.Puzzle, p.Start)
				if err != nil {
					return solve.Result{}, err
				}
				return l.Deepen(ctx, p, v), nil
			},
		})
	}
	return all
}

func families() []string { return []string{puzzles.Family} }
