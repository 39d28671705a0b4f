// Package pulse measures how long a process has stood still: stopped, swapped out, or not
// scheduled by a machine that does something else. It must never take slow work for
// standing still: it only asks whether anything at all was run.
package pulse

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	beat = 100 * time.Millisecond

	// still is how much later than due a beat must come to count. Machines that are merely
	// busy are seldom that late.
	still = 500 * time.Millisecond
)

// Pulse measures. The zero value has measured nothing.
type Pulse struct{ stood atomic.Int64 }

// Stood returns how long the process has stood still in total.
func (p *Pulse) Stood() time.Duration { return time.Duration(p.stood.Load()) }

// Loop measures until ctx ends.
func (p *Pulse) Loop(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			last = p.beat(last, time.Now())
		}
	}
}

// beat notes a beat, given the time of the one before it.
func (p *Pulse) beat(last, now time.Time) time.Time {
	if late := now.Sub(last) - beat; late >= still {
		p.stood.Add(int64(late))
	}
	return now
}
