package permutation

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

// BenchmarkSuccessors reports the time of a successor over states met on a random
// walk.
func BenchmarkSuccessors(b *testing.B) {
	for _, bench := range []struct {
		name, text string
		read       puzzletest.Reader
	}{
		{"pocket-cube", "", ReadPocketCube},
		{"pocket-cube-whole", "fixed: no", ReadPocketCube},
		{"pancake-8", "1 2 3 4 5 6 7 8", ReadPancake},
		{"pancake-10", "1 2 3 4 5 6 7 8 9 10", ReadPancake},
		{"pancake-13", "1 2 3 4 5 6 7 8 9 10 11 12 13", ReadPancake},
		{"burnt-pancake-10", "1 2 3 4 5 6 7 8 9 -10", ReadPancake},
		{"topspin-11-4", "11 4: 1 2 3 4 5 6 7 8 9 10 11", ReadTopSpin},
		{"pyraminx", pyraminx, Read},
		{"two-colours-24", "pieces:" + strings.Repeat(" a", 12) + strings.Repeat(" b", 12) +
			"\n\nmove A, C: (1 2 3 4 5 6 7 8 9 10 11 12)\nmove B, D: (8 13 14 15 16 17 18 19 20 21 22 23 24)", Read},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := mustRead(b, bench.read, bench.text).Puzzle
			rng := rand.New(rand.NewPCG(1, 1))
			state, states := p.Starts(), []uint64{}
			for range 1 << 14 {
				p.Apply(state, state, puzzle.Move(rng.IntN(p.Layout().Moves)))
				states = append(states, state...)
			}
			var out puzzle.Edges
			total := 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				out.Reset()
				at := i * 1024 % len(states)
				p.Successors(states[at:at+1024], &out)
				total += out.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/successor")
		})
	}
}
