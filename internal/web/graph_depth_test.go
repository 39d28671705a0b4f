package web

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/bydepth"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// A graph by depth has every state of a small space with its moves, and of a larger one
// small layers completely and part of the others.
func TestGraphByDepth(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("puzzle: hanoi\n\n3 pegs 7 discs"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := engine.Create(t.TempDir(), boards[0], engine.Options{Workers: 2, Partitions: 4, MemoryBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := run.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
		t.Fatal(err)
	}
	space := run.Space()
	layers := space.History.Layers(history.Forward)
	states := space.History.States(history.Forward)
	for _, shown := range []int64{states, 600} {
		last := 0.0
		g, err := readByDepth(t.Context(), space, shown, func(part float64) {
			if part < last {
				t.Errorf("progress falls from %v to %v", last, part)
			}
			last = part
		})
		if err != nil {
			t.Fatal(err)
		}
		n, m := g.nodes(), binary.LittleEndian.Uint32(g.body[8:])
		if whole := shown == states; whole != (int64(n) == states) || whole != (m > 0) || n < int(shown)/2 {
			t.Errorf("asked for %d of %d states: %d nodes and %d moves", shown, states, n, m)
		}
		got := make([]int64, len(layers))
		for i := range n {
			key := g.key(i)
			if g.find(key) != i {
				t.Fatalf("node %d is found as %d", i, g.find(key))
			}
			at, err := space.Locate(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			place := func(k int) float64 {
				return float64(int16(binary.LittleEndian.Uint16(g.body[12+6*i+2*k:]))) / math.MaxInt16
			}
			if y := 1 - 2*float64(at.Depth)/float64(len(layers)-1); math.Abs(place(1)-y) > 1e-4 || math.Hypot(place(0), place(2)) > 1.001 {
				t.Fatalf("a state at depth %d is at %v, %v, %v", at.Depth, place(0), place(1), place(2))
			}
			got[at.Depth]++
		}
		arranged, err := bydepth.New(t.Context(), space, shown)
		if err != nil {
			t.Fatal(err)
		}
		most := arranged.Most()
		for d, l := range layers {
			if l.States <= most && got[d] != l.States {
				t.Errorf("depth %d: %d of %d states, which are no more than %d", d, got[d], l.States, most)
			}
		}
	}
}
