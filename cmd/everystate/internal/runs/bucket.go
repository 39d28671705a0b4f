package runs

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/store/bucket"
)

const (
	BucketHelp = "also keep the run in the bucket at `URL`, file:///DIR or s3://BUCKET/PREFIX; none detaches it"
	noBucket   = "none"
)

// IsBucketURL reports whether an argument names something in a bucket.
func IsBucketURL(arg string) bool {
	return strings.HasPrefix(arg, "file://") || strings.HasPrefix(arg, "s3://")
}

// OpenBucket opens the bucket of a --bucket flag.
func OpenBucket(cmd *cobra.Command, url string) (*bucket.Bucket, error) {
	if !IsBucketURL(url) {
		return nil, exit.Usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX", url)
	}
	return open(cmd.Context(), url)
}

// open opens a bucket. If that fails, somebody has to change something, such as the URL or
// the credentials (exit code 2), unless the bucket merely does not answer.
func open(ctx context.Context, url string) (*bucket.Bucket, error) {
	b, err := bucket.Open(ctx, url)
	switch {
	case err == nil:
		return b, nil
	case bucket.Retryable(err), ctx.Err() != nil:
		return nil, exit.Errorf(exit.Failed, "%v", err)
	}
	return nil, exit.Errorf(exit.Usage, "%v", err)
}

// openForRun is open for what is about runs: there a directory that cannot be used is an
// error of the machine.
func openForRun(ctx context.Context, url string) (*bucket.Bucket, error) {
	b, err := open(ctx, url)
	if err != nil && strings.HasPrefix(url, "file:") {
		return nil, exit.Errorf(exit.Failed, "%v", err)
	}
	return b, err
}

// CheckBucketFlag checks what can be checked of a --bucket flag before the bucket
// is opened.
func CheckBucketFlag(cmd *cobra.Command, flag string) error {
	if cmd.Flags().Changed("bucket") && flag != noBucket && !IsBucketURL(flag) {
		return exit.Usagef(cmd, "--bucket %q: must be file:///DIR or s3://BUCKET/PREFIX, or none", flag)
	}
	return nil
}

// A BucketRun is a run in an open bucket.
type BucketRun struct {
	*bucket.Run
	bucket *bucket.Bucket
}

// Close closes the bucket. It does nothing if r is nil.
func (r *BucketRun) Close() error {
	if r == nil {
		return nil
	}
	return r.bucket.Close()
}

// OpenBucketRun opens the run of a URL, which need not exist. A bucket that is a
// directory must exist: opening does not make it.
func OpenBucketRun(ctx context.Context, runURL string) (*BucketRun, error) {
	bucketURL, name, err := bucket.SplitRun(runURL)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%q is not a run in a bucket: must be file:///DIR/RUN or s3://BUCKET/PREFIX/RUN", runURL)
	}
	bkt, err := OpenExisting(ctx, bucketURL)
	if err != nil {
		return nil, err
	}
	return &BucketRun{bkt.Run(name), bkt}, nil
}

// OpenExisting opens an existing bucket.
func OpenExisting(ctx context.Context, bucketURL string) (*bucket.Bucket, error) {
	u, err := url.Parse(bucketURL)
	switch {
	case err != nil:
	case u.Scheme == "s3" && u.Host == "":
		return nil, exit.Errorf(exit.Usage, "%s: names no bucket: must be s3://BUCKET/PREFIX", bucketURL)
	case u.Scheme == "file":
		if info, err := os.Stat(filepath.FromSlash(u.Path)); err != nil || !info.IsDir() {
			return nil, exit.Errorf(exit.Usage, "%s: no bucket or run there: no such directory", bucketURL)
		}
	}
	return openForRun(ctx, bucketURL)
}

// KeptRun opens the run in a bucket in which a directory is kept: in the bucket of
// the flag under the directory's name, else where it was kept before. It returns
// nil if it is kept in none.
func KeptRun(ctx context.Context, dir, flag string) (*BucketRun, error) {
	switch flag {
	case noBucket:
		return nil, engine.Forget(dir)
	case "":
		runURL, err := engine.BucketURL(dir)
		if err != nil || runURL == "" {
			return nil, err
		}
		r, err := OpenBucketRun(ctx, runURL)
		if err != nil {
			text, code := exit.Of(err)
			return nil, exit.Errorf(code, "%s (the run is also kept there; --bucket none detaches it)", text)
		}
		return r, nil
	}
	name, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	bkt, err := openForRun(ctx, flag)
	if err != nil {
		return nil, err
	}
	return &BucketRun{bkt.Run(filepath.Base(name)), bkt}, nil
}

// KeepIn adds the bucket in which a run is to be kept to opts, if there is one.
func KeepIn(env *shell.Env, opts engine.Options, r *BucketRun) engine.Options {
	if r != nil {
		opts.Bucket = r.Run
		opts.BucketTrouble = env.WarnOfBucket
	}
	return opts
}

// ReadStored reads a run in a bucket, which must exist.
func ReadStored(ctx context.Context, env *shell.Env, r *BucketRun) (*engine.Stored, error) {
	stored, err := engine.ReadStored(ctx, r.Run, env.WarnOfBucket)
	if err != nil || len(stored.Entries) > 0 {
		return stored, err
	}
	if held := runsIn(ctx, r.URL()); len(held) > 0 {
		return nil, exit.Errorf(exit.Usage, "%s is a bucket, not a run in one: it holds %s", r.URL(), Enumerate(held))
	}
	names, err := r.bucket.Runs(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, exit.Errorf(exit.Usage, "there is no run %q in %s, nor any other", r.Name(), r.bucket.URL())
	}
	return nil, exit.Errorf(exit.Usage, "there is no run %q in %s: it holds %s", r.Name(), r.bucket.URL(), Enumerate(names))
}

// runsIn returns the runs in the bucket at a URL, none if it cannot be read.
func runsIn(ctx context.Context, bucketURL string) []string {
	b, err := OpenExisting(ctx, bucketURL)
	if err != nil {
		return nil
	}
	names, err := b.Runs(ctx)
	if cerr := b.Close(); err != nil || cerr != nil {
		return nil
	}
	return names
}

// CheckStored refuses a run in a bucket that cannot be continued in a directory.
func CheckStored(env *shell.Env, stored *engine.Stored, dir string) error {
	if stored.Spec.Store != history.DividedTable {
		return nil
	}
	url := stored.Run.URL()
	return exit.Errorf(exit.Usage, "%s divides a table among workers, and can be continued on a cluster only: resume it on a coordinator with this bucket, or copy it with: %s",
		url, env.Command("restore", url, dir))
}

// explainBucket turns an error of a bucket into one that says what to do, or
// returns nil if it is of another kind.
func explainBucket(env *shell.Env, dir string, err error) error {
	var elsewhere *engine.ElsewhereError
	var failed *engine.BucketError
	var lost *engine.LostError
	switch {
	case errors.As(err, &lost):
		do := fmt.Sprintf("put the object back from a copy of the bucket, or make the rest again without the bucket: %s", env.Command("resume", dir, "--bucket", noBucket))
		return &exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%v; %s", lost, do), Cause: err}
	case errors.As(err, &failed):
		return &exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%v: fix the bucket, then %s", failed, env.Command("resume", dir)), Cause: err}
	case errors.As(err, &elsewhere):
		do := fmt.Sprintf("to continue from the bucket: %s; to continue here without it: %s",
			env.Command("resume", elsewhere.URL, "--run", dir+"-2"), env.Command("resume", dir, "--bucket", noBucket))
		return &exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%v; %s", elsewhere, do), Cause: err}
	case errors.Is(err, divided.ErrOnCluster):
		return &exit.Error{Code: exit.Usage, Text: err.Error(), Cause: err}
	case errors.Is(err, engine.ErrOtherInBucket), errors.Is(err, engine.ErrOtherRun):
		return &exit.Error{Code: exit.Usage, Text: fmt.Sprintf("%v: choose another name with --run DIR", err), Cause: err}
	}
	return nil
}
