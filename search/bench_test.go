package search_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/search"
)

// BenchmarkDatabaseLine solves published Rush Hour boards, the reading included.
func BenchmarkDatabaseLine(b *testing.B) {
	f, err := os.Open("../testdata/truth/rush-hour-database-lines.txt")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if s.Text() != "" && !strings.HasPrefix(s.Text(), ";") && !strings.HasPrefix(s.Text(), "#") {
			lines = append(lines, s.Text())
		}
	}
	states := int64(0)
	for i := 0; b.Loop(); i++ {
		boards, err := families.Read([]byte(lines[i%len(lines)]), puzzle.ReadOptions{Metric: "slide"})
		if err != nil {
			b.Fatal(err)
		}
		a := search.BFS()
		r, err := a.Solve(b.Context(), &search.Problem{Board: boards[0]})
		if err != nil || r.Outcome != search.Solved {
			b.Fatal(r.Outcome, err)
		}
		states += r.Stored
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
}

// BenchmarkHardest solves the hardest boards of Rush Hour, once they are loaded.
func BenchmarkHardest(b *testing.B) {
	text, err := os.ReadFile("../puzzles/rushhour/fogleman-top.txt")
	if err != nil {
		b.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	a := search.BFS()
	for i := 0; b.Loop(); i++ {
		r, err := a.Solve(b.Context(), &search.Problem{Board: boards[i%len(boards)]})
		if err != nil || r.Outcome != search.Solved {
			b.Fatal(r.Outcome, err)
		}
	}
}
