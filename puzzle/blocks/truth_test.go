package blocks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
)

// truthStatesShort is the largest space that the short tests explore.
const truthStatesShort = 10_000

type truthCase struct {
	ID    string `json:"id"`
	Input string `json:"input"`
	Goal  struct {
		Piece string `json:"piece"`
		Row   int    `json:"row"`
		Col   int    `json:"col"`
	} `json:"goal"`
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

func readTruth(tb testing.TB) []truthCase {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/truth/klotski.json")
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
	cases := readTruth(t)
	if len(cases) != 78 {
		t.Fatalf("%d cases, want 78", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			if testing.Short() && c.Reachable > truthStatesShort {
				t.Skipf("%d states", c.Reachable)
			}
			t.Parallel()
			checkTruth(t, c)
		})
	}
}

// TestTruthOnLargeBoards puts walls around the small spaces until the boards have
// more cells than a word has bits: their keys are made in another way then, and the
// numbers are the same.
func TestTruthOnLargeBoards(t *testing.T) {
	for _, c := range readTruth(t) {
		if c.Reachable > truthStatesShort {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.Input = walled(c.Input)
			if c.Hardest != nil {
				c.Hardest.Example = walled(c.Hardest.Example)
			}
			checkTruth(t, c)
		})
	}
}

// walled adds walls to the right and below, to 6 rows and 16 columns.
func walled(text string) string {
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		rows[i] = row + strings.Repeat("#", 16-len(row))
	}
	for len(rows) < 6 {
		rows = append(rows, strings.Repeat("#", 16))
	}
	return strings.Join(rows, "\n")
}

func checkTruth(t *testing.T, c truthCase) {
	t.Helper()
	text := fmt.Sprintf("puzzle: klotski\ngoal: %s at %d,%d\n\n%s\n", c.Goal.Piece, c.Goal.Row, c.Goal.Col, c.Input)
	boards, err := blocks.Read([]byte(text), puzzle.ReadOptions{Metric: c.Metric})
	if err != nil {
		t.Fatal(err)
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
	if len(texts) > 0 {
		equal(t, "hardest example", slices.Min(texts), c.Hardest.Example)
	}
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
