package core

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// Larger layers, and more states, are never worth fewer workers.
func TestSpread(t *testing.T) {
	unit := AloneStates(2)
	for _, test := range []struct {
		widest, states       int64
		workers, lanes, want int
	}{
		{0, 0, 100, 1, 1}, {unit, unit, 100, 1, 1}, {unit + 1, unit + 1, 100, 1, 2}, {2*unit + 1, 0, 100, 1, 4}, {8*unit + 1, 0, 100, 1, 8},
		{32*unit + 1, 0, 100, 0, 16}, {32 * unit, 0, 100, 1, 8}, {32*unit + 1, 0, 16, 1, 16}, {32*unit + 1, 0, 23, 1, 23}, {32*unit + 1, 0, 24, 1, 16},
		{8 * unit, 0, 100, 8, 1}, {8*unit + 1, 0, 100, 8, 2}, {0, 0, 1, 8, 1}, {unit + 1, 0, 3, 1, 2},
		{1, keptStatesMax - 1, 100, 1, 1}, {1, keptStatesMax, 100, 1, 2}, {1, 5 * keptStatesMax, 100, 8, 8}, {math.MaxInt64, math.MaxInt64, 1000, 1000, 1000},
	} {
		if n := Spread(test.widest, test.states, test.workers, WorthTwo(test.lanes)); n != test.want {
			t.Errorf("%+v: %d workers", test, n)
		}
	}
	last := 0
	for widest := int64(1); widest < math.MaxInt64/2; widest += widest/3 + 1 {
		n := Spread(widest, 0, 1000, unit)
		if n < last {
			t.Fatalf("a layer of %d states is worth %d workers, a smaller one %d", widest, n, last)
		}
		last = n
	}
}

// One more worker takes part only in a run that is worth it: otherwise the homes are the
// same as without it, whoever comes, and no worker loses partitions for nothing.
func TestOneMoreWorker(t *testing.T) {
	const partitions = 64
	rng := rand.New(rand.NewPCG(18, 5))
	for range 300 {
		var h history.History
		h.AddIdentity(history.Identity{byte(rng.Uint32()), 1, 2, 3, byte(rng.Uint32()), byte(rng.Uint32()), 7, byte(rng.Uint32())})
		widest := rng.Int64N(1 << rng.IntN(30))
		if widest > 0 {
			h.AddLayer(history.Layer{Phase: history.Forward, Epoch: 1, States: widest})
		}
		c := New(history.Spec{Partitions: partitions}, Options{Reversible: true, Placed: true}, h, history.Want{})
		wanted := Spread(widest, widest, 1<<20, AloneStates(2))
		homes := homesOf(&h, partitions)
		for n := 1; n <= 20; n++ {
			w := history.WorkerID(n)
			c.workers = append(c.workers, w)
			c.weights[w] = 1 + rng.Uint32N(3)
			chosen := sharers(c, homes)
			next := rebalance(homes, chosen)
			want := min(n, (3*wanted-1)/2) // fewer than half as many again are all taken
			if got := len(chosen); got != want {
				t.Fatalf("%d of %d workers keep partitions of a run with a layer of %d states, want %d", got, n, widest, want)
			}
			for p := range next {
				if n > want && next[p] != homes[p] {
					t.Fatalf("partition %d moves from %d to %d when worker %d comes, which the run is not worth", p, homes[p], next[p], w)
				}
			}
			homes = next
		}
	}
}

// Workers beyond the cores of their machine keep nothing until all states together are worth
// their disks, however wide layers are. Whoever keeps partitions stays.
func TestWorkersOnOneMachine(t *testing.T) {
	const partitions = 64
	able := func(machine string, lanes int) Able { return Able{Machine: machine, Cores: 2, Lanes: lanes} }
	one, two, unknown := able("a", 1), able("a", 2), able("", 2)
	for _, test := range []struct {
		name    string
		workers []Able
		states  int64 // of the only layer
		want    []history.WorkerID
	}{
		{"two cores for two lanes", []Able{one, one, one, one}, 1 << 25, []history.WorkerID{1, 2}},
		{"two cores for one worker", []Able{two, two, two}, 1 << 25, []history.WorkerID{1}},
		{"more lanes than cores", []Able{able("a", 8), one}, 1 << 25, []history.WorkerID{1}},
		{"one of two that still has room", []Able{one, two, one}, 1 << 25, []history.WorkerID{1, 3}},
		{"two machines", []Able{one, one, one, able("b", 1), able("b", 1)}, 1 << 25, []history.WorkerID{1, 2, 4, 5}},
		{"machines that are not known", []Able{unknown, unknown, unknown}, 1 << 25, []history.WorkerID{1, 2, 3}},
		{"a small run", []Able{one, one, one, able("b", 1)}, 10, []history.WorkerID{1}},
		{"disks", []Able{one, one, one, one, one, one, one, one}, 5 * keptStatesMax, []history.WorkerID{1, 2, 3, 4, 5, 6, 7, 8}},
		{"some disks", []Able{one, one, one, one, one, one, one, one}, 3 * keptStatesMax, []history.WorkerID{1, 2, 3, 4}},
	} {
		var h history.History
		h.AddLayer(history.Layer{Phase: history.Forward, Epoch: 1, States: test.states})
		c := New(history.Spec{Partitions: partitions}, Options{Reversible: true, Placed: true}, h, history.Want{})
		for i, a := range test.workers {
			w := history.WorkerID(i + 1)
			c.workers, c.weights[w], c.able[w] = append(c.workers, w), 1, a
		}
		chosen := func(homes []history.WorkerID) (ids []history.WorkerID) {
			for _, w := range sharers(c, homes) {
				ids = append(ids, w.id)
			}
			return ids
		}
		if got := chosen(homesOf(&h, partitions)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v keep partitions, want %v", test.name, got, test.want)
		}
		last := history.WorkerID(len(test.workers))
		if got := chosen(slices.Repeat([]history.WorkerID{last}, partitions)); !slices.Contains(got, last) || len(got) != len(test.want) {
			t.Errorf("%s: %v keep partitions, of which %d had all", test.name, got, last)
		}
	}
}

// Of equal workers, each is the first of some runs.
func TestRunsBeginAtDifferentWorkers(t *testing.T) {
	const workers = 3
	first := make(map[history.WorkerID]int)
	for run := range byte(30) {
		var h history.History
		h.AddIdentity(history.Identity{1, 2, 3, 4, 5, 6, 7, run})
		c := New(history.Spec{Partitions: 64}, Options{Reversible: true, Placed: true}, h, history.Want{})
		for w := history.WorkerID(1); w <= workers; w++ {
			c.workers = append(c.workers, w)
			c.weights[w] = 1
		}
		first[sharers(c, homesOf(&h, 64))[0].id]++
	}
	if len(first) != workers {
		t.Errorf("runs begin at %v", first)
	}
}
