package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/picture"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/cmd/everystate/internal/report"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

const exploreHelp = `Explore enumerates every state that can be reached from a board.

FILE is a file with one or more boards, - for standard input, or a board itself.
A run lives in runs/NAME, or where --run says. A run that was stopped goes on
where it was, one that is complete answers at once.

With --bucket it is in a bucket as well, under its name, and can be gone on with
anywhere: resume URL/RUN, or a coordinator with the same bucket.`

const exploreExample = `  everystate explore puzzles/rushhour/jam-93.txt
  everystate explore puzzles/rushhour/jam-93.txt --metric slide --goal-distance
  everystate explore puzzles/tiles/3x3.txt
  everystate explore IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM
  everystate explore big.txt --memory 2G --max-states 100000000
  everystate explore board.txt --puzzle mine.wasm
  everystate explore big.txt --bucket 's3://states?region=eu-central-1'
  everystate explore puzzles/rushhour/*.txt --json > all.jsonl`

// explore holds the flags of the command.
type explore struct {
	effort
	limits
	reading

	dir, bucket string
	partitions  int
	json        bool
}

func exploreCommand(env *app) *cobra.Command {
	var e explore
	cmd := &cobra.Command{
		Use:     "explore FILE...",
		Short:   "Enumerate every state that can be reached from a board",
		Long:    exploreHelp,
		Example: exploreExample,
		Args:    between(1, 1<<20, "FILE..."),
		RunE:    func(cmd *cobra.Command, args []string) error { return runExplore(env, cmd, &e, args) },
	}
	flags := cmd.Flags()
	e.limits.flags(flags)
	e.effort.flags(flags)
	e.reading.flags(flags)
	flags.StringVar(&e.dir, "run", "", "directory `DIR` of the run, for one board (default runs/NAME)")
	flags.StringVar(&e.bucket, "bucket", "", bucketHelp)
	flags.IntVar(&e.partitions, "partitions", 0, fmt.Sprintf("`P` partitions of a new run, a power of two (default %d)", engine.DefaultPartitions))
	flags.BoolVar(&e.json, "json", false, "print one JSON object a board (docs/JSON.md)")
	return cmd
}

func runExplore(env *app, cmd *cobra.Command, e *explore, args []string) error {
	want, err := e.want(cmd)
	if err != nil {
		return err
	}
	opts, err := e.options(cmd, e.partitions)
	if err != nil {
		return err
	}
	if err := cmp.Or(e.check(cmd), checkBucketFlag(cmd, e.bucket)); err != nil {
		return err
	}
	jobs, err := e.jobs(env, cmd, args)
	if err != nil {
		return err
	}
	for i := range jobs {
		jobs[i].name = filepath.Join(runsDir, jobs[i].name)
	}
	if e.dir != "" {
		if len(jobs) > 1 {
			return usagef(cmd, "--run is for one board, and there are %d", len(jobs))
		}
		jobs[0].name = e.dir
	}
	return exploreAll(cmd.Context(), env, e, jobs, opts, want)
}

// exploreAll explores one board after the other. What goes wrong with one does
// not keep the others from being explored, unless they would meet it, too.
func exploreAll(ctx context.Context, env *app, e *explore, jobs []job, opts engine.Options, want history.Want) error {
	var all []engine.Summary
	code := exitComplete
	for i := range jobs {
		s, err := exploreOne(ctx, env, e, &jobs[i], opts, want, len(jobs) > 1)
		if s != nil {
			all = append(all, *s)
		}
		text, c := exitOf(err)
		if text != "" {
			env.complain(text)
		}
		code = worse(code, c)
		if ctx.Err() != nil || store.IsDiskFull(err) {
			break
		}
	}
	if len(jobs) > 1 && !e.json && len(all) > 0 {
		fmt.Fprintln(env.out)
		report.Table(env.out, all, env.paint)
	}
	return said(code)
}

// exploreOne explores one board and reports. The summary is nil if there is
// nothing to report.
func exploreOne(ctx context.Context, env *app, e *explore, j *job, opts engine.Options, want history.Want, oneOfMany bool) (s *engine.Summary, err error) {
	kept, err := keptRun(ctx, j.name, e.bucket)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, kept.Close()) }()
	if err := takeFrom(ctx, env, e, kept, j.name, &j.board, opts); err != nil {
		return nil, err
	}
	r, err := engine.Create(j.name, j.board, keepIn(env, opts, kept))
	if err != nil {
		return nil, explain(env, j.name, err)
	}
	return finish(ctx, env, r, finishing{
		want: want, json: e.json, quiet: e.quiet, brief: oneOfMany, expect: j.board.Expect,
		again: append(e.limits.again(), e.effort.again()...),
	})
}

// announce says what is explored and what was assumed when it was read.
func announce(env *app, r runView, f finishing) error {
	b := r.Board()
	line := fmt.Sprintf("%s (%s, %s): %s\n", nameOf(r), b.Family, b.Metric, b.Note)
	switch {
	case !f.json:
		fmt.Fprint(env.out, line)
		return env.out.flush()
	case !f.quiet:
		fmt.Fprint(env.err, line)
	}
	return nil
}

// finishing says how to go on with an open run to its end.
type finishing struct {
	want               history.Want
	json, quiet, brief bool
	expect             puzzle.Expect
	again              []string
}

// finish explores, closes the run and reports.
func finish(ctx context.Context, env *app, r *engine.Run, f finishing) (*engine.Summary, error) {
	if err := announce(env, r, f); err != nil {
		return nil, cmp.Or(err, r.Close())
	}
	reason, err := goOn(ctx, env, r, f.want, f.quiet, f.again)
	if err != nil && (ctx.Err() == nil || !f.json) {
		return nil, cmp.Or(err, r.Close())
	}
	return conclude(ctx, env, r, f, reason, err)
}

// conclude closes a run that has come as far as it will now, and reports.
// interrupted is why it has not come as far as it was to.
func conclude(ctx context.Context, env *app, r runView, f finishing, reason history.Reason, interrupted error) (*engine.Summary, error) {
	s, err := r.Summary(context.WithoutCancel(ctx))
	layers := layersOf(r)
	if err = cmp.Or(err, r.Close()); err != nil {
		return nil, explain(env, r.Dir(), err)
	}
	if interrupted != nil {
		// All states may be there, but not all that was asked for.
		s.Complete = false
	}
	promise, kept := promised(f.expect, &s)
	if err := writeReport(env, r, &s, layers, f, reason, promise, kept); err != nil {
		return nil, err
	}
	switch {
	case interrupted != nil:
		return &s, interrupted
	case !kept:
		return &s, failf(exitFailed, "%s: promised %s", s.Name, promise)
	case !s.Complete:
		return &s, said(exitIncomplete)
	}
	return &s, nil
}

func writeReport(env *app, r runView, s *engine.Summary, layers []report.Layer, f finishing, reason history.Reason, promise string, kept bool) error {
	full := report.Summary{Summary: *s, Stopped: whyStopped(reason, s), Promise: promise, PromiseKept: kept}
	switch {
	case f.json:
		if err := env.json(s); err != nil {
			return err
		}
	case f.brief:
		state := full.Stopped
		if s.Complete {
			state = "complete"
		}
		fmt.Fprintf(env.out, "  %s to depth %d, %s\n", quantity.Counted(s.States, "state"), s.Depth, state)
	default:
		fmt.Fprintln(env.out)
		cut := report.LayersInBrief(env.out, layers, env.paint)
		fmt.Fprintln(env.out)
		full.Next = next(env, r, s, cut)
		full.Write(env.out, painter(env, r))
	}
	return env.out.flush()
}

func painter(env *app, r runView) picture.Painter { return painterOf(env, r.Board()) }

func painterOf(env *app, b puzzle.Board) picture.Painter {
	return picture.Painter{Paint: env.paint, Goal: picture.GoalSymbol(b.Text)}
}

func layersOf(r runView) []report.Layer {
	var layers []report.Layer
	for _, l := range r.History().Layers(history.Forward) {
		layers = append(layers, report.Layer{States: l.States, Goals: l.Goals})
	}
	return layers
}

// whyStopped says which limit kept a run from being complete.
func whyStopped(reason history.Reason, s *engine.Summary) string {
	switch reason {
	case history.DepthReached:
		return fmt.Sprintf("stopped at depth %d, as asked", s.Depth)
	case history.StatesReached:
		return "stopped at this number, as asked"
	case history.GoalReached:
		return "stopped at a goal, as asked"
	case history.Exhausted, history.CannotGoOn:
	}
	return "not complete"
}

// next returns commands that make sense now.
func next(env *app, r runView, s *engine.Summary, cut bool) []string {
	var next []string
	if !s.Complete {
		next = append(next, env.command("resume", r.Dir()))
	}
	if s.SolutionLength == nil {
		next = append(next, env.command("trace", r.Dir(), "--deepest"))
	} else {
		next = append(next, env.command("trace", r.Dir(), "--first-goal"))
		if s.Complete {
			next = append(next, env.command("hardest", r.Dir()))
		}
	}
	if cut {
		next = append(next, env.command("layers", r.Dir()))
	}
	return next
}

// promised compares a run with what its input promised, as far as the run knows.
func promised(e puzzle.Expect, s *engine.Summary) (text string, kept bool) {
	kept = true
	compare := func(want, got int64, known bool, thing string) {
		if want < 0 || !known {
			return
		}
		part := quantity.Counted(want, thing)
		if want != got {
			kept = false
			found := quantity.Count(got)
			if got < 0 {
				found = "none"
			}
			part += " but found " + found
		}
		if text != "" {
			text += ", "
		}
		text += part
	}
	solution := int64(-1)
	if s.SolutionLength != nil {
		solution = int64(*s.SolutionLength)
	}
	compare(e.States, s.States, s.Complete, "state")
	compare(int64(e.SolutionLength), solution, s.Complete || solution >= 0, "move")
	return text, kept
}
