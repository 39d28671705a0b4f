package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/everystate/everystate/cmd/everystate/internal/display"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
)

// effort holds the flags of the commands that explore.
type effort struct {
	workers int
	memory  size
	quiet   bool
}

func (e *effort) flags(flags *pflag.FlagSet) {
	flags.IntVar(&e.workers, "workers", 0, "`N` workers (default one a core)")
	flags.Var(&e.memory, "memory", "memory budget `SIZE`, such as 512MiB, 2G or 300MB (default 512MiB a worker, or a quarter of the machine's if that is less)")
	flags.BoolVarP(&e.quiet, "quiet", "q", false, "do not show how far it has come")
}

// options checks the flags and returns them as options for a run.
func (e *effort) options(cmd *cobra.Command, partitions int) (engine.Options, error) {
	opts := engine.Options{Workers: e.workers, MemoryBytes: int64(e.memory), Partitions: partitions}
	for _, name := range []string{"workers", "memory", "partitions"} {
		// Zero means the default, but nobody types it.
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "0" {
			return opts, usagef(cmd, "--%s: must be more than 0", name)
		}
	}
	if err := opts.Validate(); err != nil {
		return opts, usagef(cmd, "%s", oneLine(err))
	}
	return opts, nil
}

// again returns the flags that a command to go on with should have.
func (e *effort) again() []string {
	var args []string
	if e.workers != 0 {
		args = append(args, "--workers", strconv.Itoa(e.workers))
	}
	if e.memory != 0 {
		args = append(args, "--memory", e.memory.String())
	}
	return args
}

// size is a number of bytes on the command line.
type size int64

// String writes the size in the largest unit that leaves nothing over.
func (s *size) String() string {
	n, unit := int64(*s), 0
	if n == 0 {
		return "0"
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for n%1024 == 0 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	return strconv.FormatInt(n, 10) + units[unit]
}

// Set reads a size.
func (s *size) Set(text string) error {
	n, err := quantity.ParseSize(text)
	*s = size(n)
	return err
}

// Type names the kind of value in the help.
func (s *size) Type() string { return "SIZE" }

// limits holds the flags that say how far to explore.
type limits struct {
	goalDistance bool
	stopAtGoal   bool
	maxDepth     int
	maxStates    int64
}

func (l *limits) flags(flags *pflag.FlagSet) {
	flags.BoolVar(&l.goalDistance, "goal-distance", false, "find the distance of every state to its nearest goal as well")
	flags.BoolVar(&l.stopAtGoal, "stop-at-goal", false, "stop after the first layer that holds a goal")
	flags.IntVar(&l.maxDepth, "max-depth", -1, "stop after the layer at depth `D`")
	flags.Int64Var(&l.maxStates, "max-states", 0, "stop after the layer that brings the states to `N`")
	flags.Lookup("max-depth").DefValue = "0" // hides it: no limit is the default
}

// want checks the flags and says what they ask for. A goal phase that was begun
// earlier is always asked for: without its end the run is not complete.
func (l *limits) want(cmd *cobra.Command) (history.Want, error) {
	switch {
	case cmd.Flags().Changed("max-depth") && l.maxDepth < 0:
		return history.Want{}, usagef(cmd, "--max-depth %d: must be 0 or more", l.maxDepth)
	case cmd.Flags().Changed("max-states") && l.maxStates < 1:
		return history.Want{}, usagef(cmd, "--max-states %d: must be 1 or more", l.maxStates)
	}
	want := history.Want{MaxStates: l.maxStates, StopAtGoal: l.stopAtGoal, GoalDistance: l.goalDistance}
	if l.maxDepth >= 0 {
		want.MaxDepth = &l.maxDepth
	}
	return want, nil
}

// again returns the flags that a command to go on with should have after a
// signal: what was asked for still is.
func (l *limits) again() []string {
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

// goOn explores with a display. When a signal stopped it, it says so, and how to
// go on: with again behind `everystate resume DIR`.
func goOn(ctx context.Context, env *app, r *engine.Run, want history.Want, quiet bool, again []string) (history.Reason, error) {
	h := r.History()
	if len(h.Layers(history.Goal)) > 0 && h.End(history.Goal) == nil {
		want.GoalDistance = true
	}
	shown := env.show(quiet, &display.Exploration{
		Name: nameOf(r), Run: r.Dir(), Paint: env.errTerm.paint(),
		StatesBefore: h.States(history.Forward), Progress: r.Progress,
	})
	reason, err := r.Explore(ctx, want)
	shown.Stop()
	if errors.Is(err, context.Canceled) {
		behind := ""
		if p := r.Progress().Bucket; p != nil && p.Layers > 0 {
			behind = fmt.Sprintf("; the bucket does not have the last %s yet", quantity.Counted(int64(p.Layers), "layer"))
		}
		fmt.Fprintf(env.err, "%s%s\ngo on with: %s\n", stopped(h), behind, env.command(append([]string{"resume", r.Dir()}, again...)...))
		return reason, said(exitIncomplete)
	}
	return reason, explain(env, r.Dir(), err)
}

// show starts the display that fits standard error.
func (env *app) show(quiet bool, view display.View) *display.Display {
	switch {
	case quiet:
		return display.None()
	case env.errTerm.is():
		return display.Terminal(env.err, env.errTerm.width, view)
	}
	return display.Lines(env.err, view)
}

// stopped says what of a run is kept.
func stopped(h *history.History) string {
	states := quantity.Counted(h.States(history.Forward), "state")
	forward, goal := len(h.Layers(history.Forward)), len(h.Layers(history.Goal))
	switch {
	case goal > 0:
		return fmt.Sprintf("stopped; all %s and everything to goal distance %d are kept", states, goal-1)
	case h.End(history.Forward) != nil:
		return fmt.Sprintf("stopped; all %s are kept", states)
	case forward == 0:
		return "stopped before the first layer"
	}
	return fmt.Sprintf("stopped; everything to depth %d is kept: %s", forward-1, states)
}

// nameOf returns what to call the puzzle of a run.
func nameOf(r runView) string {
	if name := r.Board().Name; name != "" {
		return name
	}
	return r.Dir()
}

// openWithDistances opens a run whose goal distances are known, and computes
// them first if they are not. It says so if the run is not complete.
func openWithDistances(ctx context.Context, env *app, arg string, opts engine.Options, e *effort) (runView, error) {
	r, err := openView(ctx, env, arg)
	if err != nil {
		return nil, err
	}
	switch h := r.History(); {
	case h.End(history.Forward) == nil:
		err = failf(exitIncomplete, "%s is not complete, so distances to a goal cannot be known: %s", r.Dir(), env.command("resume", r.Dir()))
	case h.Goals() == 0:
		err = failf(exitNotFound, "%s: no goal can be reached", nameOf(r))
	case h.End(history.Goal) != nil:
		return r, nil
	}
	if err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	if remote, ok := r.(*remoteRun); ok {
		if err := addDistances(ctx, env, remote, e.quiet); err != nil {
			return nil, cmp.Or(err, r.Close())
		}
		return r, nil
	}
	// A run that is written cannot be open for questions as well.
	if err := r.Close(); err != nil {
		return nil, err
	}
	kept, err := keptRun(ctx, r.Dir(), "")
	if err != nil {
		return nil, err
	}
	written, err := engine.Open(r.Dir(), keepIn(env, opts, kept))
	if err != nil {
		return nil, cmp.Or(explain(env, r.Dir(), err), kept.Close())
	}
	_, err = goOn(ctx, env, written, history.Want{GoalDistance: true}, e.quiet, append([]string{"--goal-distance"}, e.again()...))
	// The bucket is up to date, and questions are put to the directory.
	if err := cmp.Or(err, kept.Close()); err != nil {
		return nil, cmp.Or(err, written.Close())
	}
	return written, nil
}

// oneLine puts an error of several lines on one.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
