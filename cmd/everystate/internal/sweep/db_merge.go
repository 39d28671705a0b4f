package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/terminal/display"
)

const dbMergeHelp = `Merge adds to the database in DIR what other databases of the same sweep have found:
parts of it, swept elsewhere (sweep --part), or a sweep that was stopped. DIR is created
if it does not exist, below sweeps/ if it is a name. Units found in several databases
must be equal.

It prints a summary of DIR. When nothing is missing, DIR is the database of the whole,
with its digest; it has no grades.`

func dbMergeCommand(env *shell.Env) *cobra.Command {
	var f Sweeping
	cmd := &cobra.Command{
		Use:     "merge DIR FROM...",
		Short:   "Merge databases of parts of a sweep",
		Long:    dbMergeHelp,
		Example: "  everystate db merge sweeps/whole part-1 part-2 part-3",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return exit.Usagef(cmd, "%s needs DIR and FROM, the databases to merge into it", cmd.Name())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.top < 0 {
				return exit.Usagef(cmd, "--top %d: must be 0 or more", f.top)
			}
			// Once and for all: what a name means must not change when DIR is made.
			for i, arg := range args {
				args[i] = databaseDir(arg)
			}
			if i := slices.IndexFunc(args[1:], func(from string) bool { return sameDir(args[0], from) }); i >= 0 {
				return exit.Usagef(cmd, "%s cannot be merged into itself", args[1+i])
			}
			return runDBMerge(cmd.Context(), env, &f, args[0], args[1:])
		},
	}
	shell.IntVar(cmd.Flags(), &f.top, "top", 1, "print the `K` hardest puzzles")
	cmd.Flags().BoolVarP(&f.Quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// finish completes a database, closes it and reports what is in it.
func finish(env *shell.Env, f *Sweeping, db *database.Database, dir string, began time.Time) (s sweepSummary, err error) {
	if err := db.Finish(); err != nil {
		return s, explainSweep(env, dir, nil, cmp.Or(err, db.Close()))
	}
	done, all := db.Progress()
	s = sweepSummary{
		Rules: db.Rules(), Totals: db.Totals(), Complete: done == all && all > 0, Dir: dir, UnitsInAll: all, Seconds: time.Since(began).Seconds(),
	}
	s.Top, err = (&share{}).hardest(db, f.top)
	if err = cmp.Or(err, db.Close()); err != nil {
		return s, err
	}
	err = reportSweep(env, f, &s)
	return s, err
}

// sameDir reports whether two paths mean the same directory, which need not exist.
func sameDir(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second)
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}

func runDBMerge(ctx context.Context, env *shell.Env, f *Sweeping, dir string, others []string) error {
	began := time.Now()
	into, err := mergeTarget(dir, others)
	if err != nil {
		return err
	}
	view := &display.Steps{Phase: "merge", Title: "merging databases", Run: dir, Paint: env.ErrTerm.Paint()}
	shown := env.Show(f.Quiet, view)
	for i := 0; i < len(others) && err == nil && ctx.Err() == nil; i++ {
		view.At(others[i], float64(i)/float64(len(others)))
		err = mergeFrom(into, dir, others[i])
	}
	shown.Stop()
	switch {
	case err != nil:
		return explainSweep(env, dir, nil, cmp.Or(err, into.Close()))
	case ctx.Err() != nil:
		return cmp.Or(into.Close(), exit.Errorf(exit.Incomplete, "stopped; the same command merges the rest into %s", dir))
	}
	s, err := finish(env, f, into, dir, began)
	if err != nil || s.Complete {
		return err
	}
	return exit.Errorf(exit.Incomplete, "%s is not complete: it has %s of %s; merge the other parts, or do what is missing: %s",
		dir, quantity.Count(int64(s.Totals.Units)), quantity.Counted(int64(s.UnitsInAll), "unit"), env.Command("sweep", "resume", dir))
}

// mergeTarget opens the database to merge into, or makes it with the rules of the others,
// which must be there and agree.
func mergeTarget(dir string, others []string) (*database.Database, error) {
	other, rules, units := others[0], "", 0
	for i, from := range others {
		d, err := openDatabase(from, from, database.Options{ReadOnly: true})
		if err != nil {
			return nil, err
		}
		has := d.Rules()
		if i == 0 {
			rules = has
			_, units = d.Progress()
		}
		switch err := d.Close(); {
		case err != nil:
			return nil, err
		case has != rules:
			return nil, exit.Errorf(exit.Usage, "%s %v: %s cannot be merged with it", other, &database.RulesError{Have: rules, Want: has}, from)
		}
	}
	if units == 0 { // the database of an early version
		e, err := kinds.Open(rules)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", other, err)
		}
		units = e.Units()
	}
	into, err := database.Create(dir, rules, database.Options{Units: units})
	if differs := new(database.RulesError); errors.As(err, &differs) {
		return nil, exit.Errorf(exit.Usage, "%s %v: %s cannot be merged into it", dir, err, other)
	}
	if errors.Is(err, database.ErrForeign) {
		return nil, exit.Errorf(exit.Usage, "%v", err)
	}
	return into, err
}

// mergeFrom merges the database in a directory into another.
func mergeFrom(into *database.Database, dir, from string) error {
	d, err := openDatabase(from, from, database.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	_, err = into.Merge(d.Database)
	if err != nil {
		err = fmt.Errorf("merge %s into %s: %w", from, dir, err)
	}
	return cmp.Or(err, d.Close())
}
