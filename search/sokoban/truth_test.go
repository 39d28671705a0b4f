package sokoban

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

type truthCase struct {
	ID             string `json:"id"`
	Input          string `json:"input"`
	Metric         string `json:"metric"`
	Complete       bool   `json:"complete"`
	Reachable      int    `json:"reachable"`
	SolutionLength *int   `json:"solution_length"`
}

func readTruth(tb testing.TB) []truthCase {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/truth/sokoban.json")
	if err != nil {
		tb.Fatal(err)
	}
	var cases []truthCase
	if err := json.Unmarshal(text, &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

func readLevel(tb testing.TB, text string) *Level {
	tb.Helper()
	boards, err := puzzles.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	l, err := NewLevel(boards[0].Puzzle)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func TestScratch(t *testing.T) {
	for _, c := range readTruth(t) {
		if c.Metric != "push" || os.Getenv("ONLY") != "" && !strings.Contains(c.ID, os.Getenv("ONLY")) {
			continue
		}
		begin := time.Now()
		l := readLevel(t, c.Input)
		want := -1
		if c.SolutionLength != nil {
			want = *c.SolutionLength
		}
		for name, solve := range map[string]func() Report{
			"astar": func() Report { return l.AStar(PushOptimal, Limits{Nodes: 1_000_000}) },
			"ida5":  func() Report { return l.Deepen(Version5, Limits{Nodes: 1_000_000}) },
			"ida4":  func() Report { return l.Deepen(Version4, Limits{Nodes: 1_000_000}) },
		} {
			if os.Getenv("ALG") != "" && os.Getenv("ALG") != name {
				continue
			}
			begin = time.Now()
			r := solve()
			took := time.Since(begin)
			if r.Outcome == Solved {
				n, err := Check(l.Drawing(), r.Solution.Moves)
				if err != nil || n != len(r.Solution.Pushes) {
					t.Errorf("%s %s: %v", name, c.ID, err)
				}
				if want >= 0 && n != want {
					t.Errorf("%s %s: %d pushes, want %d", name, c.ID, n, want)
				}
			}
			if r.Outcome != Solved || r.Nodes > 5000 {
				t.Logf("%s %s: %v pushes %d want %d initial %d nodes %d gen %d %v", name, c.ID, r.Outcome, len(r.Solution.Pushes), want, r.Initial, r.Nodes, r.Generated, took)
			}
		}
	}
}
