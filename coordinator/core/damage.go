package core

import (
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// A worker whose store was damaged gets what it lacks of its partitions before anything
// else happens, from the bucket. What is nowhere is made again, which gives what it was:
// the layers follow from the puzzle alone.

// hurt notes that a worker may lack records, and gives up what it was doing.
func hurt(c *Core, ev Damaged) []Effect {
	if c.damaged[ev.Worker] || !c.present(ev.Worker) {
		return nil
	}
	c.damaged[ev.Worker] = true
	return append(c.without(ev.Worker), c.next()...)
}

// heal has the damaged workers that keep partitions get what they lack, as well as those
// that say they have got it in the background. It returns nothing if there are none.
func heal(c *Core) []Effect {
	place := c.history.Placement()
	if place == nil || c.history.Empty() {
		return nil
	}
	c.mending = nil
	for _, w := range c.workers {
		if (c.damaged[w] || c.lacking[w].got || lacks(c, w) && !c.able[w].Ahead) && slices.Contains(place.Homes, w) {
			c.mending = append(c.mending, w)
		}
	}
	if len(c.mending) == 0 {
		return nil
	}
	c.target = place.Homes
	c.epoch++
	return c.move(place.Homes)
}

// healed goes on once these have what they lacked.
func healed(c *Core) []Effect {
	var over []Effect
	for _, w := range c.mending {
		over = append(over, whole(c, w)...)
	}
	c.mending, c.target, c.retry.failures = nil, nil, 0
	effects := append(c.end(true), over...)
	c.stage = idle
	return append(effects, c.next()...)
}

// makeAgain has a layer made again that a worker lacks and nobody has, with whatever was made
// after it. A log in a bucket is never cut: there the layer is committed once more.
func makeAgain(c *Core, ev Failed) []Effect {
	effects := c.abandon()
	if n := len(c.history.Layers(ev.Phase)); int64(ev.Depth) >= int64(n) {
		return append(effects, c.stop(history.CannotGoOn, ev.Err)...)
	}
	if c.history.KeptFrom() > 0 && ev.Phase == history.Forward {
		// The records that the layer would be made from are gone too.
		ev.Phase, ev.Depth = history.Forward, 0
	}
	return append(effects, forget(c, Rewind{Phase: ev.Phase, Depth: ev.Depth, Lacking: true}))
}
