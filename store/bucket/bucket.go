package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/store/naming"
)

// requestsAtOnceMax bounds the requests that one call has under way.
const requestsAtOnceMax = 16

// A Bucket holds runs. It is safe for concurrent use.
type Bucket struct {
	backend backend
	url     string // canonical
	base    string // url without its query, and a slash; prefix of object names in errors
}

// Open opens the bucket of a URL:
//
//	file:///path                     a directory, which is made if it is missing
//	s3://bucket/prefix?region=...    a bucket of S3, or what is under prefix in it
//
// The query of an s3 URL may hold parameters such as region, profile, and the
// endpoint of another server; openS3 lists them all, with the defaults. Credentials
// come from the environment or the files of the AWS tools. Open returns an error if
// the bucket cannot be reached.
func Open(ctx context.Context, bucketURL string) (*Bucket, error) {
	u, err := parseURL(bucketURL)
	if err != nil {
		return nil, err
	}
	var b backend
	switch u.Scheme {
	case "file":
		b, err = openFiles(u)
	case "s3":
		b, err = openS3(ctx, u)
	default:
		err = errors.New("a bucket's URL begins with file:// or s3://")
	}
	if err != nil {
		return nil, fail(shown(u), "open", err)
	}
	return newBucket(b, u), nil
}

// newBucket returns a bucket for u, which the backend has made canonical, and owns u.
func newBucket(b backend, u *url.URL) *Bucket {
	return &Bucket{backend: b, url: u.String(), base: shown(u) + "/"}
}

// shown returns a URL as errors show it, without its query.
func shown(u *url.URL) string {
	return strings.TrimSuffix((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), "/")
}

// Close releases the bucket, which must no longer be in use.
func (b *Bucket) Close() error {
	return fail(strings.TrimSuffix(b.base, "/"), "close", b.backend.close())
}

// URL returns the bucket's URL in the form that Open takes, without credentials.
func (b *Bucket) URL() string { return b.url }

// Runs returns the names of the runs, sorted. It lists only the top of the bucket and
// asks for entry 0 of each run.
func (b *Bucket) Runs(ctx context.Context) ([]string, error) {
	dirs, err := b.backend.dirs(ctx)
	if err != nil {
		return nil, fail(strings.TrimSuffix(b.base, "/"), "list", err)
	}
	dirs = slices.DeleteFunc(dirs, func(name string) bool { return !naming.IsRun(name) })
	slices.Sort(dirs)
	is := make([]bool, len(dirs))
	err = each(ctx, len(dirs), func(ctx context.Context, i int) error {
		_, err := b.Run(dirs[i]).Stat(ctx, entryKey(0))
		is[i] = err == nil
		if errors.Is(err, ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	runs := make([]string, 0, len(dirs))
	for i, name := range dirs {
		if is[i] {
			runs = append(runs, name)
		}
	}
	return runs, nil
}

// Run returns the run of a name, whether or not it exists. A name has letters, digits,
// '-', '_' and '.', at most 128 of them, and does not begin with a dot. Every call on a
// run with an invalid name returns an error.
func (b *Bucket) Run(name string) *Run {
	return &Run{bucket: b, name: name, bad: naming.CheckRun(name)}
}

// A Run is a run of a bucket, which may not exist yet. It is safe for concurrent use.
type Run struct {
	bucket *Bucket
	name   string
	bad    error // why the name is invalid, or nil

	listed atomic.Bool // Append has seen that the log has no hole
}

// Name returns the run's name.
func (r *Run) Name() string { return r.name }

// URL returns the run's URL, which SplitRun splits.
func (r *Run) URL() string {
	u, err := url.Parse(r.bucket.url)
	if err != nil {
		panic(fmt.Sprintf("canonical URL %q: %v", r.bucket.url, err))
	}
	return u.JoinPath(r.name).String()
}

func (r *Run) key(object string) string   { return r.name + "/" + object }
func (r *Run) where(object string) string { return r.bucket.base + r.name + "/" + object }

// fail returns err with the operation and the object, or the run if object is empty.
func (r *Run) fail(op, object string, err error) error {
	return fail(strings.TrimSuffix(r.where(object), "/"), op, err)
}

// Stat returns the size of an object, or ErrNotExist.
func (r *Run) Stat(ctx context.Context, object string) (bytes int64, err error) {
	if r.bad != nil {
		return 0, r.bad
	}
	o, err := r.bucket.backend.stat(ctx, r.key(object))
	return o.bytes, r.fail("stat", object, err)
}

// each calls f with 0 to n-1, some concurrently, and returns the first error after all
// calls have returned. That error cancels the context of the others.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	group, some := errgroup.WithContext(ctx)
	group.SetLimit(requestsAtOnceMax)
	for i := range n {
		if some.Err() != nil {
			break
		}
		group.Go(func() error { return f(some, i) })
	}
	return cmp.Or(group.Wait(), ctx.Err())
}
