package engine

import (
	"context"
	"runtime"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// What a layer of one state allocates does not grow with the number of layers
// before it: none of the engine, the core, the workers and the store makes a copy
// of what a deep space has found so far.
func TestLateLayersAllocateAsEarlyOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	at := map[uint64]uint64{500: 0, 1500: 0, 7000: 0, 8000: 0} // bytes allocated when that layer is made
	p := &toy{size: 1 << 20, steps: []uint64{1}, words: 1, goal: func(v uint64) bool {
		if _, look := at[v]; look {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			at[v] = stats.TotalAlloc
		}
		return false
	}}
	r, err := Create(t.TempDir(), p.board(), Options{Workers: 2, Partitions: 8, MemoryBytes: MemoryMin})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	depth := 8000
	reason, err := r.Explore(context.Background(), history.Want{MaxDepth: &depth, MaxStates: 1 << 40, StopAtGoal: true})
	if err != nil || reason != history.DepthReached {
		t.Fatal(reason, err)
	}
	// Archives have a run more for twice the states, and fuller blocks.
	if early, late := at[1500]-at[500], at[8000]-at[7000]; late > early*3 {
		t.Errorf("a thousand layers allocate %d bytes from depth 7000 on, and %d from depth 500 on", late, early)
	}
}
