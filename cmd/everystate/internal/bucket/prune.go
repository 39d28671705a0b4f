package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/store/bucket"
)

// prune holds the flags of the command.
type prune struct {
	olderThan age
	grace     time.Duration

	complete, dryRun, yes, json bool
}

// prunedJSON is described in docs/JSON.md.
type prunedJSON struct {
	Run     string `json:"run"`
	Removed string `json:"removed"` // "garbage" or "run"
	Objects int    `json:"objects"`
	Bytes   int64  `json:"bytes"`
	DryRun  bool   `json:"dry_run"`
}

func pruneCommand(env *shell.Env) *cobra.Command {
	var f prune
	cmd := &cobra.Command{
		Use:   "prune URL[/RUN]",
		Short: "Remove unreferenced objects and old runs from a bucket",
		Long: `Prune removes objects that no run in a bucket refers to: leftovers of abandoned
attempts and of coordinators that were superseded. It is safe while runs are in
progress.

With --older-than it also removes whole runs that have not changed for that long;
with --complete, only complete ones. On a terminal it asks first; elsewhere it
needs --yes.`,
		Example: `  everystate checkpoints prune file:///mnt/bucket --dry-run
  everystate checkpoints prune 's3://states?region=eu-central-1' --older-than 30d --complete --yes`,
		Args: shell.Exactly(1, "URL[/RUN]"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPrune(env, cmd, &f, args[0]) },
	}
	flags := cmd.Flags()
	flags.Var(&f.olderThan, "older-than", "remove runs that have not changed for `TIME`, such as 30d, 12h or 90m")
	flags.BoolVar(&f.complete, "complete", false, "with --older-than: remove complete runs only")
	flags.DurationVar(&f.grace, "grace", time.Hour, "keep objects younger than `TIME`")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be removed, and remove nothing")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per affected run (docs/JSON.md)")
	return cmd
}

func (f *prune) check(cmd *cobra.Command, arg string) error {
	switch {
	case !runs.IsBucketURL(arg):
		return exit.Usagef(cmd, "%q is not a bucket: must be file:///DIR or s3://BUCKET/PREFIX", arg)
	case f.complete && f.olderThan == 0:
		return exit.Usagef(cmd, "--complete needs --older-than TIME")
	case cmd.Flags().Changed("older-than") && f.olderThan <= 0:
		return exit.Usagef(cmd, "--older-than: must be more than 0")
	case f.grace < 0:
		return exit.Usagef(cmd, "--grace %v: must be 0 or more", f.grace)
	}
	return nil
}

func runPrune(env *shell.Env, cmd *cobra.Command, f *prune, arg string) (err error) {
	if err := f.check(cmd, arg); err != nil {
		return err
	}
	ctx := cmd.Context()
	bkt, run, err := inBucket(ctx, arg)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, bkt.Close()) }()
	runs := []*bucket.Run{run}
	if run == nil {
		names, err := bkt.Runs(ctx)
		if err != nil {
			return err
		}
		runs = nil
		for _, name := range names {
			runs = append(runs, bkt.Run(name))
		}
	}
	now := time.Now()
	removed := 0
	for _, run := range runs {
		old, err := isOld(ctx, env, f, run, now)
		if err != nil {
			return err
		}
		var p prunedJSON
		if old {
			p, err = pruneRun(env, cmd, f, run)
		} else {
			p, err = pruneGarbage(ctx, env, f, run, now)
		}
		if err != nil {
			return err
		}
		if p.Objects == 0 {
			continue
		}
		removed++
		if !f.json {
			printPruned(env, p)
		} else if err := env.JSON(p); err != nil {
			return err
		}
	}
	if removed == 0 && !f.json {
		fmt.Fprintf(env.Out, "nothing to remove from %s\n", arg)
	}
	return nil
}

func printPruned(env *shell.Env, p prunedJSON) {
	verb := "removed"
	if p.DryRun {
		verb = "would remove"
	}
	what := "that nothing refers to"
	if p.Removed == "run" {
		what = "the whole run"
	}
	fmt.Fprintf(env.Out, "%s: %s %s, %s, %s\n", p.Run, verb, quantity.Counted(int64(p.Objects), "object"), quantity.Bytes(p.Bytes), what)
}

// isOld reports whether a run is old enough to be removed.
func isOld(ctx context.Context, env *shell.Env, f *prune, run *bucket.Run, now time.Time) (bool, error) {
	if f.olderThan == 0 {
		return false, nil
	}
	_, _, changed, err := run.Usage(ctx)
	if err != nil || now.Sub(changed) < time.Duration(f.olderThan) {
		return false, err
	}
	if !f.complete {
		return true, nil
	}
	stored, err := engine.ReadStored(ctx, run, env.WarnOfBucket)
	if err != nil {
		return false, err
	}
	return stored.Counts().Complete, nil
}

func pruneRun(env *shell.Env, cmd *cobra.Command, f *prune, run *bucket.Run) (p prunedJSON, err error) {
	p = prunedJSON{Run: run.URL(), Removed: "run", DryRun: f.dryRun}
	if p.Objects, p.Bytes, _, err = run.Usage(cmd.Context()); err != nil || f.dryRun {
		return p, err
	}
	if !f.yes {
		if err := shell.Confirm(env, cmd, run.URL()); err != nil {
			return p, err
		}
	}
	p.Objects, err = run.Delete(cmd.Context())
	return p, err
}

func pruneGarbage(ctx context.Context, env *shell.Env, f *prune, run *bucket.Run, now time.Time) (p prunedJSON, err error) {
	p = prunedJSON{Run: run.URL(), Removed: "garbage", DryRun: f.dryRun}
	stored, err := engine.ReadStored(ctx, run, env.WarnOfBucket)
	if err != nil {
		return p, err
	}
	garbage, err := stored.Garbage(ctx, now.Add(-f.grace))
	if err != nil {
		return p, err
	}
	if !f.dryRun {
		p.Objects, p.Bytes, err = stored.Remove(ctx, garbage)
		return p, err
	}
	p.Objects = len(garbage)
	for _, o := range garbage {
		p.Bytes += o.Bytes
	}
	return p, nil
}

// age is a duration on the command line, which may be in days.
type age time.Duration

// String formats the duration as Set reads it.
func (d *age) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

// Set parses a duration.
func (d *age) Set(text string) error {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 || n > 36500 {
			return errors.New("must be a time such as 30d, 12h or 90m")
		}
		*d = age(n * 24 * float64(time.Hour))
		return nil
	}
	t, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("must be a time such as 30d, 12h or 90m")
	}
	*d = age(t)
	return nil
}

// Type returns the name of the type in help texts.
func (d *age) Type() string { return "TIME" }
