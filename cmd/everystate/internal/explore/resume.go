package explore

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
)

// resume holds the flags of the command.
type resume struct {
	runs.Effort
	runs.Limits
	json, wait  bool
	dir, bucket string
}

// ResumeCommand is `everystate resume`.
func ResumeCommand(env *shell.Env) *cobra.Command {
	var f resume
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Resume a run that was stopped",
		Long: `Resume continues a run from its last layer, with the workers and memory given now. If
the run is complete, it prints the results at once.

A run in a bucket is first restored into a directory, and both are kept up to date
from then on. If another process is still working on the run, that process notices and
stops (docs/CLUSTER.md).

A run on a coordinator is put back in its queue; --wait waits for it.

If no limit is given, a run in a bucket or on a coordinator keeps its limits if it was
paused, cancelled or interrupted; if it has reached one, it continues without limits.`,
		Example: `  everystate resume runs/huge-8x8
  everystate resume huge-8x8 --goal-distance --memory 4G
  everystate resume 's3://states/huge-8x8?region=eu-central-1'
  everystate resume 127.0.0.1:7000/huge-8x8 --wait`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runResume(env, cmd, &f, args[0]) },
	}
	f.Limits.Flags(cmd.Flags())
	f.Effort.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	cmd.Flags().Var((*shell.Directory)(&f.dir), "run", "for a run in a bucket: restore into directory `DIR` (default: runs/NAME)")
	cmd.Flags().StringVar(&f.bucket, "bucket", "", runs.BucketHelp)
	cmd.Flags().BoolVar(&f.wait, "wait", false, "for a run on a coordinator: wait until it stops, then print what explore prints")
	return cmd
}

func runResume(env *shell.Env, cmd *cobra.Command, f *resume, arg string) error {
	want, err := f.Want(cmd)
	if err != nil {
		return err
	}
	opts, err := f.Options(cmd, 0)
	if err != nil {
		return err
	}
	if err := runs.CheckBucketFlag(cmd, f.bucket); err != nil {
		return err
	}
	stored := runs.IsBucketURL(arg)
	if f.dir != "" && !stored {
		return exit.Usagef(cmd, "--run works only for runs in buckets: %s is a directory already", arg)
	}
	if at, ok := runs.RemoteName(arg); ok {
		if f.bucket != "" {
			return exit.Usagef(cmd, "--bucket works only for runs in directories: the bucket of %s is set by its coordinator", at)
		}
		return resumeRemote(env, cmd, f, at, want)
	}
	switch {
	case f.wait:
		return exit.Usagef(cmd, "--wait works only for runs on a coordinator, HOST:PORT/NAME")
	case stored && f.bucket != "":
		return exit.Usagef(cmd, "--bucket works only for runs in directories: %s already names its bucket", arg)
	case stored:
		return resumeStored(env, cmd, f, arg, opts, want)
	}
	dir, err := runs.Find(arg)
	if err != nil {
		return err
	}
	kept, err := runs.KeptRun(cmd.Context(), dir, f.bucket)
	if err != nil {
		return err
	}
	return cmp.Or(resumeIn(env, cmd, f, dir, runs.KeepIn(env, opts, kept), want), kept.Close())
}

// resumeIn resumes the run in a directory.
func resumeIn(env *shell.Env, cmd *cobra.Command, f *resume, dir string, opts engine.Options, want history.Want) error {
	opts.GoalDistance = want.GoalDistance
	r, err := runs.OpenDir(cmd.Context(), env, dir, f.Quiet, opts)
	if err != nil {
		return runs.Explain(env, dir, err)
	}
	_, err = runs.Finish(cmd.Context(), env, r, runs.Finishing{
		Want: want, JSON: f.json, Quiet: f.Quiet, Expect: puzzle.ExpectNothing(),
		Again: append(f.Limits.Again(), f.Effort.Again()...),
	})
	return err
}

// resumeStored resumes a run in a bucket, in a directory.
func resumeStored(env *shell.Env, cmd *cobra.Command, f *resume, runURL string, opts engine.Options, want history.Want) (err error) {
	kept, err := runs.OpenBucketRun(cmd.Context(), runURL)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, kept.Close()) }()
	stored, err := runs.ReadStored(cmd.Context(), env, kept)
	if err != nil {
		return err
	}
	dir := cmp.Or(f.dir, filepath.Join(runs.Dir, kept.Name()))
	if err := runs.CheckStored(env, stored, dir); err != nil {
		return err
	}
	c, known, err := stored.Control(cmd.Context())
	if err != nil {
		return err
	}
	goalDistance := want.GoalDistance || known && c.Want.GoalDistance
	if known && len(f.Limits.Again()) == 0 {
		want = c.Want.Resumed(c.State)
	}
	want.GoalDistance = goalDistance
	if !engine.IsRun(dir) {
		if err := runs.FetchStored(cmd.Context(), env, stored, dir, f.Quiet, opts); err != nil {
			return err
		}
	}
	return resumeIn(env, cmd, f, dir, runs.KeepIn(env, opts, kept), want)
}

// resumeRemote puts a run back in the queue of its coordinator. The flags say how far to
// go; without them, history.Want.Resumed does.
func resumeRemote(env *shell.Env, cmd *cobra.Command, f *resume, at runs.Remote, want history.Want) error {
	if f.Workers != 0 || f.Memory != 0 {
		return exit.Usagef(cmd, "--workers and --memory work only for runs in directories: %s is on a coordinator", at)
	}
	err := runs.WithClient(env, at.Addr, func(c *client.Client) error {
		var asked *history.Want // nil leaves it to the coordinator, which looks into its bucket first
		if len(f.Limits.Again()) > 0 {
			asked = &want
		}
		s, err := c.Resume(cmd.Context(), at.Name, asked)
		if err != nil {
			return runs.RemoteError(err)
		}
		switch {
		case f.wait:
			return nil
		case f.json:
			return env.JSON(runs.StatusJSONOf(at.Addr, &s))
		}
		fmt.Fprintf(env.Out, "%s is %s\n", at, runs.DescribeStatus(&s))
		return nil
	})
	if err != nil || !f.wait {
		return err
	}
	_, err = runs.Watch(cmd.Context(), env, at, runs.Finishing{JSON: f.json, Quiet: f.Quiet, Expect: puzzle.ExpectNothing()})
	return err
}
