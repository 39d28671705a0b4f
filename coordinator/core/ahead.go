package core

import (
	"maps"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// Partitions move while no layer is made. So that this does not take long, workers first
// get what has been committed of the partitions that they are to have, while layers are
// made by those who keep them, and then the rest.

// aheadStates is the number of states from which partitions are fetched ahead: fewer move
// in no time.
const aheadStates = 1 << 20

// ahead is what workers get ahead of a move.
type ahead struct {
	number uint32
	homes  []history.WorkerID // as of then, and
	target []history.WorkerID // as they are to be
	has    map[history.WorkerID]layersHeld
	want   layersHeld // what they are to have
	states int64      // that they are to get of it
	told   []Effect   // what they are told
}

// layersHeld is how many layers of each phase a worker has of some partitions.
type layersHeld struct{ forward, goal int }

func (l layersHeld) covers(want layersHeld) bool {
	return l.forward >= want.forward && l.goal >= want.goal
}

// committedLayers returns how many layers there are.
func committedLayers(h *history.History) layersHeld {
	return layersHeld{len(h.Layers(history.Forward)), len(h.Layers(history.Goal))}
}

// fetchAhead has workers get what they lack for a move to c.target, if that is much, and
// reports whether the run goes on meanwhile. Otherwise the move is due.
func fetchAhead(c *Core, homes, target []history.WorkerID) (effects []Effect, wait bool) {
	a := &c.ahead
	if a.number == 0 || !slices.Equal(a.homes, homes) || !slices.Equal(a.target, target) {
		return beginAhead(c, homes, target)
	}
	for _, has := range a.has {
		if !has.covers(a.want) {
			return nil, !keepsTooMuch(c)
		}
	}
	// What was committed meanwhile is left. If that is still much, it is fetched too, as
	// long as it gets less.
	left := statesOf(&c.history, a.want, homes, target)
	if most := mostAhead(c); left < most || left > a.states/2 {
		return nil, false
	}
	a.want, a.states = committedLayers(&c.history), left
	return a.told, true // again, as there are more layers
}

// mostAhead returns the number of states from which they are fetched ahead, or less than 0
// for never.
func mostAhead(c *Core) int64 {
	if c.opts.Ahead == 0 {
		return aheadStates
	}
	return c.opts.Ahead
}

// fetchEarly has workers begin to get what they lack while an attempt at a layer is under
// way, if they can be told already what that is.
func fetchEarly(c *Core) []Effect {
	homes := homesOf(&c.history, c.partitions)
	if _, underWay := c.Attempt(); !underWay || c.stage == committing || !c.opts.Placed || c.oneTable || c.history.Placement() == nil || len(c.absent(homes)) > 0 || len(c.lacking) > 0 {
		return nil
	}
	workers := sharers(c, homes)
	if len(workers) == 0 {
		return nil
	}
	target := rebalance(homes, workers)
	if slices.Equal(target, homes) {
		return nil
	}
	effects, _ := beginAhead(c, homes, target)
	return effects
}

// beginAhead has workers begin to get what they lack for a move.
func beginAhead(c *Core, homes, target []history.WorkerID) (effects []Effect, wait bool) {
	effects = endAhead(c)
	h, most := &c.history, mostAhead(c)
	if most < 0 || h.Empty() || h.Keep().Frontier || statesOf(h, layersHeld{}, homes, target) < most {
		return effects, false
	}
	gets := make(map[history.WorkerID]*Ahead)
	for p, to := range target {
		from := homes[p]
		switch {
		case from == to:
			continue
		case !c.able[to].Ahead:
			return effects, false
		case gets[to] == nil:
			gets[to] = &Ahead{Worker: to}
		}
		gets[to].Parts, gets[to].From = append(gets[to].Parts, uint32(p)), append(gets[to].From, from)
	}
	c.epoch++
	c.ahead = ahead{
		number: c.epoch, homes: slices.Clone(homes), target: slices.Clone(target), has: make(map[history.WorkerID]layersHeld),
		want: committedLayers(h), states: statesOf(h, layersHeld{}, homes, target),
	}
	for _, w := range slices.Sorted(maps.Keys(gets)) {
		c.ahead.has[w] = layersHeld{}
		gets[w].Number = c.epoch
		c.ahead.told = append(c.ahead.told, *gets[w])
	}
	return append(effects, c.ahead.told...), true
}

// endAhead has workers get nothing ahead any more.
func endAhead(c *Core) (effects []Effect) {
	for _, w := range slices.Sorted(maps.Keys(c.ahead.has)) {
		if c.present(w) {
			effects = append(effects, Ahead{Worker: w})
		}
	}
	c.ahead = ahead{}
	return effects
}

// statesOf returns how many states of the layers behind some move.
func statesOf(h *history.History, behind layersHeld, homes, target []history.WorkerID) (states int64) {
	for _, layers := range [][]history.Layer{h.Layers(history.Forward)[behind.forward:], h.Layers(history.Goal)[behind.goal:]} {
		for _, l := range layers {
			states += movingStates(l, homes, target)
		}
	}
	return states
}

func movingStates(l history.Layer, homes, target []history.WorkerID) (states int64) {
	for p, n := range l.PartStates {
		if homes[p] != target[p] {
			states += n
		}
	}
	return states
}

// fetched notes what a worker has got ahead.
func fetched(c *Core, ev Fetched) []Effect {
	if restored(c, ev) {
		return c.next()
	}
	if _, asked := c.ahead.has[ev.Worker]; !asked || ev.Number == 0 || ev.Number != c.ahead.number {
		return nil
	}
	c.ahead.has[ev.Worker] = layersHeld{ev.Forward, ev.Goal}
	return c.next()
}
