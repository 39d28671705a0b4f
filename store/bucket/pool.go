package bucket

import (
	"context"
	"errors"
	"sync"
)

// A Pool opens the buckets named by URLs of runs, and keeps them open. It is safe for
// concurrent use.
type Pool struct {
	opener func(ctx context.Context, url string) (*Bucket, error)

	mu   sync.Mutex // guards open
	open map[string]*Bucket
}

// NewPool returns a pool that opens buckets with a function.
func NewPool(opener func(ctx context.Context, url string) (*Bucket, error)) *Pool {
	return &Pool{opener: opener, open: make(map[string]*Bucket)}
}

// Run returns a run in a bucket, by its URL.
func (b *Pool) Run(ctx context.Context, url string) (*Run, error) {
	bkt, name, err := SplitRun(url)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.open[bkt]
	if open == nil {
		// The bucket outlives the call that first needs it.
		if open, err = b.opener(context.WithoutCancel(ctx), bkt); err != nil {
			return nil, err
		}
		b.open[bkt] = open
	}
	return open.Run(name), nil
}

// Close closes the buckets, which must no longer be in use.
func (b *Pool) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, open := range b.open {
		errs = append(errs, open.Close())
	}
	clear(b.open)
	return errors.Join(errs...)
}
