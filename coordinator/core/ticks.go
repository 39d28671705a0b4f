package core

// Ticks measure time, which only a driver knows: a tick is a millisecond. A moment is
// counted from when the driver began.
type Ticks int64

// An attempt that failed through no worker's fault is made again after retryFirst. The
// delay doubles, up to retryMax, with each failure until the run makes progress.
const (
	retryFirst Ticks = 50
	retryMax   Ticks = 5000
)

// backOff returns how long to wait after that many failures in a row.
func backOff(failures int) Ticks { return min(retryFirst<<min(failures-1, 16), retryMax) }

// retry tracks how an interrupted attempt is made again.
type retry struct {
	failures    int    // since the run last made progress
	due         bool   // the driver has been asked to report when the delay is over
	interrupted uint32 // the epoch of the attempt to make again
}

// interrupted schedules the attempt to be made again. Failures in the meantime are
// covered by the same retry.
func (c *Core) interrupted(ev Failed) []Effect {
	c.retry.interrupted = ev.Epoch
	if c.retry.due {
		return nil
	}
	c.retry.due = true
	c.retry.failures++
	return []Effect{Retry{Worker: ev.Worker, After: backOff(c.retry.failures), Err: ev.Err}}
}

// retried gives the interrupted attempt up and begins another, unless that has already
// happened or its layer is being recorded.
func (c *Core) retried() ([]Effect, error) {
	if !c.retry.due {
		return nil, errNotRetrying
	}
	c.retry.due = false
	if c.recording() || c.retry.interrupted != c.attempt.Epoch {
		return nil, nil
	}
	return append(c.abandon(), c.next()...), nil
}
