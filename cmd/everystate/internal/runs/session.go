package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/puzzle"
)

// Effort holds the flags of the commands that explore.
type Effort struct {
	Workers int
	Memory  shell.Size
	Quiet   bool
}

// Flags adds the flags.
func (e *Effort) Flags(flags *pflag.FlagSet) {
	WorkersVar(flags, &e.Workers, "workers", "number `N` of workers (default: one per core)")
	flags.Var(&e.Memory, "memory", "memory budget, a `SIZE` such as 512MiB, 2G or 300MB (default: 512MiB per worker, at most a quarter of the machine's)")
	flags.BoolVarP(&e.Quiet, "quiet", "q", false, "do not show progress")
}

// Options checks the flags and returns them as options for a run.
func (e *Effort) Options(cmd *cobra.Command, partitions int) (engine.Options, error) {
	opts := engine.Options{Workers: e.Workers, MemoryBytes: int64(e.Memory), Partitions: partitions}
	for _, name := range []string{"memory", "partitions"} {
		// Zero means the default, but not if a user gives it.
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "0" {
			return opts, exit.Usagef(cmd, "--%s 0: must be more than 0", name)
		}
	}
	if err := opts.Validate(); err != nil {
		return opts, exit.Usagef(cmd, "%s", shell.OneLine(err))
	}
	return opts, nil
}

// Again returns the flags that a command to resume with should have.
func (e *Effort) Again() []string {
	var args []string
	if e.Workers != 0 {
		args = append(args, "--workers", strconv.Itoa(e.Workers))
	}
	if e.Memory != 0 {
		args = append(args, "--memory", e.Memory.String())
	}
	return args
}

// Limits holds the flags that limit an exploration.
type Limits struct {
	goalDistance bool
	stopAtGoal   bool
	maxDepth     int
	maxStates    int64
}

// Flags adds the flags.
func (l *Limits) Flags(flags *pflag.FlagSet) {
	flags.BoolVar(&l.goalDistance, "goal-distance", false, "also compute goal distances: the fewest moves from each state to a goal")
	flags.BoolVar(&l.stopAtGoal, "stop-at-goal", false, "stop after the first layer with a goal")
	shell.IntVar(flags, &l.maxDepth, "max-depth", -1, "stop after the layer at depth `D`")
	shell.CountVar(flags, &l.maxStates, "max-states", 0, "stop after the layer that reaches `N` states in total")
	flags.Lookup("max-depth").DefValue = "0" // hides it: no limit is the default
}

// Want checks the flags and returns what they ask for. A goal phase begun earlier is
// always asked for: until it has ended, the run is not complete.
func (l *Limits) Want(cmd *cobra.Command) (history.Want, error) {
	switch {
	case cmd.Flags().Changed("max-depth") && l.maxDepth < 0:
		return history.Want{}, exit.Usagef(cmd, "--max-depth %d: must be 0 or more", l.maxDepth)
	case cmd.Flags().Changed("max-states") && l.maxStates < 1:
		return history.Want{}, exit.Usagef(cmd, "--max-states %d: must be 1 or more", l.maxStates)
	}
	want := history.Want{MaxStates: l.maxStates, StopAtGoal: l.stopAtGoal, GoalDistance: l.goalDistance}
	if l.maxDepth >= 0 {
		want.MaxDepth = &l.maxDepth
	}
	return want, nil
}

// Again returns the flags that a command to resume with after a signal should have,
// so that it asks for the same.
func (l *Limits) Again() []string {
	var args []string
	if l.goalDistance {
		args = append(args, "--goal-distance")
	}
	if l.stopAtGoal {
		args = append(args, "--stop-at-goal")
	}
	if l.maxDepth >= 0 {
		args = append(args, "--max-depth", strconv.Itoa(l.maxDepth))
	}
	if l.maxStates > 0 {
		args = append(args, "--max-states", strconv.FormatInt(l.maxStates, 10))
	}
	return args
}

// Continue explores with a display. If a signal stops it, it prints that, and how to
// resume: `everystate resume DIR` followed by again.
func Continue(ctx context.Context, env *shell.Env, r *engine.Run, want history.Want, quiet bool, expect puzzle.Expect, again []string) (history.Reason, error) {
	h := r.History()
	if len(h.Layers(history.Goal)) > 0 && h.End(history.Goal) == nil {
		want.GoalDistance = true
	}
	reason, err := Watched(ctx, env, r, want, quiet, NameOf(r), expect.States)
	if errors.Is(err, context.Canceled) {
		behind := ""
		if p := r.Progress().Bucket; p != nil && p.Layers > 0 {
			behind = fmt.Sprintf("; the bucket lacks the last %s", quantity.Counted(int64(p.Layers), "layer"))
		}
		return reason, env.Stopped(stopped(h)+behind, append([]string{"resume", r.Dir()}, again...)...)
	}
	return reason, Explain(env, r.Dir(), err)
}

// stopped describes what of a run is kept.
func stopped(h *history.History) string {
	states := quantity.Counted(h.States(history.Forward), "state")
	forward, goal := len(h.Layers(history.Forward)), len(h.Layers(history.Goal))
	switch {
	case goal > 0:
		return fmt.Sprintf("stopped; saved all %s and goal distances up to %d", states, goal-1)
	case h.End(history.Forward) != nil:
		return fmt.Sprintf("stopped; saved all %s", states)
	case forward == 0:
		return "stopped before the first layer"
	}
	return fmt.Sprintf("stopped; saved everything up to depth %d: %s", forward-1, states)
}

// NameOf returns a name for the puzzle of a run.
func NameOf(r View) string { return cmp.Or(r.Board().Name, r.Dir()) }

// OpenWithDistances opens a run for queries, first computing its goal distances if
// they are unknown. It returns an error if the run is not complete or has no goals.
func OpenWithDistances(ctx context.Context, env *shell.Env, arg string, opts engine.Options, e *Effort) (View, error) {
	opts.GoalDistance = true
	r, err := openFor(ctx, env, arg, e.Quiet, opts)
	if err != nil {
		return nil, err
	}
	switch h := r.History(); {
	case h.End(history.Forward) == nil:
		err = exit.Errorf(exit.Incomplete, "%s is not complete, so goal distances cannot be computed: %s", r.Dir(), More(env, r))
	case h.Goals() == 0:
		err = exit.Errorf(exit.NotFound, "%s: no goal can be reached", NameOf(r))
	case r.Space().HasDistances():
		return r, nil
	}
	if err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	if remote, ok := r.(*RemoteRun); ok {
		if err := addDistances(ctx, env, remote, e.Quiet); err != nil {
			return nil, cmp.Or(err, r.Close())
		}
		return r, nil
	}
	// A run cannot be open for writing and for queries at once.
	if err := r.Close(); err != nil {
		return nil, err
	}
	kept, err := KeptRun(ctx, r.Dir(), "")
	if err != nil {
		return nil, err
	}
	written, err := OpenDir(ctx, env, r.Dir(), e.Quiet, KeepIn(env, opts, kept))
	if err != nil {
		return nil, cmp.Or(Explain(env, r.Dir(), err), kept.Close())
	}
	_, err = Continue(ctx, env, written, history.Want{GoalDistance: true}, e.Quiet, puzzle.ExpectNothing(), append([]string{"--goal-distance"}, e.Again()...))
	// The bucket is up to date, and queries go to the directory.
	if err := cmp.Or(err, kept.Close()); err != nil {
		return nil, cmp.Or(err, written.Close())
	}
	return written, nil
}
