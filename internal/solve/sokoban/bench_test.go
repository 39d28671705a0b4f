package sokoban

import (
	"testing"

	"github.com/everystate/everystate/internal/solve"
)

// BenchmarkSolve solves a level of six boxes; a node is a position expanded.
func BenchmarkSolve(b *testing.B) {
	for _, c := range truthOf(b, "push") {
		if c.ID != "sokoban-xsokoban-001/push" && c.ID != "sokoban-microban-117/push" {
			continue
		}
		for _, name := range []string{"soko", "soko-5", "soko-astar-fast"} {
			b.Run(c.ID[:len(c.ID)-len("/push")]+"/"+name, func(b *testing.B) {
				board := readBoard(b, c.Input, "push")
				a := algorithm(b, name)
				nodes := int64(0)
				for b.Loop() {
					r, err := a.Solve(b.Context(), &solve.Problem{Board: board})
					if err != nil || r.Outcome != solve.Solved {
						b.Fatal(r.Outcome, err)
					}
					nodes += r.Expanded
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes")
			})
		}
	}
}
