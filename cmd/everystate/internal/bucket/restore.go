package bucket

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
)

// restore holds the flags of the command.
type restore struct {
	at          int // the last layer to restore, less than 0 for all
	quiet, json bool
}

// RestoreCommand returns `everystate restore`.
func RestoreCommand(env *shell.Env) *cobra.Command {
	f := restore{at: -1}
	cmd := &cobra.Command{
		Use:   "restore RUN DIR",
		Short: "Restore a run from a bucket or a coordinator into a directory",
		Long: `Restore copies a run from a bucket, URL/RUN, or from a coordinator, HOST:PORT/NAME,
into a new run directory, verifying everything it reads. The run itself is not
affected, whoever may be working on it: the copy is for queries. If interrupted, the
same command continues. If the disk is too small, nothing is fetched.

A run that keeps a table on a cluster becomes one that keeps every layer. If workers
divide the table and the run comes from a coordinator, its layers are made again here,
which takes up to half of this machine's memory.

To continue exploring a run from a bucket, use resume URL/RUN.`,
		Example: `  everystate restore 's3://states/jam-93?region=eu-central-1' /data/jam-93
  everystate restore file:///mnt/bucket/jam-93 /tmp/early --at 40
  everystate restore 10.0.0.1:7000/jam-93 /data/jam-93`,
		Args: shell.Exactly(2, "RUN and DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(env, cmd, args[0], args[1]) },
	}
	shell.IntVar(cmd.Flags(), &f.at, "at", -1, "restore the run as it was after the layer at depth `D` (default: all of it)")
	cmd.Flags().Lookup("at").DefValue = "0" // hides it
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

func (f *restore) run(env *shell.Env, cmd *cobra.Command, from, dir string) error {
	at, away := runs.RemoteName(from)
	switch {
	case cmd.Flags().Changed("at") && f.at < 0:
		return exit.Usagef(cmd, "--at %d: must be 0 or more", f.at)
	case !away && !runs.IsBucketURL(from):
		return exit.Usagef(cmd, "%q is neither a run in a bucket, file:///DIR/RUN or s3://BUCKET/PREFIX/RUN, nor one on a coordinator, HOST:PORT/NAME", from)
	case runs.IsBucketURL(dir):
		return exit.Usagef(cmd, "%s is not a directory", dir)
	}
	fetch := func() (string, error) { return f.fromBucket(cmd.Context(), env, from, dir) }
	if away {
		fetch = func() (string, error) { return f.fromCoordinator(cmd.Context(), env, at, dir) }
	}
	name, err := fetch()
	if err != nil {
		return err
	}
	s, err := runs.SummaryOfDir(cmd.Context(), dir)
	switch {
	case err != nil:
		return runs.Explain(env, dir, err)
	case f.json:
		return env.JSON(s)
	}
	fmt.Fprintf(env.Out, "%s now has %s to depth %d, from %s\n", dir, quantity.Counted(s.States, "state"), s.Depth, name)
	return nil
}

// fromBucket fetches a run from a bucket, and returns its name.
func (f *restore) fromBucket(ctx context.Context, env *shell.Env, runURL, dir string) (name string, err error) {
	r, err := runs.OpenBucketRun(ctx, runURL)
	if err != nil {
		return "", err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	stored, err := runs.ReadStored(ctx, env, r)
	if err != nil {
		return "", err
	}
	if f.at >= 0 {
		if err := f.there(r.URL(), &stored.History); err != nil {
			return "", err
		}
		if err := stored.Cut(f.at + 1); err != nil {
			return "", err
		}
	}
	return r.URL(), runs.FetchStored(ctx, env, stored, dir, f.quiet, engine.Options{})
}

// fromCoordinator fetches a run from the workers of a coordinator, and returns its name.
func (f *restore) fromCoordinator(ctx context.Context, env *shell.Env, at runs.Remote, dir string) (name string, err error) {
	r, err := runs.OpenRemote(ctx, env, at)
	if err != nil {
		return "", err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	entries := journal.Entries(r.Journal())
	if f.at >= 0 {
		if err := f.there(r.Dir(), r.History()); err != nil {
			return "", err
		}
		if entries, err = journal.FirstLayers(entries, f.at+1); err != nil {
			return "", err
		}
	}
	return r.Dir(), runs.FetchRemote(ctx, env, r, entries, dir, f.quiet)
}

// there checks that a run can be restored as it was after the layer of --at.
func (f *restore) there(run string, h *history.History) error {
	have := len(h.Layers(history.Forward))
	if f.at >= have {
		return exit.Errorf(exit.Usage, "--at %d: %s has layers to depth %d", f.at, run, have-1)
	}
	if n := h.DroppedLayers(); n > 0 && f.at < have-1 {
		return exit.Errorf(exit.Usage, "--at %d: %s has dropped %d layers (--keep frontier), and can be restored as a whole only", f.at, run, n)
	}
	return nil
}
