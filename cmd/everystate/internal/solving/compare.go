package solving

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/trial"
	"github.com/everystate/everystate/internal/terminal/table"
)

// CompareCommand returns `everystate compare`.
func CompareCommand(env *shell.Env) *cobra.Command {
	var s solver
	var names []string
	cmd := &cobra.Command{
		Use:   "compare FILE...",
		Short: "Compare algorithms on the same boards",
		Long: `Compare solves each board with each algorithm, one after another, and prints one row
per board and algorithm: the length of the solution, the states expanded and
generated, the peak frontier, the memory of the search's tables, and the time. A
length with an asterisk is proved optimal. Algorithms that do not work on a board
have no row.

With several boards at a time (--workers), times are not comparable with single runs.`,
		Example: `  everystate compare puzzles/rushhour/bird.txt --algorithms bfs,dfs,plan
  everystate compare '8 6 7 / 2 5 4 / 3 0 1' --algorithms bfs,astar,idastar --json`,
		Args: shell.Between(1, 1<<20, "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return runCompare(env, cmd, &s, names, args) },
	}
	s.flags(cmd.Flags())
	s.workers = 1
	cmd.Flags().Lookup("workers").DefValue = "1"
	cmd.Flags().Lookup("workers").Usage = "solve `N` boards at a time"
	cmd.Flags().StringSliceVar(&names, "algorithms", []string{"bfs", "dfs", "astar", "idastar", "greedy"}, "`ALGORITHMS` to compare, separated by commas")
	cmd.Flags().BoolVar(&s.json, "json", false, "print one JSON object per board and algorithm (docs/JSON.md)")
	return cmd
}

func runCompare(env *shell.Env, cmd *cobra.Command, s *solver, names, args []string) error {
	if err := s.check(cmd); err != nil {
		return err
	}
	if len(names) == 0 {
		return exit.Usagef(cmd, "--algorithms is empty: name some, such as bfs,astar")
	}
	var chosen []solve.Algorithm
	for _, name := range names {
		found, err := algorithm(cmd, name)
		if err != nil {
			return err
		}
		chosen = append(chosen, found)
	}
	jobs, err := s.Jobs(env, cmd, args)
	if err != nil {
		return err
	}
	var attempts []*attempt
	for _, j := range jobs {
		for _, algorithm := range chosen {
			attempts = append(attempts, &attempt{trial.Trial{Board: j.Board, Algorithm: algorithm}})
		}
	}
	t := table.Table{Columns: []table.Column{
		{Title: "board", Left: true}, {Title: "algorithm", Left: true}, {Title: "length"}, {Title: "expanded"},
		{Title: "generated"}, {Title: "peak frontier"}, {Title: "memory"}, {Title: "time"},
	}}
	code, last, suited := exit.Complete, "", false
	err = tryAll(cmd.Context(), env, s, attempts, func(at *attempt) error {
		if errors.Is(at.Err, solve.ErrUnsuited) {
			return nil
		}
		suited = true
		if at.Err != nil {
			code = exit.Worse(code, env.Report(at.fault()))
			return nil //nolint:nilerr // it has been reported
		}
		// Several algorithms try one board: that one finds nothing is not a failure of
		// the comparison, but that it was cancelled is.
		if at.Result.Stop == solve.StopCancel {
			code = exit.Worse(code, exit.Incomplete)
		}
		if s.json {
			return env.JSON(at.json())
		}
		name := at.Board.Name
		if name == last {
			name = ""
		} else {
			last = name
		}
		r := &at.Result
		t.Add(name, at.Algorithm.Name, at.length(), quantity.Count(r.Expanded), quantity.Count(r.Generated),
			quantity.Count(r.Frontier), quantity.Bytes(r.MemoryBytes), quantity.Seconds(at.Seconds))
		return nil
	})
	if !s.json && len(t.Rows) > 0 {
		t.Write(env.Out, env.Paint)
	}
	if err == nil && !suited {
		err = exit.Errorf(exit.Usage, "none of the algorithms %s works on these boards", strings.Join(names, ", "))
	}
	return cmp.Or(err, exit.Reported(code))
}

// length describes what an attempt found.
func (t *attempt) length() string {
	switch r := &t.Result; {
	case r.Outcome == solve.Unsolvable:
		return "none"
	case r.Outcome == solve.Unknown:
		return "? " + r.Stop.String()
	case r.Optimal:
		return fmt.Sprintf("%d*", len(t.Names))
	}
	return fmt.Sprint(len(t.Names))
}
