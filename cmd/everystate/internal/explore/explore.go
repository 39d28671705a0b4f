// Package explore has the commands that start, resume, list and verify runs.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/terminal/summary"
	"github.com/everystate/everystate/puzzle"
)

// takeFrom restores the directory of a board's run from the bucket, if the bucket has
// the run and the directory is missing.
func takeFrom(ctx context.Context, env *shell.Env, e *explore, r *runs.BucketRun, dir string, board *puzzle.Board, opts engine.Options) error {
	if r == nil || engine.IsRun(dir) {
		return nil
	}
	stored, err := engine.ReadStored(ctx, r.Run, env.WarnOfBucket)
	if err != nil || len(stored.Entries) == 0 {
		return err
	}
	s := &stored.Spec
	if s.Text != board.Text || s.Metric != board.Metric || s.Family != board.Family {
		return otherInBucket(r.URL())
	}
	if err := e.checkPartitions(r.URL(), s.Partitions); err != nil {
		return err
	}
	if err := runs.CheckStored(env, stored, dir); err != nil {
		return err
	}
	return runs.FetchStored(ctx, env, stored, dir, e.Quiet, opts)
}

// checkPartitions refuses to change the number of partitions of a run.
func (e *explore) checkPartitions(run string, partitions int) error {
	if e.partitions == 0 || e.partitions == partitions {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s has %d partitions, which cannot be changed: leave out --partitions %d, or choose another directory with --run DIR",
		run, partitions, e.partitions)
}

func otherInBucket(runURL string) error {
	return exit.Errorf(exit.Usage, "%s", runs.OtherBoard(runURL))
}

const exploreHelp = `Explore enumerates every state that can be reached from a board.

FILE is a file of one or more boards, - for standard input, or a board itself. The
result is a run, the directory runs/NAME or the one that --run names. Kill it any
time: the same command resumes it. If the run is complete, explore prints its results
at once.

With --keep frontier a run drops the states of each layer as soon as no later layer
needs them, so the disk holds only the widest layers; counts and digests stay. It works
for puzzles whose moves can be undone, or whose states all have paths of one length.

With --bucket the run is also kept in a bucket, so it survives machine loss and can be
resumed anywhere: with resume URL/RUN, or by a coordinator with the same bucket.`

const exploreExample = `  everystate explore puzzles/rushhour/jam-93.txt
  everystate explore puzzles/rushhour/jam-93.txt --metric slide --goal-distance
  everystate explore puzzles/tiles/3x3.txt
  everystate explore IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM
  everystate explore big.txt --memory 2G --max-states 100000000
  everystate explore big.txt --keep frontier
  everystate explore board.txt --puzzle mine.wasm
  everystate explore big.txt --bucket 's3://states?region=eu-central-1'
  everystate explore puzzles/rushhour/*.txt --json > all.jsonl`

// explore holds the flags of the command.
type explore struct {
	runs.Effort
	runs.Limits
	boards.Reading

	dir, bucket string
	partitions  int
	store       storeFlag
	keep        runs.KeepFlag
	json        bool
}

// Command is `everystate explore`.
func Command(env *shell.Env) *cobra.Command {
	var e explore
	cmd := &cobra.Command{
		Use:     "explore FILE...",
		Short:   "Enumerate every state that can be reached from a board",
		Long:    exploreHelp,
		Example: exploreExample,
		Args:    shell.Between(1, 1<<20, "FILE..."),
		RunE:    func(cmd *cobra.Command, args []string) error { return runExplore(env, cmd, &e, args) },
	}
	flags := cmd.Flags()
	e.Limits.Flags(flags)
	e.Effort.Flags(flags)
	e.Reading.Flags(flags)
	flags.Var((*shell.Directory)(&e.dir), "run", "directory `DIR` of the run, for a single board (default: runs/NAME)")
	flags.StringVar(&e.bucket, "bucket", "", runs.BucketHelp)
	shell.IntVar(flags, &e.partitions, "partitions", 0, fmt.Sprintf("number `P` of partitions of a new run, a power of two (default %d)", engine.DefaultPartitions))
	e.store.choice = engine.StoreAuto
	flags.Var(&e.store, "store", "how a new run stores its states: `STORE` layers, table (two bits per state, for puzzles whose states can be numbered densely) or auto")
	shell.Choices(flags, "store", "layers", "table", "auto")
	e.keep.Flag(cmd)
	flags.BoolVar(&e.json, "json", false, "print one JSON object per board (docs/JSON.md)")
	return cmd
}

func runExplore(env *shell.Env, cmd *cobra.Command, e *explore, args []string) error {
	want, err := e.Want(cmd)
	if err != nil {
		return err
	}
	opts, err := e.Options(cmd, e.partitions)
	if err != nil {
		return err
	}
	opts.Store, opts.Keep = e.store.choice, e.keep.Keep
	if err := cmp.Or(e.Check(cmd), runs.CheckBucketFlag(cmd, e.bucket)); err != nil {
		return err
	}
	jobs, err := e.Jobs(env, cmd, args)
	if err != nil {
		if run, missing := runs.Find(args[0]); missing == nil && len(args) == 1 && !isFile(args[0]) {
			return exit.Errorf(exit.Usage, "%s is a run, not a board: `%s` continues it", args[0], env.Command("resume", run))
		}
		return err
	}
	for i := range jobs {
		jobs[i].Name = filepath.Join(runs.Dir, jobs[i].Name)
	}
	if e.dir != "" {
		if len(jobs) > 1 {
			return exit.Usagef(cmd, "--run works for one board only, and there are %d", len(jobs))
		}
		jobs[0].Name = e.dir
	}
	return exploreAll(cmd.Context(), env, e, jobs, opts, want)
}

// isFile reports whether there is a file, not a directory, of that name.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// exploreAll explores one board after the other. An error with one does not keep the
// others from being explored, unless they would meet it, too.
func exploreAll(ctx context.Context, env *shell.Env, e *explore, jobs []boards.Job, opts engine.Options, want history.Want) error {
	var all []engine.Summary
	code := exit.Complete
	for i := range jobs {
		s, err := exploreOne(ctx, env, e, &jobs[i], opts, want, len(jobs) > 1)
		if s != nil {
			all = append(all, *s)
		}
		code = exit.Worse(code, env.Report(err))
		if ctx.Err() != nil || engine.IsDiskFull(err) {
			break
		}
	}
	if len(jobs) > 1 && !e.json && len(all) > 0 {
		fmt.Fprintln(env.Out)
		summary.Table(env.Out, all, env.Paint)
	}
	return exit.Reported(code)
}

// exploreOne explores one board and reports. The summary is nil if there is nothing to
// report.
func exploreOne(ctx context.Context, env *shell.Env, e *explore, j *boards.Job, opts engine.Options, want history.Want, oneOfMany bool) (s *engine.Summary, err error) {
	if err := e.keep.Refuse(want.For(j.Board.Puzzle, &history.History{})); err != nil {
		return nil, err
	}
	kept, err := runs.KeptRun(ctx, j.Name, e.bucket)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, kept.Close()) }()
	if err := takeFrom(ctx, env, e, kept, j.Name, &j.Board, opts); err != nil {
		return nil, err
	}
	opts.GoalDistance = want.GoalDistance
	r, err := runs.Prepare(ctx, env, j.Board.Name, e.Quiet, runs.KeepIn(env, opts, kept), func(opts engine.Options) (*engine.Run, error) {
		return engine.Create(j.Name, j.Board, opts)
	})
	if err != nil {
		return nil, runs.Explain(env, j.Name, err)
	}
	if err := e.checkPartitions(j.Name, engine.PartitionsOf(r)); err != nil {
		return nil, cmp.Or(r.Close(), err)
	}
	return runs.Finish(ctx, env, r, runs.Finishing{
		Want: want, JSON: e.json, Quiet: e.Quiet, Brief: oneOfMany, Expect: j.Board.Expect,
		Again: append(e.Limits.Again(), e.Effort.Again()...),
	})
}
