package exchange

import (
	"context"
	"sync"
	"time"
)

// Current holds what is in force, and lets others wait for what follows. The zero value
// holds nothing. It is safe for concurrent use.
type Current[T any] struct {
	mu      sync.Mutex // guards the fields below
	value   *T
	changed chan struct{} // closed when the value changes, nil if nobody waits for that
}

// Set puts a value in force, or nothing if it is nil.
func (c *Current[T]) Set(value *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.value = value
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Get returns what is in force, nil if nothing is.
func (c *Current[T]) Get() *T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value
}

func (c *Current[T]) next() (*T, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.value, c.changed
}

// Await returns the first value that will do, or what is in force when the patience is
// over or ctx ends.
func (c *Current[T]) Await(ctx context.Context, patience time.Duration, will func(*T) bool) *T {
	value, changed := c.next()
	if value != nil && will(value) {
		return value
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		select {
		case <-changed:
		case <-over.C:
			return value
		case <-ctx.Done():
			return value
		}
		if value, changed = c.next(); value != nil && will(value) {
			return value
		}
	}
}
