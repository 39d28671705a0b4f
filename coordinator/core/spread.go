package core

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// A layer costs each worker that has a part in it some time, however few its states are.
// So the partitions of a run are kept by few workers while its layers are small, at first
// by one, and spread over more as layers grow. Another worker never makes a run slower
// then: it gets partitions when they are worth it.

// keptStatesMax is the number of states that a worker keeps before another one takes part
// for the sake of its disk.
const keptStatesMax = 64 << 20

// worth returns how many workers a run is worth whose largest layer has so many states,
// and all layers together so many. What another worker saves falls with the square of
// their number, while what it costs is the same for each: so twice as many workers are
// worth it from layers of four times the size. They are powers of two, because partitions
// move whenever the number changes. unit is the size of a layer that is worth two workers.
func worth(widest, states, unit int64) int {
	n := 1
	for n < maxWorth && (widest > max(unit, unit/8*int64(2*n)*int64(2*n)) || states/keptStatesMax >= int64(n)) {
		n *= 2
	}
	return n
}

// maxWorth bounds worth: far more than there are workers.
const maxWorth = 1 << 16

// sharers returns the workers that partitions are spread over. Those that keep some
// already come first, then those with more weight.
func sharers(c *Core, homes []history.WorkerID) []weighted {
	all := c.eligible()
	unit := c.opts.Spread
	if unit == 0 {
		unit = AloneStates(2)
	}
	if unit < 0 {
		return all
	}
	h := &c.history
	n := worth(history.Widest(h), h.States(history.Forward)+h.States(history.Goal), unit)
	if n >= len(all) {
		return all
	}
	keeps := make(map[history.WorkerID]bool)
	for _, home := range homes {
		keeps[home] = true
	}
	// Runs have their first partitions at different workers.
	id := h.Identity()
	turn := int(binary.BigEndian.Uint64(id[:]) % uint64(len(all)))
	all = slices.Concat(all[turn:], all[:turn])
	slices.SortStableFunc(all, func(a, b weighted) int {
		if keeps[a.id] != keeps[b.id] {
			return cmp.Compare(order(keeps[a.id]), order(keeps[b.id]))
		}
		return cmp.Compare(b.weight, a.weight)
	})
	for n < len(all) && keeps[all[n].id] {
		n++
	}
	chosen := all[:n]
	slices.SortFunc(chosen, func(a, b weighted) int { return cmp.Compare(a.id, b.id) })
	return chosen
}

// order returns the place of those that keep partitions before those that do not.
func order(keeps bool) int {
	if keeps {
		return 0
	}
	return 1
}
