// Package ahead runs what a worker does in the background while it makes layers: it gets
// partitions that it is to have soon. It must never know what a partition is, nor decide
// when one moves.
package ahead

import (
	"context"
	"time"
)

// Got is how many layers of each phase a worker has of the partitions with a number.
type Got struct {
	Number        uint64
	Forward, Goal int
}

// Work is the work on the partitions with one number. One goroutine uses it.
type Work struct {
	number uint64
	tried  Got // the last time
	cancel context.CancelFunc
	done   chan struct{} // closed when nothing is under way
	ended  func()        // called behind that
}

// New returns the work on the partitions with a number, which has not begun. Whenever
// something ends that was begun, and more may be begun, ended is called.
func New(number uint64, ended func()) *Work {
	w := &Work{number: number, cancel: func() {}, done: make(chan struct{}), ended: ended}
	close(w.done)
	return w
}

// Is reports whether it is the work on the partitions with a number.
func (w *Work) Is(number uint64) bool { return w != nil && w.number == number }

// Begin runs fetch in a goroutine, until it succeeds or has failed too often, unless it is
// still running, or was begun for as many layers; then is called unless the work has been
// stopped. wait returns how long to wait after so many failures.
func (w *Work) Begin(ctx context.Context, forward, goal int, wait func(failures int) time.Duration, fetch func(context.Context) error, then func(Got, error)) {
	select {
	case <-w.done:
	default:
		return
	}
	got := Got{w.number, forward, goal}
	if got == w.tried {
		return
	}
	w.tried = got
	w.cancel()
	ctx, w.cancel = context.WithCancel(ctx)
	done := make(chan struct{})
	w.done = done
	go func() {
		defer w.ended()
		defer close(done)
		if err := try(ctx, wait, fetch); ctx.Err() == nil {
			then(got, err)
		}
	}()
}

// triesMax is how often something is tried: for some seconds, in which a worker that was
// restarted can be reached again.
const triesMax = 8

// try tries something until it succeeds, it has failed too often, or ctx ends.
func try(ctx context.Context, wait func(failures int) time.Duration, something func(context.Context) error) error {
	for failures := 0; ; {
		err := something(ctx)
		if failures++; err == nil || failures == triesMax || ctx.Err() != nil {
			return err
		}
		timer := time.NewTimer(wait(failures - 1))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// Stop cancels what is under way and waits for it, or until failed is closed: then it may
// be parked for good.
func (w *Work) Stop(failed <-chan struct{}) {
	w.cancel()
	select {
	case <-w.done:
	case <-failed:
	}
}
