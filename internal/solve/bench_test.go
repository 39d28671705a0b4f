package solve_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/tools/measure"
)

// BenchmarkDatabaseLine solves published Rush Hour boards, the reading included.
func BenchmarkDatabaseLine(b *testing.B) {
	f, err := os.Open("../../testdata/truth/rush-hour-database-lines.txt")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if s.Text() != "" && !strings.HasPrefix(s.Text(), ";") && !strings.HasPrefix(s.Text(), "#") {
			lines = append(lines, s.Text())
		}
	}
	states, began := int64(0), measure.CPUTime()
	for i := 0; b.Loop(); i++ {
		boards, err := families.Read([]byte(lines[i%len(lines)]), puzzle.ReadOptions{Metric: "slide"})
		if err != nil {
			b.Fatal(err)
		}
		a := solve.BFS()
		r, err := a.Solve(b.Context(), &solve.Problem{Board: boards[0]})
		if err != nil || r.Outcome != solve.Solved {
			b.Fatal(r.Outcome, err)
		}
		states += r.Stored
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
	// Whatever else the machine does, this says how many a core solves in a second.
	b.ReportMetric(float64(b.N)/(measure.CPUTime()-began).Seconds(), "lines/cpu-s")
}

// BenchmarkHardest solves the hardest boards of Rush Hour, once they are loaded.
func BenchmarkHardest(b *testing.B) {
	text, err := os.ReadFile("../../puzzles/rushhour/fogleman-top.txt")
	if err != nil {
		b.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	a, began := solve.BFS(), measure.CPUTime()
	for i := 0; b.Loop(); i++ {
		r, err := a.Solve(b.Context(), &solve.Problem{Board: boards[i%len(boards)]})
		if err != nil || r.Outcome != solve.Solved {
			b.Fatal(r.Outcome, err)
		}
	}
	b.ReportMetric(float64((measure.CPUTime()-began).Microseconds())/1000/float64(b.N), "cpu-ms/board")
}
