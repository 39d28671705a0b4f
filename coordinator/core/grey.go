package core

import (
	"cmp"
	"maps"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// Grey finds a worker that calls the coordinator as if all were well, but that cannot
// reach others or be reached by them: with it, no layer would ever be made. The zero
// value has heard of no failure. It is owned by one goroutine.
type Grey struct {
	begun  Ticks // when the first entry of heard arrived
	heard  map[link]map[uint32]bool
	out    map[history.WorkerID]Ticks // when each worker left out is tried again
	before map[history.WorkerID]int   // how often each has been left out
}

// greyAttempts is the number of failed attempts after which a link that does not work is
// no longer taken for an accident.
const greyAttempts = 3

// A worker that was left out is tried again after greyFirst. The delay doubles each
// time, up to greyMax.
const (
	greyFirst Ticks = 10 * 60 * 1000
	greyMax   Ticks = 8 * 60 * 60 * 1000
)

// Unreached notes that one worker did not reach another in an attempt.
func (g *Grey) Unreached(now Ticks, from, to history.WorkerID, epoch uint32) {
	if len(g.heard) == 0 {
		g.begun, g.heard = now, make(map[link]map[uint32]bool)
	}
	on := link{from, to}
	if g.heard[on] == nil {
		g.heard[on] = make(map[uint32]bool)
	}
	g.heard[on][epoch] = true
}

// Committed notes that an attempt was committed: all have reached each other.
func (g *Grey) Committed() { g.heard = nil }

// Suspect returns the worker to leave out so that the others reach each other, once
// links have failed in greyAttempts attempts and for at least patience. It is the worker
// with the most peers that it did not reach or that did not reach it; among equals, the
// one that others failed to reach most often.
func (g *Grey) Suspect(now, patience Ticks) (history.WorkerID, bool) {
	peers := make(map[history.WorkerID]map[history.WorkerID]bool)
	unreached := make(map[history.WorkerID]int)
	note := func(a, b history.WorkerID) {
		if peers[a] == nil {
			peers[a] = make(map[history.WorkerID]bool)
		}
		peers[a][b] = true
	}
	attempts := make(map[uint32]bool)
	for on, epochs := range g.heard {
		note(on.from, on.to)
		note(on.to, on.from)
		unreached[on.to] += len(epochs)
		maps.Copy(attempts, epochs)
	}
	if len(attempts) < greyAttempts || now-g.begun < patience {
		return 0, false
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(peers)), func(a, b history.WorkerID) int {
		return cmp.Or(cmp.Compare(len(peers[a]), len(peers[b])), cmp.Compare(unreached[a], unreached[b]), cmp.Compare(a, b))
	}), true
}

// LeftOut notes that a worker is left out from now on.
func (g *Grey) LeftOut(now Ticks, w history.WorkerID) {
	if g.out == nil {
		g.out, g.before = make(map[history.WorkerID]Ticks), make(map[history.WorkerID]int)
	}
	g.out[w] = now + min(greyFirst<<min(g.before[w], 10), greyMax)
	g.before[w]++
	g.heard = nil
}

// Out reports whether a worker is left out.
func (g *Grey) Out(w history.WorkerID) bool {
	_, is := g.out[w]
	return is
}

// Again returns the workers to try again, by number, and no longer counts them as left
// out.
func (g *Grey) Again(now Ticks) []history.WorkerID {
	var again []history.WorkerID
	for _, w := range slices.Sorted(maps.Keys(g.out)) {
		if now >= g.out[w] {
			again = append(again, w)
			delete(g.out, w)
		}
	}
	return again
}
