package server

import (
	"context"
	"errors"
	"sync"

	"github.com/everystate/everystate/store/bucket"
)

// buckets opens the buckets that orders name, and keeps them open. It is safe for
// concurrent use.
type buckets struct {
	opener func(ctx context.Context, url string) (*bucket.Bucket, error)

	mu   sync.Mutex // guards open
	open map[string]*bucket.Bucket
}

func newBuckets(opener func(ctx context.Context, url string) (*bucket.Bucket, error)) *buckets {
	return &buckets{opener: opener, open: make(map[string]*bucket.Bucket)}
}

// run returns a run in a bucket, by its URL.
func (b *buckets) run(ctx context.Context, url string) (*bucket.Run, error) {
	bkt, name, err := bucket.SplitRun(url)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.open[bkt]
	if open == nil {
		// The bucket outlives the call that needs it first.
		if open, err = b.opener(context.WithoutCancel(ctx), bkt); err != nil {
			return nil, err
		}
		b.open[bkt] = open
	}
	return open.Run(name), nil
}

func (b *buckets) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, open := range b.open {
		errs = append(errs, open.Close())
	}
	clear(b.open)
	return errors.Join(errs...)
}
