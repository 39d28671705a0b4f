// Package grading measures all records of a complete sweep, with several workers, and
// stores the measures in its database. It may be interrupted at any time: what is
// stored is not measured again.
package grading

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/pack"
)

// Progress counts the records that are measured, and all. Both are 0 until a first pass has
// counted them.
type Progress struct{ Done, All atomic.Int64 }

// Run measures the records that have no measures. Boards makes their boards. When it
// returns nil, all records have measures.
func Run(ctx context.Context, d *database.Database, boards *pack.Boards, workers int, p *Progress) error {
	p.Done.Store(0)
	p.All.Store(0)
	all := int64(d.Totals().Records)
	done := all
	if err := d.Chunks(func(c *database.Chunk) error {
		done -= int64(len(c.Records))
		return ctx.Err()
	}); err != nil {
		return err
	}
	p.Done.Store(done)
	p.All.Store(all)
	// The database belongs to this goroutine, the measuring to the workers.
	group, some := errgroup.WithContext(ctx)
	chunks, measured := make(chan *database.Chunk), make(chan *database.Chunk)
	for range max(workers, 1) {
		group.Go(func() error {
			var e pack.Explorer
			for c := range chunks {
				if err := measure(some, &e, boards, c); err != nil {
					return err
				}
				select {
				case measured <- c:
				case <-some.Done():
					return some.Err()
				}
			}
			return nil
		})
	}
	waiting := 0
	store := func(c *database.Chunk) error {
		waiting--
		if err := d.Measure(c); err != nil {
			return err
		}
		p.Done.Add(int64(len(c.Records)))
		return nil
	}
	err := d.Chunks(func(c *database.Chunk) error {
		for {
			select {
			case chunks <- c:
				waiting++
				return nil
			case ready := <-measured:
				if err := store(ready); err != nil {
					return err
				}
			case <-some.Done():
				return some.Err()
			}
		}
	})
	close(chunks)
	for err == nil && waiting > 0 {
		select {
		case ready := <-measured:
			err = store(ready)
		case <-some.Done():
			err = some.Err()
		}
	}
	if err != nil {
		// Nobody takes what the workers have: they end with the group's context.
		group.Go(func() error { return err })
	}
	if failed := group.Wait(); failed != nil {
		return failed
	}
	return d.Seal()
}

// measure measures the records of a chunk.
func measure(ctx context.Context, e *pack.Explorer, boards *pack.Boards, c *database.Chunk) error {
	for _, r := range c.Records {
		if err := measureOne(ctx, e, boards, r); err != nil {
			return err
		}
	}
	return nil
}

func measureOne(ctx context.Context, e *pack.Explorer, boards *pack.Boards, r *sweep.Record) error {
	b, err := boards.Board(r)
	if err != nil {
		return err
	}
	m, err := e.Measure(ctx, r, b)
	if err != nil {
		return err
	}
	r.Measures = m.Numbers()
	return nil
}
