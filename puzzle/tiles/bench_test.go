package tiles_test

import (
	"math/rand/v2"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/tiles"
)

// BenchmarkSuccessors reports the time a successor takes over batches of random
// arrangements.
func BenchmarkSuccessors(b *testing.B) {
	for _, bench := range []struct{ name, metric, text string }{
		{"3x4/tile", "tile", "1 2 3 4 / 5 6 7 8 / 9 10 11 0"},
		{"3x4/line", "line", "1 2 3 4 / 5 6 7 8 / 9 10 11 0"},
		{"4x4/tile", "tile", "1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 14 15 0"},
		{"4x4/line", "line", "1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 14 15 0"},
	} {
		boards, err := tiles.Read([]byte(bench.text), puzzle.ReadOptions{Metric: bench.metric})
		if err != nil {
			b.Fatal(err)
		}
		p := boards[0].Puzzle
		b.Run(bench.name, func(b *testing.B) { benchmarkMoves(b, p, false) })
		b.Run(bench.name+"/onward", func(b *testing.B) { benchmarkMoves(b, p, true) })
	}
}

const (
	batch   = 512
	batches = 64
)

func benchmarkMoves(b *testing.B, p puzzle.Puzzle, onward bool) {
	states, links := randomStates(p, batch*batches)
	edges := &puzzle.Edges{}
	total := 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		at := i % batches * batch
		edges.Reset()
		if onward {
			p.(puzzle.Onward).Onward(states[at:at+batch], links[at:at+batch], edges)
		} else {
			p.Successors(states[at:at+batch], edges)
		}
		total += edges.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/succ")
	b.ReportMetric(float64(total)/float64(b.N)/batch, "succ/state")
}

// randomStates returns states and a move that leads to each.
func randomStates(p puzzle.Puzzle, n int) ([]uint64, []puzzle.Move) {
	random := rand.New(rand.NewPCG(1, 2))
	states, links := make([]uint64, n), make([]puzzle.Move, n)
	last := uint64(1)
	for i := 1; p.Valid([]uint64{last}); i++ {
		last *= 2
	}
	for i := range states {
		for {
			states[i] = random.Uint64N(last)
			if p.Valid(states[i : i+1]) {
				break
			}
		}
		edges := &puzzle.Edges{}
		p.Successors(states[i:i+1], edges)
		k := random.IntN(edges.Len())
		states[i], links[i] = edges.Keys[k], edges.Moves[k]
	}
	return states, links
}
