package core

import (
	"maps"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// What lost workers kept is restored from the bucket. If the next layer is made from few of
// all layers, the new homes get those first, the run goes on, and they get the rest in the
// background: until then they lack records. What they say of that is a hint, as it is of
// what is fetched ahead: each holds its partitions once more before it counts as whole.

// A lack is of a worker that keeps partitions without all their records.
type lack struct {
	number uint32     // of the Ahead that it was told, 0 if it is to be told
	want   layersHeld // what it is to have
	got    bool       // as it says
}

// lacks reports whether a worker that keeps partitions may not have all their records yet.
func lacks(c *Core, w history.WorkerID) bool {
	_, does := c.lacking[w]
	return does
}

// firstRead returns how the next layer is made if new homes should first get what it is made
// from, or nil if they should get everything that lost workers kept.
func firstRead(c *Core, homes []history.WorkerID) *Attempt {
	h := &c.history
	phase, reason := whatNext(h, c.want, c.opts.Reversible)
	if reason != 0 || mostAhead(c) < 0 || h.Keep().Frontier || c.oneTable {
		return nil
	}
	plan := throughEdges(c, planOf(h, c.opts, phase, c.epoch))
	from := slices.Clone(homes)
	for p, to := range c.target {
		if c.present(homes[p]) {
			from[p] = to // nothing is restored
		} else if !c.able[to].Ahead {
			return nil
		}
	}
	left := statesOf(h, layersHeld{}, from, c.target)
	seen := make(map[[2]uint32]bool)
	for _, l := range read(h, plan) {
		if at := [2]uint32{uint32(l.Phase), l.Depth}; !seen[at] {
			seen[at] = true
			left -= movingStates(l, from, c.target)
		}
	}
	if left < mostAhead(c) || left <= 0 {
		return nil
	}
	return &plan
}

// nowLack notes that workers keep partitions of which they have no more than was read first.
func nowLack(c *Core) {
	for _, w := range c.partly {
		c.lacking[w] = lack{}
	}
	c.partly = nil
}

// noteLacking notes that a worker lacks records, unless that is known.
func noteLacking(c *Core, ev Lacking) []Effect {
	if lacks(c, ev.Worker) || !c.present(ev.Worker) {
		return nil
	}
	c.lacking[ev.Worker] = lack{}
	return c.next()
}

// tellLacking has workers get what they lack.
func tellLacking(c *Core) (effects []Effect) {
	for _, w := range slices.Sorted(maps.Keys(c.lacking)) {
		if !c.keeps(w) { // and so it lacks nothing that anybody wants
			effects = append(effects, whole(c, w)...)
			continue
		}
		if c.lacking[w].number > 0 {
			continue
		}
		c.epoch++
		c.lacking[w] = lack{number: c.epoch, want: committedLayers(&c.history)}
		parts := partsOf(c.history.Placement().Homes, w)
		effects = append(effects, Ahead{Worker: w, Number: c.epoch, Parts: parts, From: slices.Repeat([]history.WorkerID{history.NoWorker}, len(parts))})
	}
	return effects
}

// tellAgain has a worker told anew what it lacks, if it does.
func tellAgain(c *Core, w history.WorkerID) {
	if lacks(c, w) {
		c.lacking[w] = lack{}
	}
}

// restored notes what a worker has got of what it lacks, and reports whether it was that.
func restored(c *Core, ev Fetched) bool {
	l, is := c.lacking[ev.Worker]
	if !is || l.number == 0 || ev.Number != l.number {
		return false
	}
	l.got = l.got || layersHeld{ev.Forward, ev.Goal}.covers(l.want)
	c.lacking[ev.Worker] = l
	return true
}

// whole notes that a worker has all records of its partitions.
func whole(c *Core, w history.WorkerID) (effects []Effect) {
	delete(c.damaged, w)
	if lacks(c, w) {
		delete(c.lacking, w)
		effects = append(effects, Ahead{Worker: w})
	}
	return effects
}
