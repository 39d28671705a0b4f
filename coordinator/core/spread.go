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

// WorthTwo returns the number of states up to which a layer is not worth two workers of
// so many lanes each: what it costs to agree is worth tens of thousands of states for each
// lane.
func WorthTwo(lanes int) int64 { return AloneStates(2) * int64(max(1, lanes)) }

// Spread returns how many of so many workers a run is worth whose largest layer has widest
// states, and all layers together so many; up to unit states, a layer is not worth two.
// What another worker saves falls with the square of their number, while what it costs is
// the same for each: so twice as many are worth it from layers of four times the size.
// They are powers of two, because partitions move whenever the number changes, and all
// where that is more than two thirds of them.
func Spread(widest, states int64, workers int, unit int64) int {
	n := 1
	for n < workers && (widest > max(unit, unit/8*int64(2*n)*int64(2*n)) || states/keptStatesMax >= int64(n)) {
		n *= 2
	}
	if 3*n > 2*workers {
		return workers
	}
	return n
}

// spreadUnit returns the size of a layer up to which the run is not worth two workers, or
// less than 0 if it is always worth all.
func spreadUnit(c *Core, workers []weighted) int64 {
	if c.opts.Spread != 0 || len(workers) == 0 {
		return c.opts.Spread
	}
	lanes := 0
	for _, w := range workers {
		lanes += c.able[w.id].Lanes
	}
	return WorthTwo(lanes / len(workers))
}

// HaveCores says which of some workers have cores for their lanes, however many of them are on
// one machine: the others would only take turns with these. Earlier ones come first.
func HaveCores(workers []Able) []bool {
	have, taken := make([]bool, len(workers)), make(map[string]int)
	for i, w := range workers {
		lanes := max(1, w.Lanes)
		if w.Machine == "" || taken[w.Machine] == 0 || taken[w.Machine]+lanes <= w.Cores {
			have[i] = true
			taken[w.Machine] += lanes
		}
	}
	return have
}

// sharers returns the workers that partitions are spread over. Those that keep some
// already come first, then those that have cores to work on, then those with more weight.
// The others get partitions only for the sake of their disks.
func sharers(c *Core, homes []history.WorkerID) []weighted {
	all := c.eligible()
	if c.oneTable {
		return tableKeeper(c, all)
	}
	unit := spreadUnit(c, all)
	if unit < 0 || len(all) < 2 {
		return all
	}
	keeps := make(map[history.WorkerID]bool)
	for _, home := range homes {
		keeps[home] = true
	}
	// Runs have their first partitions at different workers.
	h := &c.history
	id := h.Identity()
	turn := int(binary.BigEndian.Uint64(id[:]) % uint64(len(all)))
	all = slices.Concat(all[turn:], all[:turn])
	roomy := make(map[history.WorkerID]bool)
	rank := func(w weighted) int {
		switch {
		case keeps[w.id]:
			return 0
		case roomy[w.id]:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(b.weight, a.weight)) })
	ables := make([]Able, len(all))
	for i, w := range all {
		ables[i] = c.able[w.id]
	}
	for i, has := range HaveCores(ables) {
		if has {
			roomy[all[i].id] = true
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return rank(a) - rank(b) })
	n := max(Spread(history.Widest(h), 0, len(roomy), unit), Spread(0, h.States(history.Forward)+h.States(history.Goal), len(all), unit))
	for n < len(all) && keeps[all[n].id] {
		n++
	}
	chosen := all[:n]
	slices.SortFunc(chosen, func(a, b weighted) int { return cmp.Compare(a.id, b.id) })
	return chosen
}
