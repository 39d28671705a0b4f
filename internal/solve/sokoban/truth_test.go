package sokoban

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
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

// truthOf returns the cases of a metric whose solutions are known.
func truthOf(tb testing.TB, metric string) []truthCase {
	tb.Helper()
	text, err := os.ReadFile("../../../testdata/truth/sokoban.json")
	if err != nil {
		tb.Fatal(err)
	}
	var cases, all []truthCase
	if err := json.Unmarshal(text, &all); err != nil {
		tb.Fatal(err)
	}
	for _, c := range all {
		if c.Metric == metric && c.SolutionLength != nil {
			cases = append(cases, c)
		}
	}
	if len(cases) < 100 {
		tb.Fatalf("%d cases of metric %s", len(cases), metric)
	}
	return cases
}

func readBoard(tb testing.TB, text, metric string) puzzle.Board {
	tb.Helper()
	boards, err := puzzles.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0]
}

// algorithm finds a solver by name.
func algorithm(tb testing.TB, name string) solve.Algorithm {
	tb.Helper()
	for _, a := range Algorithms() {
		if a.Name == name {
			return a
		}
	}
	tb.Fatalf("no algorithm %s", name)
	return solve.Algorithm{}
}

// solveLevel solves a level and plays the solution by the rules.
func solveLevel(tb testing.TB, name, text, metric string, limits solve.Limits) (r solve.Result, pushes, steps int) {
	tb.Helper()
	p := readBoard(tb, text, metric)
	a := algorithm(tb, name)
	r, err := a.Solve(tb.Context(), &solve.Problem{Board: p, Limits: limits})
	if err != nil {
		tb.Fatal(err)
	}
	if r.Outcome != solve.Solved {
		return r, 0, 0
	}
	l, err := NewLevel(p.Puzzle, nil)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := l.Solution(r.Moves)
	if err != nil {
		tb.Fatal(err)
	}
	pushes, err = Check(text, s.Moves)
	if err != nil {
		tb.Fatalf("%s: %v\n%s\n%s", name, err, text, s.Moves)
	}
	if pushes != len(s.Pushes) || strings.Count(s.Table(), "\n") != pushes {
		tb.Fatalf("%s: %d pushes in %s, %d told", name, pushes, s.Moves, len(s.Pushes))
	}
	return r, pushes, len(s.Moves)
}

// The known optimal lengths are met, with less than a million nodes each.
func TestPushesOfTruth(t *testing.T) {
	for _, c := range truthOf(t, "push") {
		if c.Reachable > 600_000 || testing.Short() && c.Reachable > 50_000 {
			continue
		}
		for _, name := range []string{"soko", "soko-5"} {
			if name == "soko-5" && c.Reachable > 40_000 {
				continue
			}
			r, pushes, _ := solveLevel(t, name, c.Input, "push", solve.Limits{NodesMax: 1_000_000})
			switch {
			case r.Outcome != solve.Solved:
				t.Errorf("%s, %s: %v %v", c.ID, name, r.Outcome, r.Stop)
			case pushes != *c.SolutionLength || len(r.Moves) != pushes || !r.Optimal:
				t.Errorf("%s, %s: %d pushes, %d moves, optimal %v; want %d pushes", c.ID, name, pushes, len(r.Moves), r.Optimal, *c.SolutionLength)
			case r.InitialBound > pushes:
				t.Errorf("%s, %s: a bound of %d for %d pushes", c.ID, name, r.InitialBound, pushes)
			}
		}
	}
}

func TestMovesOfTruth(t *testing.T) {
	for _, c := range truthOf(t, "move") {
		if c.Reachable > 100_000 || testing.Short() && c.Reachable > 10_000 {
			continue
		}
		r, _, steps := solveLevel(t, "soko", c.Input, "move", solve.Limits{})
		if r.Outcome != solve.Solved || steps != *c.SolutionLength || len(r.Moves) != steps || !r.Optimal {
			t.Errorf("%s: %v in %d steps, %d moves, optimal %v; want %d steps", c.ID, r.Outcome, steps, len(r.Moves), r.Optimal, *c.SolutionLength)
		}
	}
}

// The versions of the paper, and a search in a hurry: where they solve a level in
// time, the versions are optimal. A version sees no more nodes than the one before
// it in the last iteration but for the order.
func TestVersions(t *testing.T) {
	solved := map[string]int{}
	for _, c := range truthOf(t, "push") {
		if !strings.Contains(c.ID, "kids") {
			continue
		}
		for _, name := range []string{"soko-1", "soko-2", "soko-3", "soko-4", "soko-astar-fast", "soko-astar-move", "soko-astar-push"} {
			r, pushes, _ := solveLevel(t, name, c.Input, "push", solve.Limits{NodesMax: 20_000})
			if r.Outcome != solve.Solved {
				if r.Outcome != solve.Unknown || r.Stop != solve.StopNodes || r.Expanded != 20_000 {
					t.Errorf("%s, %s: %v %v after %d nodes", c.ID, name, r.Outcome, r.Stop, r.Expanded)
				}
				continue
			}
			solved[name]++
			hurry := name == "soko-astar-fast" || name == "soko-astar-move"
			if pushes < *c.SolutionLength || pushes > *c.SolutionLength && !hurry || r.Optimal == hurry {
				t.Errorf("%s, %s: %d pushes, want %d; optimal %v", c.ID, name, pushes, *c.SolutionLength, r.Optimal)
			}
			sum, generated := int64(0), int64(0)
			for _, i := range r.Iterations {
				sum, generated = sum+i.Expanded, generated+i.Generated
			}
			if strings.Contains(name, "astar") {
				continue
			}
			if sum != r.Expanded || generated != r.Generated || r.Iterations[0].Bound != r.InitialBound || r.Iterations[len(r.Iterations)-1].Bound != pushes {
				t.Errorf("%s, %s: iterations %v of %d nodes from %d to %d", c.ID, name, r.Iterations, r.Expanded, r.InitialBound, pushes)
			}
		}
	}
	if solved["soko-1"] > solved["soko-2"] || solved["soko-2"] >= solved["soko-3"] || solved["soko-astar-push"] != 31 {
		t.Errorf("solved: %v", solved)
	}
}

// A table of a few entries forgets, but misleads nobody.
func TestSmallTable(t *testing.T) {
	for _, c := range truthOf(t, "push") {
		if c.Reachable > 1_000 {
			continue
		}
		for _, name := range []string{"soko-4", "soko-5"} {
			r, pushes, _ := solveLevel(t, name, c.Input, "push", solve.Limits{MemoryBytesMax: 16 << 10, NodesMax: 50_000})
			if r.Outcome == solve.Solved && pushes != *c.SolutionLength || r.Outcome == solve.Unsolvable {
				t.Errorf("%s, %s: %v with %d pushes, want %d", c.ID, name, r.Outcome, pushes, *c.SolutionLength)
			}
			if r.MemoryBytes > 16<<10 {
				t.Errorf("%s, %s: %d bytes", c.ID, name, r.MemoryBytes)
			}
		}
	}
}

func TestUnsolvable(t *testing.T) {
	for name, text := range map[string]string{
		"dead corner":      "#####\n#$  #\n# @ #\n#  .#\n#####",
		"two for one":      "#######\n#     #\n# .$$.#\n#@ #  #\n#######",
		"frozen":           "#######\n# @   #\n# $$  #\n# $$  #\n# ....#\n#     #\n#######",
		"player locked in": "#######\n#@$  .#\n#$# $.#\n# #  .#\n#######",
	} {
		for _, algorithm := range []string{"soko", "soko-astar-fast", "soko-astar-move", "soko-5"} {
			r, _, _ := solveLevel(t, algorithm, text, "push", solve.Limits{NodesMax: 100_000})
			if r.Outcome != solve.Unsolvable {
				t.Errorf("%s, %s: %v", name, algorithm, r.Outcome)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	const level = "######\n#@$ .#\n######"
	if pushes, err := Check(level, "RR"); pushes != 2 || err != nil {
		t.Errorf("%d pushes, %v", pushes, err)
	}
	for _, moves := range []string{"", "R", "rr", "RRR", "U", "x", "RRl", "l"} {
		_, err := Check(level, moves)
		if want := moves != "RRl"; (err != nil) != want {
			t.Errorf("%q: %v", moves, err)
		}
	}
}
