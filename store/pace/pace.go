// Package pace bounds how many bytes per second are read in the background. It must never
// know what is read.
package pace

import (
	"context"
	"sync/atomic"
	"time"
)

// Pace is a bound on reading. It belongs to one goroutine, but for Bytes.
type Pace struct {
	perSecond int64
	debt      int64 // bytes read and not yet waited for

	// Bytes counts what was read.
	Bytes atomic.Int64
}

// PerSecond is the usual bound, 4 MiB per second: a terabyte in three days.
const PerSecond = 4 << 20

// New returns a bound on the bytes read per second, which is at least 1.
func New(perSecond int64) *Pace { return &Pace{perSecond: perSecond} }

// leastWait is how much is waited for at once: many small waits would cost more than the
// reading.
const leastWait = 100 * time.Millisecond

// Wait waits as long as reading so many bytes may take, or until ctx ends.
func (p *Pace) Wait(ctx context.Context, bytes int) error {
	p.Bytes.Add(int64(bytes))
	p.debt += int64(bytes)
	d := time.Duration(float64(p.debt) / float64(p.perSecond) * float64(time.Second))
	if d < leastWait {
		return ctx.Err()
	}
	p.debt = 0
	return Sleep(ctx, d)
}

// Sleep waits for a time, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
