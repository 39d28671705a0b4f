package relevance

import (
	"math/rand/v2"
	"testing"
)

// TestAnswersAreKept asks random lines the same questions as lines that have not been asked
// anything: what was asked before makes no difference.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 2))
	for range 200 {
		cells, vehicles := 5+random.IntN(SizeMax-4), 1+random.IntN(asideMax)
		var sets uint64
		line := func() *Start {
			l := NewLine(cells, 0)
			for v := range vehicles {
				l.Vehicle(2, 2*v, cells-2*(vehicles-v))
			}
			return l.Start(sets)
		}
		for v := range vehicles {
			low := 2*v + random.IntN(cells-2*vehicles+1)
			high := low + random.IntN(cells-2*(vehicles-v)-low+1)
			sets |= (1<<low | 1<<high) << (8 * v)
		}
		kept := line()
		for range 100 {
			crossing, covered := uint8(random.IntN(1<<cells)), uint8(random.IntN(1<<cells))
			have, want := placed{start: kept}, placed{start: line()}
			if a, b := *have.answer(crossing, covered), *want.answer(crossing, covered); a != b || have.choice != want.choice {
				t.Fatalf("%d cells, vehicles at %x, entered %08b, covered %08b: choice %d with %+v, before anything was asked %d with %+v", cells, sets, crossing, covered, have.choice, a, want.choice, b)
			}
		}
	}
}
