package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/display"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store/bucket"
)

const (
	bucketHelp = "keep the run in the bucket at `URL` as well, file:///DIR or s3://BUCKET/PREFIX; none for no more"
	noBucket   = "none"
)

// isBucketURL reports whether an argument names something in a bucket.
func isBucketURL(arg string) bool {
	return strings.HasPrefix(arg, "file://") || strings.HasPrefix(arg, "s3://")
}

// openBucket opens the bucket of a flag.
func openBucket(cmd *cobra.Command, url string) (*bucket.Bucket, error) {
	if !isBucketURL(url) {
		return nil, usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX", url)
	}
	b, err := bucket.Open(cmd.Context(), url)
	switch {
	case err == nil:
		return b, nil
	case bucket.Retryable(err):
		return nil, failf(exitFailed, "%v", err)
	}
	return nil, failf(exitUsage, "%v", err)
}

// checkBucketFlag looks at what can be said of a --bucket before it is opened.
func checkBucketFlag(cmd *cobra.Command, flag string) error {
	if cmd.Flags().Changed("bucket") && flag != noBucket && !isBucketURL(flag) {
		return usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX, or none", flag)
	}
	return nil
}

// A bucketRun is a run in an open bucket.
type bucketRun struct {
	*bucket.Run
	bucket *bucket.Bucket
}

// Close closes the bucket; of no run that is nothing.
func (r *bucketRun) Close() error {
	if r == nil {
		return nil
	}
	return r.bucket.Close()
}

// openBucketRun opens the run of a URL, which need not exist. The bucket has to, if
// it is a directory: asking makes none.
func openBucketRun(ctx context.Context, runURL string) (*bucketRun, error) {
	bucketURL, name, err := bucket.SplitRun(runURL)
	if err != nil {
		return nil, failf(exitUsage, "%q names no run in a bucket: file:///DIR/RUN or s3://BUCKET/PREFIX/RUN", runURL)
	}
	bkt, err := openExisting(ctx, bucketURL)
	if err != nil {
		return nil, err
	}
	return &bucketRun{bkt.Run(name), bkt}, nil
}

// openExisting opens a bucket that is there.
func openExisting(ctx context.Context, bucketURL string) (*bucket.Bucket, error) {
	u, err := url.Parse(bucketURL)
	switch {
	case err != nil:
	case u.Scheme == "s3" && u.Host == "":
		return nil, failf(exitUsage, "%s: there is no bucket in it: s3://BUCKET/PREFIX", bucketURL)
	case u.Scheme == "file":
		if info, err := os.Stat(filepath.FromSlash(u.Path)); err != nil || !info.IsDir() {
			return nil, failf(exitUsage, "%s: there is neither a bucket nor a run: no such directory", bucketURL)
		}
	}
	b, err := bucket.Open(ctx, bucketURL)
	if err != nil {
		return nil, failf(exitFailed, "%v", err)
	}
	return b, nil
}

// keptRun opens the run in a bucket in which a directory is kept: in that of the
// flag under the directory's name, else where it was before. It returns nil if
// that is nowhere.
func keptRun(ctx context.Context, dir, flag string) (*bucketRun, error) {
	switch flag {
	case noBucket:
		return nil, engine.Forget(dir)
	case "":
		runURL, err := engine.KeptIn(dir)
		if err != nil || runURL == "" {
			return nil, err
		}
		r, err := openBucketRun(ctx, runURL)
		if err != nil {
			text, code := exitOf(err)
			return nil, failf(code, "%s (the run is kept there; --bucket none goes on without)", text)
		}
		return r, nil
	}
	name, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	bkt, err := bucket.Open(ctx, flag)
	if err != nil {
		return nil, failf(exitFailed, "%v", err)
	}
	return &bucketRun{bkt.Run(filepath.Base(name)), bkt}, nil
}

// keepIn has a run be kept in a bucket, if there is one.
func keepIn(env *app, opts engine.Options, r *bucketRun) engine.Options {
	if r != nil {
		opts.Bucket = r.Run
		opts.BucketTrouble = env.warnOfBucket
	}
	return opts
}

// warnOfBucket tells people of a bucket that does not answer. On a terminal the
// display does.
func (env *app) warnOfBucket(text string) {
	if !env.errTerm.is() {
		fmt.Fprintf(env.err, "everystate: %s\n", text)
	}
}

// readStored reads a run of a bucket, which has to be there.
func readStored(ctx context.Context, env *app, r *bucketRun) (*engine.Stored, error) {
	stored, err := engine.ReadStored(ctx, r.Run, env.warnOfBucket)
	if err != nil || len(stored.Entries) > 0 {
		return stored, err
	}
	names, err := r.bucket.Runs(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, failf(exitUsage, "there is no run %q in %s, and no other", r.Name(), r.bucket.URL())
	}
	return nil, failf(exitUsage, "there is no run %q in %s: it holds %s", r.Name(), r.bucket.URL(), enumerate(names))
}

// fetchStored makes a run directory of a run in a bucket, or goes on with making
// it.
func fetchStored(ctx context.Context, env *app, stored *engine.Stored, dir string, quiet bool, opts engine.Options) error {
	view := &display.Verification{
		Run: stored.Run.URL(), Paint: env.errTerm.paint(), Fetching: true,
		States: stored.History.States(history.Forward) + stored.History.States(history.Goal),
	}
	shown := env.show(quiet, view)
	err := engine.Rebuild(ctx, dir, stored.Entries, stored, opts, view.Done.Store)
	shown.Stop()
	return explainFetch(env, dir, stored.Run.URL(), err)
}

// explainFetch says what to do about an error of fetching a run from a bucket.
func explainFetch(env *app, dir, runURL string, err error) error {
	var space *engine.SpaceError
	switch {
	case errors.As(err, &space):
		return failf(exitFailed, "%s has %s free, and to fetch %s takes about %s: name a directory on a larger disk",
			dir, quantity.Bytes(space.FreeBytes), runURL, quantity.Bytes(space.NeedBytes))
	case errors.Is(err, engine.ErrOtherRun):
		return failf(exitUsage, "%s holds another run than %s, or one that has gone on by itself: name another directory", dir, runURL)
	case errors.Is(err, context.Canceled):
		return failf(exitIncomplete, "stopped; the same command goes on fetching %s", runURL)
	}
	return explain(env, dir, err)
}

// takeFrom makes the directory of a board's run out of what the bucket has of it,
// if it has it and the directory is not there.
func takeFrom(ctx context.Context, env *app, e *explore, r *bucketRun, dir string, board *puzzle.Board, opts engine.Options) error {
	if r == nil || isRun(dir) {
		return nil
	}
	stored, err := engine.ReadStored(ctx, r.Run, env.warnOfBucket)
	if err != nil || len(stored.Entries) == 0 {
		return err
	}
	s := &stored.Spec
	switch {
	case s.Text != board.Text || s.Metric != board.Metric || s.Family != board.Family:
		return otherInBucket(r.URL())
	case e.partitions != 0 && e.partitions != s.Partitions:
		return failf(exitUsage, "%s has %d partitions, and that cannot be changed: leave --partitions %d out, or name another run with --run DIR",
			r.URL(), s.Partitions, e.partitions)
	}
	return fetchStored(ctx, env, stored, dir, e.quiet, opts)
}

func otherInBucket(runURL string) error {
	return failf(exitUsage, "%s is the run of another puzzle: name another one with --run DIR", runURL)
}

// explainBucket puts an error of a bucket into words that say what to do, or
// returns nil if it is of another kind.
func explainBucket(env *app, dir string, err error) error {
	var elsewhere *engine.ElsewhereError
	var failed *engine.BucketError
	switch {
	case errors.As(err, &failed):
		return &exitError{code: exitFailed, text: fmt.Sprintf("%v: see to the bucket, then %s", failed, env.command("resume", dir)), cause: err}
	case errors.As(err, &elsewhere):
		do := fmt.Sprintf("to go on with what the bucket has: %s; to go on here without it: %s",
			env.command("resume", elsewhere.URL, "--run", dir+"-2"), env.command("resume", dir, "--bucket", noBucket))
		return &exitError{code: exitFailed, text: fmt.Sprintf("%v; %s", elsewhere, do), cause: err}
	case errors.Is(err, engine.ErrOtherInBucket), errors.Is(err, engine.ErrOtherRun):
		return &exitError{code: exitUsage, text: fmt.Sprintf("%v: name another run with --run DIR", err), cause: err}
	}
	return nil
}
