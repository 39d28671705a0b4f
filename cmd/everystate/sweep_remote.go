package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/display"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/pack"
)

// sweepRemote holds the flags of a sweep on a coordinator.
type sweepRemote struct {
	at   coordinatorFlag
	name string
	wait bool
}

func (f *sweepRemote) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.at.addr, "coordinator", "", "have the workers of the coordinator at `ADDR` do it, HOST:PORT")
	flags.StringVar(&f.name, "name", "", "with --coordinator: `NAME` of the run (default as that of the directory)")
	flags.BoolVar(&f.wait, "wait", false, "with --coordinator: wait until the sweep is over, and make its database here")
}

// submitSweep puts a sweep in the queue of a coordinator.
func (a *app) submitSweep(cmd *cobra.Command, f *sweepPlace, e sweep.Enumeration, name string) error {
	if f.remote.name != "" {
		name = f.remote.name
	}
	addr, err := f.remote.at.address(cmd)
	if err != nil {
		return err
	}
	at := remote{addr, name}
	rules := e.Rules()
	boards, err := pack.BoardsOf(rules)
	if err != nil {
		return err
	}
	err = a.withClient(addr, func(c *client.Client) error {
		s, err := c.Submit(cmd.Context(), name, history.Spec{
			Family: boards.Family, Name: name, Metric: boards.Metric, Text: rules, Units: e.Units(),
		}, history.Want{})
		switch {
		case errors.Is(err, client.ErrOtherPuzzle):
			return failf(exitUsage, "%s is another run: name this one with --name NAME", at)
		case err != nil:
			return remoteError(err)
		case f.remote.wait:
			return nil
		case f.json:
			return a.json(statusJSONOf(addr, &s))
		}
		fmt.Fprintf(a.out, "%s is %s: %s of %s\n\nnext  %s\n", at, describeStatus(&s), quantity.Count(int64(s.UnitsDone)),
			quantity.Counted(int64(s.Spec.Units), "unit"), a.command("db", "fetch", at.String()))
		return nil
	})
	if err != nil || !f.remote.wait {
		return err
	}
	dir := f.data
	if dir == "" {
		dir = filepath.Join(sweepsDir, name)
	}
	return a.fetchSweep(cmd.Context(), &f.sweeping, at, dir, true)
}

func (a *app) dbFetchCommand() *cobra.Command {
	var f sweeping
	var at coordinatorFlag
	var data string
	var wait bool
	cmd := &cobra.Command{
		Use:   "fetch ADDR/RUN",
		Short: "Make a database of a sweep on a coordinator",
		Long: `Fetch makes a database of what a sweep on a coordinator has found, or adds to one
what it lacks. The database is that of a sweep on one machine, digest and all.
With --wait it waits until the sweep is over; Ctrl-C ends the waiting only.`,
		Example: "  everystate db fetch 127.0.0.1:7000/rushhour-5x5 --wait",
		Args:    exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			run, err := at.run(cmd, args[0])
			if err != nil {
				return err
			}
			if data == "" {
				data = filepath.Join(sweepsDir, run.name)
			}
			return a.fetchSweep(cmd.Context(), &f, run, data, wait)
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().StringVar(&data, "data", "", "directory `DIR` of the database (default sweeps/RUN)")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the sweep is over")
	cmd.Flags().IntVar(&f.top, "top", 1, "print the `K` hardest puzzles")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show how far it has come")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// fetchSweep makes a database of a sweep on a coordinator, and reports.
func (a *app) fetchSweep(ctx context.Context, f *sweeping, at remote, dir string, wait bool) error {
	began := time.Now()
	c, err := a.dial(at.addr)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	status, err := a.lookAtSweep(ctx, f, c, at, wait)
	if err != nil {
		return err
	}
	var db *database.Database
	err = c.Sweep(ctx, at.name, func(rules string) (err error) {
		db, err = database.Create(dir, rules, database.Options{Whole: status.Spec.Units})
		if other := new(database.RulesError); errors.As(err, &other) {
			return failf(exitUsage, "%s %v: name another directory with --data", dir, err)
		}
		return err
	}, func(unit int, found *sweep.Findings) error { return db.Commit(unit, found) })
	if err != nil {
		if db != nil {
			err = firstError(err, db.Close())
		}
		return a.explainSweep(dir, nil, remoteError(err))
	}
	s := sweepSummary{
		Rules: status.Spec.Text, Totals: db.Totals(), Dir: dir, UnitsInAll: status.Spec.Units, Seconds: time.Since(began).Seconds(),
	}
	s.Complete = s.Totals.Units == uint64(s.UnitsInAll)
	s.Top, err = hardestRecords(db, f.top)
	if err = firstError(err, db.Close()); err != nil {
		return err
	}
	if err := a.reportSweep(f, &s); err != nil {
		return err
	}
	if !s.Complete {
		return a.notComplete(at, &status)
	}
	return nil
}

// lookAtSweep returns how far a sweep is, when it is over if that is to be waited
// for.
func (a *app) lookAtSweep(ctx context.Context, f *sweeping, c *client.Client, at remote, wait bool) (client.Status, error) {
	status, _, err := c.Get(ctx, at.name)
	if err != nil {
		return status, remoteError(err)
	}
	if !wait {
		return status, nil
	}
	view := &sweepView{status: status}
	shown := a.show(f.quiet, &display.Sweeping{
		Paint: a.errTerm.paint(), Units: int64(status.Spec.Units), States: expected(status.Spec.Text),
		Started: time.Now(), Before: status.States, Progress: view.progress,
	})
	defer shown.Stop()
	lost := time.Time{}
	for !status.State.Over() {
		select {
		case <-ctx.Done():
			fmt.Fprintf(a.err, "the sweep goes on without being watched\ngo on with: %s\n", a.command("db", "fetch", at.String(), "--wait"))
			return status, said(exitIncomplete)
		case <-time.After(lookInterval):
		}
		now, _, err := c.Get(ctx, at.name)
		switch {
		case err == nil:
			status, lost = now, time.Time{}
			view.set(now)
		case ctx.Err() != nil:
		case errors.Is(err, client.ErrNoCoordinator) && (lost.IsZero() || time.Since(lost) < lostWait):
			if lost.IsZero() {
				lost = time.Now()
			}
		default:
			return status, remoteError(err)
		}
	}
	return status, nil
}

// sweepView shows how far a sweep on a coordinator is.
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

// expected returns how many states a sweep has, 0 if that cannot be said.
func expected(rules string) int64 {
	e, err := kinds.Open(rules)
	if err != nil {
		return 0
	}
	return int64(kinds.Expected(e))
}
