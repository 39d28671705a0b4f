package core

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Roster decides which workers are present. Like [Core] it performs no I/O and knows no
// time but what it is told. It is owned by one goroutine.
//
// A worker is present from its call until its lease has expired without another call. Of
// two processes with the same name, the one that came later is the worker: its disk can
// only be a copy, or taken over from a machine that was believed dead.
type Roster struct {
	opts    RosterOptions
	workers map[string]*Presence
	newest  Ticks // when a worker came last
}

// RosterOptions configures how patient a roster is.
type RosterOptions struct {
	// LeaseTicks is how long a worker counts as present after a call.
	LeaseTicks Ticks

	// SettleTicks is how long no worker may have come before a new run begins: its
	// partitions stay with the workers present then.
	SettleTicks Ticks
}

const (
	// WorkersMax bounds the workers that are remembered. It exceeds the number that can
	// have partitions.
	WorkersMax = 4096

	// forgetTicks is how long a worker that is gone and keeps nothing is remembered.
	forgetTicks Ticks = 10 * 60 * 1000

	// endedMax bounds the earlier processes remembered of a worker, the latest ones.
	endedMax = 16
)

// Presence is what is known of a worker.
type Presence struct {
	Present     bool
	Draining    bool   // it wants to leave
	Incarnation uint64 // identifies its process
	LastCall    Ticks
	ended       []uint64 // earlier processes
}

// Call is what a worker reports about itself in a call.
type Call struct {
	Worker      string
	Incarnation uint64
	Draining    bool
}

// Arrival is what a call means. Left happened before the others.
type Arrival struct {
	Left      bool // its previous process had wanted to leave, and has
	Came      bool // the worker was not there
	Restarted bool // the worker was there, in another process
	Leaves    bool // it was there, and wants to leave from now on
}

var (
	// ErrOvertaken reports that a process that began later has the worker's name.
	ErrOvertaken = errors.New("another process works under the name")

	// ErrFull reports that there are too many workers.
	ErrFull = fmt.Errorf("there are already %d workers", WorkersMax)
)

// NewRoster returns a roster without workers.
func NewRoster(opts RosterOptions) *Roster {
	return &Roster{opts: opts, workers: make(map[string]*Presence), newest: math.MinInt64 / 2}
}

// Call notes a worker's call. If it returns ErrOvertaken or ErrFull, nothing is noted.
func (r *Roster) Call(now Ticks, c Call) (Arrival, error) {
	w := r.workers[c.Worker]
	switch {
	case w == nil && len(r.workers) >= WorkersMax:
		return Arrival{}, ErrFull
	case w != nil && slices.Contains(w.ended, c.Incarnation):
		return Arrival{}, ErrOvertaken
	case w == nil:
		w = &Presence{Incarnation: c.Incarnation}
		r.workers[c.Worker] = w
	}
	var a Arrival
	if other := w.Incarnation != c.Incarnation; other {
		w.ended = append(w.ended[max(0, len(w.ended)-endedMax+1):], w.Incarnation)
		a.Left = w.Present && w.Draining
		a.Restarted = w.Present && !w.Draining
	}
	a.Came = !w.Present || a.Left
	a.Leaves = !a.Came && c.Draining && !w.Draining
	if a.Came {
		r.newest = now
	}
	w.Present, w.Draining, w.Incarnation, w.LastCall = true, c.Draining, c.Incarnation, now
	return a, nil
}

// Leave notes that a worker is gone.
func (r *Roster) Leave(worker string) {
	if w := r.workers[worker]; w != nil {
		w.Present = false
	}
}

// Tick returns the workers whose leases have expired, which are gone from now on.
// Workers that have been gone for long are forgotten, unless they keep partitions.
func (r *Roster) Tick(now Ticks, keeps func(worker string) bool) (lost, forgotten []string) {
	for _, name := range slices.Sorted(maps.Keys(r.workers)) {
		switch w := r.workers[name]; {
		case w.Present && now-w.LastCall > r.opts.LeaseTicks:
			w.Present = false
			lost = append(lost, name)
		case !w.Present && now-w.LastCall > forgetTicks && !keeps(name):
			delete(r.workers, name)
			forgotten = append(forgotten, name)
		}
	}
	return lost, forgotten
}

// Of returns what is known of a worker, the zero Presence if it has never called.
func (r *Roster) Of(worker string) Presence {
	if w := r.workers[worker]; w != nil {
		return *w
	}
	return Presence{}
}

// GivenUp reports whether a worker is absent and not expected: its lease has expired, or
// it has not called within a lease since the roster began.
func (r *Roster) GivenUp(now Ticks, worker string) bool {
	if w := r.workers[worker]; w != nil {
		return !w.Present
	}
	return r.Heard(now)
}

// Heard reports whether every worker that is there has had time for a call: a lease's,
// since the roster began.
func (r *Roster) Heard(now Ticks) bool { return now > r.opts.LeaseTicks }

// Present returns the workers that are there, by name.
func (r *Roster) Present() []string {
	var names []string
	for name, w := range r.workers {
		if w.Present {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Available returns the workers that can be given work, by name.
func (r *Roster) Available() []string {
	return slices.DeleteFunc(r.Present(), func(name string) bool { return r.workers[name].Draining })
}

// Settled reports whether there are workers, none of which came within SettleTicks.
func (r *Roster) Settled(now Ticks) bool {
	return now-r.newest >= r.opts.SettleTicks && len(r.Available()) > 0
}
