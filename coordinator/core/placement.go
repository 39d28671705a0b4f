package core

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// partsOf returns the partitions whose home is the given worker, in increasing order.
func partsOf(homes []history.WorkerID, home history.WorkerID) []uint32 {
	var parts []uint32
	for p, h := range homes {
		if h == home {
			parts = append(parts, uint32(p))
		}
	}
	return parts
}

// weighted is a worker with its weight, at least 1.
type weighted struct {
	id     history.WorkerID
	weight uint32
}

// rebalance returns homes that give every worker its share of the partitions by weight,
// to within one. It moves as few partitions as possible: a worker that comes takes its
// share from the others, and one that goes leaves its partitions to them. homes are the
// present ones; partitions of NoWorker, and of workers not given, are free. Equal
// arguments give equal homes.
func rebalance(homes []history.WorkerID, workers []weighted) []history.WorkerID {
	held := make(map[history.WorkerID]int, len(workers))
	for _, h := range homes {
		held[h]++
	}
	room := quotas(len(homes), workers, held)
	out := slices.Clone(homes)
	var free []int
	for p, h := range homes {
		if room[h] > 0 { // 0 for workers that are not given
			room[h]--
		} else {
			free = append(free, p)
		}
	}
	for _, w := range workers {
		n := room[w.id]
		for _, p := range free[:n] {
			out[p] = w.id
		}
		free = free[n:]
	}
	return out
}

// quotas divides partitions by weight, by the method of largest remainders. Of workers
// with equal remainders, the one that has more partitions already gets more.
func quotas(partitions int, workers []weighted, held map[history.WorkerID]int) map[history.WorkerID]int {
	var total uint64
	for _, w := range workers {
		total += uint64(w.weight)
	}
	type rest struct {
		id   history.WorkerID
		rest uint64
		held int // above the quota
	}
	quota := make(map[history.WorkerID]int, len(workers))
	rests := make([]rest, 0, len(workers))
	left := partitions
	for _, w := range workers {
		// Partitions and weights are below 2^32, so the product fits.
		hi, lo := bits.Mul64(uint64(partitions), uint64(w.weight))
		q, r := bits.Div64(hi, lo, total)
		quota[w.id] = int(q)
		left -= int(q)
		rests = append(rests, rest{w.id, r, held[w.id] - int(q)})
	}
	slices.SortStableFunc(rests, func(a, b rest) int {
		return cmp.Or(cmp.Compare(b.rest, a.rest), cmp.Compare(b.held, a.held), cmp.Compare(a.id, b.id))
	})
	for _, r := range rests[:left] {
		quota[r.id]++
	}
	return quota
}
