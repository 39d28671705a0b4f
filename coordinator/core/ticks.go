package core

// Ticks measure time, which only a driver knows: a tick is a millisecond. As a moment
// they count from when the driver began.
type Ticks int64

// An attempt that failed by nobody's fault is made again after retryFirst, and twice
// as late each time that the run has not got on in between.
const (
	retryFirst Ticks = 50
	retryMax   Ticks = 5000
)

// backOff is how long to wait after so many failures in a row.
func backOff(failures int) Ticks { return min(retryFirst<<min(failures-1, 16), retryMax) }

// retry is how an attempt that was interrupted is made again.
type retry struct {
	failures    int    // since the run last got on
	due         bool   // the driver has been asked to say when it is time
	interrupted uint32 // the epoch of the attempt that is to be made again
}

// interrupted has an attempt made again after a while. What fails in the meantime is
// made again with it.
func (c *Core) interrupted(ev Failed) []Effect {
	c.retry.interrupted = ev.Epoch
	if c.retry.due {
		return nil
	}
	c.retry.due = true
	c.retry.failures++
	return []Effect{Retry{Worker: ev.Worker, After: backOff(c.retry.failures), Err: ev.Err}}
}

// retried gives the interrupted attempt up and begins another one, unless that has
// happened or its layer is being recorded.
func (c *Core) retried() ([]Effect, error) {
	if !c.retry.due {
		return nil, errNotRetrying
	}
	c.retry.due = false
	if c.recording() || c.retry.interrupted != c.epoch {
		return nil, nil
	}
	return append(c.abandon(), c.next()...), nil
}
