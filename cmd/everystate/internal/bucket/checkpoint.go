// Package bucket implements the commands that move runs between directories and
// buckets, and that list and prune buckets.
package bucket

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/display"
)

// checkpointJSON is described in docs/JSON.md.
type checkpointJSON struct {
	Run     string `json:"run"`
	Bucket  string `json:"bucket"`
	Entries int    `json:"entries"`
	Layers  int    `json:"layers"`
	States  int64  `json:"states"`
}

// CheckpointCommand returns `everystate checkpoint`.
func CheckpointCommand(env *shell.Env) *cobra.Command {
	var bucket string
	var quiet, asJSON bool
	cmd := &cobra.Command{
		Use:   "checkpoint RUN",
		Short: "Copy a run to its bucket now",
		Long: `Checkpoint copies to a bucket whatever it lacks of a run in a directory; from then on
the run is kept in the bucket too. It compares the objects in the bucket with the
bucket's log, and writes lost ones again. If interrupted, the same command
continues.

For a run on a coordinator, HOST:PORT/NAME, it waits until the coordinator's bucket
has everything that is committed now, and has been compared with its log; workers
write lost objects again.`,
		Example: `  everystate checkpoint jam-93 --bucket file:///mnt/bucket
  everystate checkpoint 10.0.0.1:7000/jam-93`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, away := runs.RemoteName(args[0])
			var err error
			var done checkpointJSON
			switch {
			case away && bucket != "":
				return exit.Usagef(cmd, "--bucket works only for runs in directories: the bucket of %s is set by its coordinator", at)
			case away:
				done, err = checkpointRemote(cmd.Context(), env, at, quiet)
			case runs.IsBucketURL(args[0]):
				return exit.Usagef(cmd, "%s is already in a bucket", args[0])
			case cmd.Flags().Changed("bucket") && !runs.IsBucketURL(bucket):
				return exit.Usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX", bucket)
			default:
				done, err = checkpointDir(env, cmd, args[0], bucket, quiet)
			}
			switch {
			case err != nil:
				return err
			case asJSON:
				return env.JSON(done)
			}
			fmt.Fprintf(env.Out, "%s has %s of %s in %s\n", done.Bucket, quantity.Counted(done.States, "state"), done.Run, quantity.Counted(int64(done.Layers), "layer"))
			return nil
		},
	}
	cmd.Flags().StringVar(&bucket, "bucket", "", "the bucket at `URL`: file:///DIR or s3://BUCKET/PREFIX (default: the run's bucket)")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// checkpointDir copies a run in a directory to a bucket.
func checkpointDir(env *shell.Env, cmd *cobra.Command, arg, flag string, quiet bool) (done checkpointJSON, err error) {
	ctx := cmd.Context()
	dir, err := runs.Find(arg)
	if err != nil {
		return done, err
	}
	kept, err := runs.KeptRun(ctx, dir, flag)
	if err != nil {
		return done, err
	}
	if kept == nil {
		return done, exit.Usagef(cmd, "%s is not in a bucket: name one with --bucket URL", dir)
	}
	defer func() { err = cmp.Or(err, kept.Close()) }()
	r, err := engine.Open(dir, runs.KeepIn(env, engine.Options{ReadOnly: true}, kept))
	if err != nil {
		return done, runs.Explain(env, dir, err)
	}
	shown := env.Show(quiet, &display.Upload{Run: r.Dir(), Bucket: kept.URL(), Paint: env.ErrTerm.Paint(), Progress: r.Progress})
	_, err = r.Checkpoint(ctx)
	shown.Stop()
	if err = cmp.Or(err, r.Close()); err != nil {
		if ctx.Err() != nil {
			return done, exit.Errorf(exit.Incomplete, "stopped; the same command copies the rest to %s", kept.URL())
		}
		return done, runs.Explain(env, dir, err)
	}
	stored, err := engine.ReadStored(ctx, kept.Run, env.WarnOfBucket)
	if err != nil {
		return done, err
	}
	return whatIsThere(dir, kept.URL(), stored.Entries, &stored.History), nil
}

func whatIsThere(run, bucket string, entries journal.Entries, h *history.History) checkpointJSON {
	return checkpointJSON{
		Run: run, Bucket: bucket, Entries: len(entries),
		Layers: len(h.Layers(history.Forward)) + len(h.Layers(history.Goal)), States: h.States(history.Forward),
	}
}

// checkpointRemote waits until a coordinator's bucket has what a run has now.
func checkpointRemote(ctx context.Context, env *shell.Env, at runs.Remote, quiet bool) (done checkpointJSON, err error) {
	err = runs.WithClient(env, at.Addr, func(c *client.Client) error {
		view := &display.Steps{Phase: "checkpoint", Title: "copying to the bucket", Run: at.String(), Paint: env.ErrTerm.Paint()}
		shown := env.Show(quiet, view)
		s, err := awaitBucket(ctx, env, c, at, view)
		shown.Stop()
		if err != nil {
			return err
		}
		r, err := c.Open(ctx, at.Name)
		if err != nil {
			return runs.RemoteError(err)
		}
		entries := journal.Entries(r.Journal())
		entries = entries[:min(len(entries), s.DurableEntries)]
		_, past, err := journal.Read(entries)
		done = whatIsThere(at.String(), s.Bucket, entries, &past)
		return err
	})
	return done, err
}

// awaitBucket waits until the bucket has the entries that the run has now, and a look
// at the bucket that began after that has found all that they name.
func awaitBucket(ctx context.Context, env *shell.Env, c *client.Client, at runs.Remote, view *display.Steps) (client.Status, error) {
	want, looks, told := -1, -1, ""
	var pace runs.Pace
	for {
		s, _, err := c.Get(ctx, at.Name)
		if want < 0 && err == nil {
			want = s.Entries
		}
		if err == nil && looks < 0 && s.DurableEntries >= want {
			s, err = c.Look(ctx, at.Name)
			looks = s.BucketLooks
		}
		if err != nil {
			return s, runs.RemoteError(err)
		}
		view.At(s.BucketTrouble, float64(min(s.DurableEntries, want))/float64(max(want, 1)))
		switch {
		case s.Bucket == "":
			return s, exit.Errorf(exit.Failed, "%s is not in a bucket: its coordinator has none (coordinator --bucket URL), or has not resumed the run since it started", at)
		case s.DurableEntries >= want && looks >= 0 && s.BucketLooks > looks && s.BucketLost == 0 && s.BucketTrouble != "":
			return s, exit.Errorf(exit.Failed, "%s: the bucket has lost part of the log: %s", at, s.BucketTrouble)
		case s.DurableEntries >= want && (looks < 0 || s.BucketLooks > looks && s.BucketLost == 0):
			return s, nil
		case s.State == client.Failed:
			err = exit.Errorf(runs.FailureCode(&s), "%s failed: %s", at, s.Failure)
			return s, err
		case s.BucketTrouble != "" && s.BucketTrouble != told:
			told = s.BucketTrouble
			env.WarnOfBucket("waiting for the bucket: " + told)
		}
		select {
		case <-pace.After():
		case <-ctx.Done():
			return s, exit.Errorf(exit.Incomplete, "stopped; the bucket has %d of %d entries, and the coordinator continues to upload the rest", s.DurableEntries, want)
		}
	}
}
