package sokoban_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sokoban"
)

// BenchmarkSuccessors times a successor over the first states of spaces: of a
// room, of a warehouse with corridors, and of one of more than 64 cells.
func BenchmarkSuccessors(b *testing.B) {
	for _, bench := range []struct{ name, id string }{
		{"room", "sokoban-rosetta-001"},
		{"small", "sokoban-microban-035"},
		{"boxoban", "sokoban-boxoban-unfiltered-000-002"},
		{"corridors", "sokoban-microban-123"},
		{"warehouse", "sokoban-xsokoban-001"},
		{"wide", "sokoban-microban-093"},
	} {
		for _, c := range puzzletest.Records(b, truthFile) {
			id, metric, _ := strings.Cut(c.ID, "/")
			if id != bench.id {
				continue
			}
			boards, err := sokoban.Read([]byte(c.Input), puzzle.ReadOptions{Metric: metric})
			if err != nil {
				b.Fatal(err)
			}
			p := boards[0].Puzzle
			b.Run(bench.name+"/"+metric, func(b *testing.B) { benchmarkEdges(b, p, p.Successors) })
			if back, ok := p.(puzzle.Backward); ok && metric == "push" {
				b.Run(bench.name+"/"+metric+"-back", func(b *testing.B) { benchmarkEdges(b, p, back.Predecessors) })
			}
		}
	}
}

func benchmarkEdges(b *testing.B, p puzzle.Puzzle, edgesOf func([]uint64, *puzzle.Edges)) {
	b.Helper()
	words := p.Layout().Words()
	states, _ := puzzletest.First(p, 1<<14)
	edges := &puzzle.Edges{}
	batch := min(1<<10, len(states)/words)
	total := 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		at := i * batch % (len(states)/words - batch + 1)
		edges.Reset()
		edgesOf(states[at*words:(at+batch)*words], edges)
		total += edges.Len()
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(total), "ns/succ")
	b.ReportMetric(float64(total)/float64(b.N*batch), "succ/state")
	b.ReportMetric(float64(p.Layout().KeyBits), "keybits")
}
