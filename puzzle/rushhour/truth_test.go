package rushhour_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

const truthFolder = "../../testdata/truth/"

// truthStatesShort is the largest space that the short tests explore.
const truthStatesShort = 300_000

// truthStatesMax is the largest space that any test explores here, in a few
// seconds. Larger ones are for the programs that this package is built for.
const truthStatesMax = 3_000_000

type truthCase struct {
	ID             string `json:"id"`
	Input          string `json:"input"`
	InputAlt       string `json:"input_alt"`
	Metric         string `json:"metric"`
	Reachable      int    `json:"reachable"`
	Layers         []int  `json:"layers"`
	Goals          int    `json:"goals"`
	SolutionLength *int   `json:"solution_length"`
	DistanceToGoal []int  `json:"distance_to_goal"`
	Hardest        *struct {
		Distance int    `json:"distance"`
		Count    int    `json:"count"`
		Example  string `json:"example"`
	} `json:"hardest"`
}

func readTruth(tb testing.TB, name string) []truthCase {
	tb.Helper()
	text, err := os.ReadFile(truthFolder + name)
	if err != nil {
		tb.Fatal(err)
	}
	var cases []truthCase
	if err := json.Unmarshal(text, &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

func TestTruth(t *testing.T) {
	cases := readTruth(t, "rush-hour.json")
	if len(cases) != 688 {
		t.Fatalf("%d cases, want 688", len(cases))
	}
	for _, c := range append(cases, readTruth(t, "rush-hour-large.json")...) {
		t.Run(c.ID, func(t *testing.T) {
			if testing.Short() && c.Reachable > truthStatesShort || c.Reachable > truthStatesMax {
				t.Skipf("%d states", c.Reachable)
			}
			t.Parallel()
			checkTruth(t, c, c.Input)
			if c.InputAlt != "" {
				c.Hardest.Example = strings.ReplaceAll(c.Hardest.Example, "\n", " / ")
				checkTruth(t, c, c.InputAlt)
			}
		})
	}
}

func checkTruth(t *testing.T, c truthCase, input string) {
	t.Helper()
	boards, err := rushhour.Read([]byte(input), puzzle.ReadOptions{Metric: c.Metric})
	if err != nil {
		t.Fatal(err)
	}
	if len(boards) != 1 {
		t.Fatalf("%d boards, want 1", len(boards))
	}
	p := boards[0].Puzzle
	s := explore(p)
	equal(t, "reachable", len(s.states), c.Reachable)
	equalSlices(t, "layers", s.layers, c.Layers)
	equal(t, "goals", s.goals, c.Goals)
	solution := -1
	if c.SolutionLength != nil {
		solution = *c.SolutionLength
	}
	equal(t, "solution length", s.solution, solution)
	equalSlices(t, "distance to goal", s.goalLayers, c.DistanceToGoal)
	if c.Hardest == nil {
		equal(t, "hardest", len(s.hardest), 0)
		return
	}
	equal(t, "hardest distance", len(s.goalLayers)-1, c.Hardest.Distance)
	equal(t, "hardest count", len(s.hardest), c.Hardest.Count)
	var texts []string
	for _, key := range s.hardest {
		texts = append(texts, p.Format([]uint64{key}))
	}
	example, want := slices.Min(texts), c.Hardest.Example
	if strings.Contains(want, " / ") { // letters differ between the notations
		key, err := p.Parse(want)
		if err != nil {
			t.Fatalf("hardest example: %v", err)
		}
		if !slices.Contains(s.hardest, key[0]) {
			t.Errorf("hardest example is not among the hardest:\n%s", want)
		}
		return
	}
	equal(t, "hardest example", example, want)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func equalSlices[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// TestDatabaseLines reads the published lines and checks what they promise
// against the spaces of the small ones.
func TestDatabaseLines(t *testing.T) {
	text, err := os.ReadFile(truthFolder + "rush-hour-database-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := rushhour.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "boards", len(steps), 923)
	equal(t, "metric", steps[0].Metric, "step")
	equal(t, "solution length in steps", steps[0].Expect.SolutionLength, -1)
	equal(t, "states", steps[0].Expect.States, 2332)
	slides, err := rushhour.Read(text, puzzle.ReadOptions{Metric: "slide"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range slides {
		if b.Expect.States > 1000 {
			continue
		}
		s := explore(b.Puzzle)
		if len(s.states) != int(b.Expect.States) || s.solution != b.Expect.SolutionLength {
			t.Errorf("%d states and %d moves, want %d and %d:\n%s", len(s.states), s.solution,
				b.Expect.States, b.Expect.SolutionLength, b.Text)
		}
	}
}
