package peg_test

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

const english = `  ooo
  ooo
ooooooo
ooo.ooo
ooooooo
  ooo
  ooo`

const wiegleb = `   ooo
   ooo
   ooo
ooooooooo
oooo.oooo
ooooooooo
   ooo
   ooo
   ooo`

const triangle = `     .
    o o
   o o o
  o o o o
 o o o o o
o o o o o o`

// BenchmarkSuccessors reports the time of a successor over states in the middle of
// the game.
func BenchmarkSuccessors(b *testing.B) {
	benchmark(b, func(p puzzle.Puzzle, states []uint64, edges *puzzle.Edges) { p.Successors(states, edges) })
}

// BenchmarkPredecessors is the same for the way back.
func BenchmarkPredecessors(b *testing.B) {
	benchmark(b, func(p puzzle.Puzzle, states []uint64, edges *puzzle.Edges) {
		p.(puzzle.Backward).Predecessors(states, edges)
	})
}

func benchmark(b *testing.B, step func(p puzzle.Puzzle, states []uint64, edges *puzzle.Edges)) {
	b.Helper()
	for _, bench := range []struct{ name, headers, text string }{
		{"english", "", english},
		{"english/merged", "symmetry: on", english},
		{"wiegleb", "", wiegleb}, // too wide for strips
		{"triangle", "", triangle},
		{"triangle/merged", "symmetry: on", triangle},
	} {
		b.Run(bench.name, func(b *testing.B) {
			p := read(b, bench.headers, bench.text)
			states := someStates(p, 13, 1<<10)
			edges := &puzzle.Edges{}
			total := 0
			b.ReportAllocs()
			for b.Loop() {
				edges.Reset()
				step(p, states, edges)
				total += edges.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/succ")
			b.ReportMetric(float64(total)/float64(b.N)/float64(len(states)), "succ/state")
		})
	}
}

// someStates returns states of one layer, about evenly from what is reached by way of
// as many of each layer before.
func someStates(p puzzle.Puzzle, depth, n int) []uint64 {
	layer := p.Starts()
	var edges puzzle.Edges
	for range depth {
		edges.Reset()
		p.Successors(layer, &edges)
		seen := map[uint64]bool{}
		layer = nil
		for i := range edges.Keys {
			key := edges.Keys[i*7919%len(edges.Keys)]
			if !seen[key] && len(layer) < n {
				seen[key] = true
				layer = append(layer, key)
			}
		}
	}
	return layer
}
