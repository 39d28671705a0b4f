package stored

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
)

// madeSearch lists a layer that has been made up.
type madeSearch struct {
	table.Search

	keys  []uint64
	links []puzzle.Move
}

func (s *madeSearch) Each(f func(keys []uint64, link func(i int) puzzle.Move)) error {
	half := len(s.keys) / 2
	f(s.keys[:half], func(i int) puzzle.Move { return s.links[i] })
	f(s.keys[half:], func(i int) puzzle.Move { return s.links[half+i] })
	return nil
}

// TestLastLayers adds layers of all sizes, and compares what is remembered of them with the
// most layers up to the last one that have lastStates states at most.
func TestLastLayers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var last lastLayers
	var all []madeSearch
	room := lastStates // beside what is remembered
	for depth := range uint32(100) {
		n := random.IntN(lastStates/4) + 1
		switch random.IntN(12) {
		case 0:
			n = lastStates - random.IntN(3)
		case 1:
			n = lastStates + 1
		case 2, 3:
			n = max(1, room)
		case 4, 5:
			n = room + 1
		}
		s := madeSearch{keys: make([]uint64, n), links: make([]puzzle.Move, n)}
		for i := range s.keys {
			s.keys[i], s.links[i] = random.Uint64(), puzzle.Move(random.IntN(100))
		}
		all = append(all, s)
		if err := last.add(&s, history.Forward, table.Layer{Depth: depth, States: int64(n)}); err != nil {
			t.Fatal(err)
		}
		want, left := len(all), lastStates
		for ; want > 0 && len(all[want-1].keys) <= left; want-- {
			left -= len(all[want-1].keys)
		}
		room = left
		got := last.upTo(history.Forward, depth)
		if len(got) != len(all)-want {
			t.Fatalf("depth %d: %d layers are remembered, not %d", depth, len(got), len(all)-want)
		}
		for i, layer := range got {
			made := all[want+i]
			if int(layer.Depth) != want+i || !slices.Equal(layer.keys, made.keys) || !slices.Equal(layer.links, made.links) {
				t.Fatalf("depth %d: layer %d differs", depth, layer.Depth)
			}
		}
	}
}
