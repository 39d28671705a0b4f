package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/pack"
	"github.com/everystate/everystate/internal/terminal/display"
)

// sweepRemote holds the flags of a sweep on a coordinator.
type sweepRemote struct {
	at   runs.CoordinatorFlag
	name string
	wait bool
}

func (f *sweepRemote) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.at.Addr, "coordinator", "", "run the sweep on the workers of the coordinator at `ADDR`, HOST:PORT")
	flags.StringVar(&f.name, "name", "", "with --coordinator: `NAME` of the run (default: the directory's)")
	flags.BoolVar(&f.wait, "wait", false, "with --coordinator: wait until the sweep ends, then fetch its database")
}

// submitSweep puts a sweep in a coordinator's queue.
func submitSweep(env *shell.Env, cmd *cobra.Command, f *sweepPlace, e sweep.Enumeration, name string) error {
	if f.remote.name != "" {
		name = f.remote.name
	}
	addr, err := f.remote.at.Address(cmd)
	if err != nil {
		return err
	}
	at := runs.Remote{Addr: addr, Name: name}
	rules := e.Rules()
	boards, err := pack.BoardsOf(rules)
	if err != nil {
		return err
	}
	err = runs.WithClient(env, addr, func(c *client.Client) error {
		s, err := c.Submit(cmd.Context(), name, history.Spec{
			Family: boards.Family, Name: name, Metric: boards.Metric, Text: rules, Units: e.Units(),
		}, history.Want{})
		switch {
		case errors.Is(err, client.ErrOtherPuzzle):
			return exit.Errorf(exit.Usage, "%s is a different run: choose another name with --name NAME", at)
		case err != nil:
			return runs.RemoteError(err)
		case f.remote.wait:
			return nil
		case f.json:
			return env.JSON(runs.StatusJSONOf(addr, &s))
		}
		fmt.Fprintf(env.Out, "%s is %s: %s of %s\n\nnext  %s\n", at, runs.DescribeStatus(&s), quantity.Count(int64(s.UnitsDone)),
			quantity.Counted(int64(s.Spec.Units), "unit"), env.Command("db", "fetch", at.String()))
		return nil
	})
	if err != nil || !f.remote.wait {
		return err
	}
	dir := f.data
	if dir == "" {
		dir = filepath.Join(runs.SweepsDir, name)
	}
	return fetchSweep(cmd.Context(), env, &f.Sweeping, at, dir, true)
}

func dbFetchCommand(env *shell.Env) *cobra.Command {
	var f Sweeping
	var at runs.CoordinatorFlag
	var data string
	var wait bool
	cmd := &cobra.Command{
		Use:   "fetch ADDR/RUN",
		Short: "Fetch the database of a sweep from a coordinator",
		Long: `Fetch makes a local database of what a sweep on a coordinator has found so far, or
updates one. The result, including its digest, equals that of a sweep on one machine.
With --wait it waits until the sweep ends; Ctrl-C stops waiting, and the sweep
continues.`,
		Example: "  everystate db fetch 127.0.0.1:7000/rushhour-5x5 --wait",
		Args:    shell.Exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			run, err := at.Run(cmd, args[0])
			if err != nil {
				return err
			}
			if data == "" {
				data = filepath.Join(runs.SweepsDir, run.Name)
			}
			return fetchSweep(cmd.Context(), env, &f, run, data, wait)
		},
	}
	at.Flags(cmd.Flags())
	cmd.Flags().Var((*shell.Directory)(&data), "data", "directory `DIR` of the database (default: sweeps/RUN)")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the sweep ends")
	shell.IntVar(cmd.Flags(), &f.top, "top", 1, "print the `K` hardest puzzles")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// fetchSweep makes a database from a sweep on a coordinator, and reports.
func fetchSweep(ctx context.Context, env *shell.Env, f *Sweeping, at runs.Remote, dir string, wait bool) error {
	began := time.Now()
	c, err := runs.Dial(env, at.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	status, err := pollSweep(ctx, env, f, c, at, wait)
	if err != nil {
		return err
	}
	var db *database.Database
	err = c.Sweep(ctx, at.Name, func(rules string) (err error) {
		db, err = database.Create(dir, rules, database.Options{Units: status.Spec.Units})
		if other := new(database.RulesError); errors.As(err, &other) {
			return exit.Errorf(exit.Usage, "%s %v; name another directory with --data", dir, err)
		}
		return err
	}, func(unit int, found *sweep.Findings) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return db.Commit(unit, found)
	})
	if err == nil {
		_, err = db.Sync()
	}
	if err != nil {
		if db != nil {
			err = cmp.Or(err, db.Close())
		}
		return explainSweep(env, dir, nil, runs.RemoteError(err))
	}
	s := sweepSummary{
		Rules: status.Spec.Text, Totals: db.Totals(), Dir: dir, UnitsInAll: status.Spec.Units, Seconds: time.Since(began).Seconds(),
	}
	s.Complete = s.Totals.Units == uint64(s.UnitsInAll)
	if s.Top, err = (&share{}).hardest(db, f.top); err == nil {
		err = db.Finish()
	}
	if err = cmp.Or(err, db.Close()); err != nil {
		return err
	}
	if err := reportSweep(env, f, &s); err != nil {
		return err
	}
	if !s.Complete {
		return runs.NotComplete(env, at, &status)
	}
	return nil
}

// pollSweep returns the status of a sweep, once it is over if wait is set.
func pollSweep(ctx context.Context, env *shell.Env, f *Sweeping, c *client.Client, at runs.Remote, wait bool) (client.Status, error) {
	status, _, err := c.Get(ctx, at.Name)
	if err != nil {
		return status, runs.RemoteError(err)
	}
	if !wait || status.State.Over() {
		return status, nil
	}
	began := time.Now()
	view := &sweepView{status: status}
	shown := display.None()
	defer func() { shown.Stop() }()
	states := make(chan int64, 1)
	if !f.Quiet { // how many there are takes seconds to find
		go func() { states <- expected(status.Spec.Text) }()
	}
	var pace runs.Pace
	before, lost := status.States, time.Time{}
	for !status.State.Over() {
		select {
		case n := <-states:
			shown = env.Show(false, &display.Sweeping{
				Paint: env.ErrTerm.Paint(), Units: int64(status.Spec.Units), States: n,
				Started: began, Before: before, Progress: view.progress,
			})
			continue
		case <-ctx.Done():
			fmt.Fprintf(env.Err, "stopped watching; the sweep continues\ncontinue with: %s\n", env.Command("db", "fetch", at.String(), "--wait"))
			return status, exit.Reported(exit.Incomplete)
		case <-pace.After():
		}
		now, _, err := c.Get(ctx, at.Name)
		switch {
		case err == nil:
			status, lost = now, time.Time{}
			view.set(now)
		case ctx.Err() != nil:
		case runs.Away(err) && (lost.IsZero() || time.Since(lost) < runs.LostWait):
			if lost.IsZero() {
				lost = time.Now()
			}
		default:
			return status, runs.RemoteError(err)
		}
	}
	return status, nil
}

// sweepView shows the progress of a sweep on a coordinator.
type sweepView struct {
	mu     sync.Mutex // guards status
	status client.Status
}

func (v *sweepView) set(s client.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.status = s
}

func (v *sweepView) progress() display.SweepProgress {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := display.SweepProgress{Units: int64(v.status.UnitsDone), States: v.status.States, Puzzles: v.status.Puzzles, Greatest: -1}
	if p.Puzzles > 0 {
		p.Greatest = v.status.GreatestDistance
	}
	return p
}

// expected returns how many states a sweep has, 0 if unknown.
func expected(rules string) int64 {
	e, err := kinds.Open(rules)
	if err != nil {
		return 0
	}
	return int64(kinds.Expected(e))
}
