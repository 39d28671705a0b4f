package core

import (
	"cmp"
	"maps"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// Grey finds the worker that calls the coordinator as if all were well, but that others
// cannot reach, or that cannot reach others: with it no layer would ever be made. The
// zero value has heard nothing. It is owned by one goroutine.
type Grey struct {
	begun  Ticks // when the first of these was heard
	heard  map[link]map[uint32]bool
	out    map[history.WorkerID]Ticks // until when a worker is left out
	before map[history.WorkerID]int   // how often it has been
}

// greyAttempts is in how many attempts in a row two workers do not reach each other
// before it is not taken for an accident any more.
const greyAttempts = 3

// A worker that was left out is tried again after greyFirst, and twice as late each
// time, up to greyMax.
const (
	greyFirst Ticks = 10 * 60 * 1000
	greyMax   Ticks = 8 * 60 * 60 * 1000
)

// Unreached notes that a worker did not reach another one in an attempt.
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

// GotOn notes that an attempt was committed: all have reached each other.
func (g *Grey) GotOn() { g.heard = nil }

// Suspect returns the worker without which the others would reach each other, if that
// has been so for some attempts and for longer than patience: the one that most others
// have not reached or were not reached by, or of two that nobody else complains about
// the one that was not reached.
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

// Again returns the workers that are to be tried again, by number, which are not left
// out any more.
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
