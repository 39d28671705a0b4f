package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/plan"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/terminal/summary"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store/naming"
)

// submit holds the flags of the command.
type submit struct {
	at     runs.CoordinatorFlag
	limits runs.Limits
	read   boards.Reading
	keep   runs.KeepFlag

	name, store       string
	partitions        int
	wait, json, quiet bool
}

// SubmitCommand is `everystate submit`.
func SubmitCommand(env *shell.Env) *cobra.Command {
	var f submit
	cmd := &cobra.Command{
		Use:   "submit FILE...",
		Short: "Submit boards to a coordinator",
		Long: `Submit puts the boards in FILE in the queue of a coordinator, whose workers explore
them one after another. FILE is what explore takes. Submitting the same board again
resumes its run.

With --wait it shows progress and then prints what explore prints. Ctrl-C stops
waiting; the run continues.`,
		Example: `  everystate submit puzzles/rushhour/jam-93.txt --coordinator 127.0.0.1:7000
  everystate submit big.txt --goal-distance --wait --json`,
		Args: shell.Between(1, 1<<20, "FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error { return runSubmit(env, cmd, &f, args) },
	}
	flags := cmd.Flags()
	f.at.Flags(flags)
	f.limits.Flags(flags)
	f.read.Flags(flags)
	flags.StringVar(&f.name, "name", "", "`NAME` of the run, for a single board (default: the board's, or the file's)")
	shell.IntVar(flags, &f.partitions, "partitions", 0, "number `P` of partitions of a new run, a power of two (default: enough for the connected workers)")
	f.keep.Flag(cmd)
	flags.StringVar(&f.store, "store", "", "how a new run keeps its states: `STORE` layers, table (two bits per state, at one worker if it fits there, otherwise divided among all) or auto (default auto)")
	shell.Complete(cmd, "store", cobra.ShellCompDirectiveNoFileComp, storeWords)
	flags.BoolVar(&f.wait, "wait", false, "wait until the run stops, then print what explore prints")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per board (docs/JSON.md)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	return cmd
}

func runSubmit(env *shell.Env, cmd *cobra.Command, f *submit, args []string) error {
	want, err := f.limits.Want(cmd)
	if err != nil {
		return err
	}
	addr, err := f.at.Address(cmd)
	if err != nil {
		return err
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	jobs, err := f.read.Jobs(env, cmd, args)
	if err != nil {
		return err
	}
	if f.name != "" {
		if len(jobs) > 1 {
			return exit.Usagef(cmd, "--name works for one board only, and there are %d", len(jobs))
		}
		jobs[0].Name = f.name
	}
	err = runs.WithClient(env, addr, func(c *client.Client) error { return submitTo(env, cmd, c, f, jobs, want) })
	if err != nil || !f.wait {
		return err
	}
	return waitForAll(env, cmd, addr, f, jobs)
}

// check refuses early what the coordinator would refuse.
func (f *submit) check(cmd *cobra.Command) error {
	if err := f.read.Check(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("partitions") {
		if err := partition.Check(f.partitions); err != nil {
			return exit.Usagef(cmd, "%v", err)
		}
	}
	if cmd.Flags().Changed("store") && !slices.Contains(storeWords(), f.store) {
		return exit.Usagef(cmd, "--store %q: must be layers, table or auto%s", f.store, shell.Meant(f.store, storeWords()))
	}
	if cmd.Flags().Changed("name") {
		if err := naming.CheckRun(f.name); err != nil {
			return exit.Usagef(cmd, "--name: %v", err)
		}
	}
	return nil
}

// storeWords returns the values of --store.
func storeWords() []string { return []string{"layers", "table", "auto"} }

func submitTo(env *shell.Env, cmd *cobra.Command, c *client.Client, f *submit, jobs []boards.Job, want history.Want) error {
	type sized struct {
		job          *boards.Job
		goalDistance bool
	}
	var fresh []sized // without states or a limit
	for i := range jobs {
		b := &jobs[i].Board
		want := want.For(b.Puzzle, &history.History{})
		if err := f.keep.Refuse(want); err != nil {
			return err
		}
		spec := history.Spec{
			Family: b.Family, Name: b.Name, Metric: b.Metric, Text: b.Text, Partitions: f.partitions,
			Module: wasm.ModuleOf(b.Puzzle), Above: b.Above,
		}
		if f.keep.Keep != nil {
			spec.Keep = *f.keep.Keep
		}
		switch f.store {
		case "", "auto":
			spec.Store = history.AnyStore
		case "table":
			spec.Store = history.Table
		}
		if err := cmp.Or(frontier.Check(spec, b.Puzzle), frontier.Refuses(spec, want)); err != nil {
			return exit.Errorf(exit.Usage, "%v", err)
		}
		s, err := c.Submit(cmd.Context(), jobs[i].Name, spec, want)
		at := runs.Remote{Addr: c.Addr(), Name: jobs[i].Name}
		switch {
		case errors.Is(err, client.ErrOtherPuzzle):
			return exit.Errorf(exit.Usage, "%s is a run of a different board, in another metric or with another number of partitions: choose another name with --name NAME", at)
		case err != nil:
			return runs.RemoteError(err)
		}
		if want.MaxDepth == nil && want.MaxStates == 0 && !want.StopAtGoal && s.States == 0 {
			fresh = append(fresh, sized{&jobs[i], want.GoalDistance})
		}
		switch {
		case f.wait:
			continue
		case f.json:
			if err := env.JSON(runs.StatusJSONOf(c.Addr(), &s)); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(env.Out, "%s (%s, %s): %s\n", b.Name, b.Family, b.Metric, b.Note)
		fmt.Fprintf(env.Out, "%s is %s\n\nnext  %s\n", at, runs.DescribeStatus(&s), env.Command("watch", at.String()))
	}
	if err := env.Out.Flush(); err != nil {
		return err
	}
	// An estimate takes half a second, in which the runs begin.
	for _, run := range fresh {
		plan.WarnOfSize(cmd.Context(), env, c, run.job, run.goalDistance)
	}
	return nil
}

// waitForAll waits for one run after the other, the order in which they are worked on.
func waitForAll(env *shell.Env, cmd *cobra.Command, addr string, f *submit, jobs []boards.Job) error {
	var all []engine.Summary
	code := exit.Complete
	for i := range jobs {
		s, err := runs.Watch(cmd.Context(), env, runs.Remote{Addr: addr, Name: jobs[i].Name}, runs.Finishing{
			JSON: f.json, Quiet: f.quiet, Brief: len(jobs) > 1, Expect: jobs[i].Board.Expect,
		})
		if s != nil {
			all = append(all, *s)
		}
		code = exit.Worse(code, env.Report(err))
		if cmd.Context().Err() != nil {
			break
		}
	}
	if len(jobs) > 1 && !f.json && len(all) > 0 {
		fmt.Fprintln(env.Out)
		summary.Table(env.Out, all, env.Paint)
	}
	return exit.Reported(code)
}
