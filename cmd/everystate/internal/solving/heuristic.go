package solving

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/puzzle"
)

// HeuristicNames lists the heuristics.
func HeuristicNames() []string {
	var names []string
	for _, k := range heuristic.All() {
		names = append(names, k.Name)
	}
	return names
}

// databases are the pattern databases of a command.
type databases struct {
	once sync.Once
	all  []*heuristic.Database
	err  error
}

// heuristicOf returns the heuristic for a board, or nil if there is none.
func heuristicOf(ctx context.Context, env *shell.Env, s *solver, board *puzzle.Board) (solve.Heuristic, error) {
	h, err := heuristic.For(board, s.heuristic)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%v", err)
	}
	if s.pdb == "" {
		return h, nil
	}
	s.databases.once.Do(func() {
		for run := range strings.SplitSeq(s.pdb, ",") {
			d, err := patternDatabase(ctx, env, run)
			if err != nil {
				s.databases.err = err
				return
			}
			s.databases.all = append(s.databases.all, d)
		}
	})
	if s.databases.err != nil {
		return nil, s.databases.err
	}
	var all []solve.Heuristic
	if h != nil {
		all = append(all, h)
	}
	for _, d := range s.databases.all {
		one, err := d.For(board)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--pdb: %v", err)
		}
		all = append(all, one)
	}
	return heuristic.Max(all...), nil
}

// patternDatabase reads the goal distances of a run, first computing them if they are
// unknown.
func patternDatabase(ctx context.Context, env *shell.Env, run string) (d *heuristic.Database, err error) {
	r, err := runs.OpenWithDistances(ctx, env, run, engine.Options{}, &runs.Effort{Quiet: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	board := r.Board()
	if d, err = heuristic.NewDatabase(&board); err != nil {
		return nil, exit.Errorf(exit.Usage, "--pdb %s: %v", run, err)
	}
	err = r.Space().EachDistance(ctx, func(key []uint64, distance int) error {
		d.Add(key, distance)
		return nil
	})
	return d, runs.Explain(env, r.Dir(), err)
}
