package core

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// Larger layers, and more states, are never worth fewer workers.
func TestWorth(t *testing.T) {
	unit := AloneStates(2)
	for _, test := range []struct {
		widest, states int64
		want           int
	}{
		{0, 0, 1}, {unit, unit, 1}, {unit + 1, unit + 1, 2}, {2*unit + 1, 0, 4}, {8*unit + 1, 0, 8}, {32*unit + 1, 0, 16}, {32 * unit, 0, 8},
		{1, keptStatesMax - 1, 1}, {1, keptStatesMax, 2}, {1, 5 * keptStatesMax, 8}, {math.MaxInt64, math.MaxInt64, maxWorth},
	} {
		if n := worth(test.widest, test.states, unit); n != test.want {
			t.Errorf("a run with a layer of %d and %d in all is worth %d workers, want %d", test.widest, test.states, n, test.want)
		}
	}
	last := 0
	for widest := int64(1); widest < math.MaxInt64/2; widest += widest/3 + 1 {
		n := worth(widest, 0, unit)
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
		wanted := worth(widest, widest, AloneStates(2))
		homes := homesOf(&h, partitions)
		for n := 1; n <= 20; n++ {
			w := history.WorkerID(n)
			c.workers = append(c.workers, w)
			c.weights[w] = 1 + rng.Uint32N(3)
			chosen := sharers(c, homes)
			next := rebalance(homes, chosen)
			if got := len(chosen); got != min(n, wanted) {
				t.Fatalf("%d of %d workers keep partitions of a run with a layer of %d states, want %d", got, n, widest, min(n, wanted))
			}
			for p := range next {
				if n > wanted && next[p] != homes[p] {
					t.Fatalf("partition %d moves from %d to %d when worker %d comes, which the run is not worth", p, homes[p], next[p], w)
				}
			}
			homes = next
		}
	}
}
