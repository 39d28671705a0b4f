package core

import (
	"cmp"
	"math/bits"

	"github.com/everystate/everystate/coordinator/history"
)

// A coordinator works on one run at a time. What follows decides on which, and what
// becomes of the state of a run by what happens to it.

// InQueue is what the queue knows of a run.
type InQueue struct {
	Name      string
	State     history.State
	Submitted int64 // in microseconds of the coordinators' clocks
	Worked    Ticks // for which it has been worked on, ever
}

// SliceTicks is the first slice of a run: the time for which it is worked on before
// another one may come first.
const SliceTicks Ticks = 60_000

// First returns the run that is to be worked on next: of those that are queued the one
// that has had the fewest slices, each of which is as long as all before it together,
// and of those the one that was submitted first. A run that is being worked on is
// that run until one is queued that has had fewer slices. So a small run waits for no
// more than a slice and a layer of each run before it, however long they are, and a run
// changes places with another a few times only. It reports false if there is none.
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

// Reopened returns the state of a run whose coordinator was started again.
func Reopened(s history.State) history.State {
	if s == history.Running || s == history.Waiting {
		return history.Queued
	}
	return s
}

// lossLeases is how many leases the log of a run that nobody works on waits for a worker
// that is away: it may only have been started again.
const lossLeases = 6

// Repeats reports whether a run is to be gone on with that nobody works on, because its
// log has been waiting since then for what a worker had that is away, in a cluster of
// that lease: what it had is made again. Only a run that has come to its end owes this;
// others are seen to when they are resumed.
func Repeats(s history.State, now, since, lease Ticks) bool {
	return s == history.Stopped && now-since > lossLeases*lease
}

// Imported returns the state of a run that was found in the bucket, in the state that
// it had where it was before. An unfinished one is gone on with if it is to be adopted,
// and waits to be resumed otherwise.
func Imported(s history.State, adopt bool) history.State {
	switch {
	case s == history.Stopped || s == history.Cancelled:
		return s
	case adopt && (s == history.Running || s == history.Waiting || s == history.Queued):
		return history.Queued
	}
	return history.Paused
}

// Aside returns the state of a run that nobody works on and that is to be put into a
// state, paused or cancelled: one that has come to its end stays as it is.
func Aside(s, to history.State) history.State {
	if s == history.Stopped || s == history.Cancelled {
		return s
	}
	return to
}

// Resumed returns the state of a run that is to be gone on with. There is nothing to
// do for one that is complete, unless its partitions are to be seen to.
func Resumed(complete, settle bool) history.State {
	if complete && !settle {
		return history.Stopped
	}
	return history.Queued
}
