package core

import (
	"cmp"
	"math/bits"

	"github.com/everystate/everystate/coordinator/history"
)

// A coordinator works on one run at a time. This file decides on which, and how events
// change the state of a run.

// InQueue is what the queue knows of a run.
type InQueue struct {
	Name      string
	State     history.State
	Submitted int64 // in microseconds, by the coordinators' clocks
	Worked    Ticks // time worked on it in total
}

// SliceTicks is the first slice of a run: how long it is worked on before another run
// may come first.
const SliceTicks Ticks = 60_000

// First returns the run to work on next: of the queued runs the one that has had the
// fewest slices, and of those the one submitted first. Each slice of a run is as long as
// all before it together. A run that is being worked on stays first until a run is
// queued that has had fewer slices. So a small run waits for no more than a slice and a
// layer of each run before it, however long they are, and runs change places only a few
// times. It reports false if there is no run.
func First(slice Ticks, runs []InQueue) (name string, ok bool) {
	var first, running InQueue
	for _, r := range runs {
		switch {
		case r.State == history.Running:
			running = r
		case r.State == history.Queued && (!ok || r.before(first, slice)):
			first, ok = r, true
		}
	}
	if running.Name != "" && (!ok || first.slices(slice) >= running.slices(slice)) {
		return running.Name, true
	}
	return first.Name, ok
}

// slices returns how many slices a run has had.
func (r InQueue) slices(slice Ticks) int { return bits.Len64(uint64(max(0, r.Worked) / slice)) }

func (r InQueue) before(other InQueue, slice Ticks) bool {
	return cmp.Or(cmp.Compare(r.slices(slice), other.slices(slice)),
		cmp.Compare(r.Submitted, other.Submitted), cmp.Compare(r.Name, other.Name)) < 0
}

// Reopened returns the state of a run after its coordinator was restarted.
func Reopened(s history.State) history.State {
	if s == history.Running || s == history.Waiting {
		return history.Queued
	}
	return s
}

// lossLeases is how many leases the log of a run that nobody works on waits for a worker
// that is away: it may merely have been restarted.
const lossLeases = 6

// Repeats reports whether a run that nobody works on must be resumed to make again what
// an absent worker had: its log has waited for that worker since the given time. lease
// is the lease of the cluster. This concerns only runs that have come to their end;
// others are dealt with when they are resumed.
func Repeats(s history.State, now, since, lease Ticks) bool {
	return s == history.Stopped && now-since > lossLeases*lease
}

// Imported returns the state of a run found in the bucket, given the state it had there.
// An unfinished run is continued if it is to be adopted, and otherwise waits to be
// resumed.
func Imported(s history.State, adopt bool) history.State {
	switch {
	case s == history.Stopped || s == history.Cancelled:
		return s
	case adopt && (s == history.Running || s == history.Waiting || s == history.Queued):
		return history.Queued
	}
	return history.Paused
}

// Aside returns the state of a run that nobody works on when it is to be paused or
// cancelled: one that has come to its end stays as it is.
func Aside(s, to history.State) history.State {
	if s == history.Stopped || s == history.Cancelled {
		return s
	}
	return to
}

// Resumed returns the state of a run that is to be resumed. A complete run has nothing
// left to do unless its partitions must be settled.
func Resumed(complete, settle bool) history.State {
	if complete && !settle {
		return history.Stopped
	}
	return history.Queued
}
