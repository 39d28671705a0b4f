package node

import (
	"context"
	"errors"
	"sync"

	"github.com/everystate/everystate/checkpoint"
)

// buckets opens the buckets that orders name, and keeps them open. It is safe for
// concurrent use.
type buckets struct {
	mu   sync.Mutex // guards open
	open map[string]*checkpoint.Bucket
}

func newBuckets() *buckets { return &buckets{open: make(map[string]*checkpoint.Bucket)} }

// run returns a run in a bucket, by its URL.
func (b *buckets) run(ctx context.Context, url string) (*checkpoint.Run, error) {
	bucket, name, err := checkpoint.SplitRun(url)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.open[bucket]
	if open == nil {
		// The bucket outlives the call that needs it first.
		if open, err = checkpoint.Open(context.WithoutCancel(ctx), bucket); err != nil {
			return nil, err
		}
		b.open[bucket] = open
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
