package sokoban_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sokoban"
)

// The largest spaces that the tests explore, and the short ones.
const (
	truthStatesMax   = 20_000
	truthStatesShort = 2_000
)

type truthCase struct {
	ID             string `json:"id"`
	Input          string `json:"input"`
	Metric         string `json:"metric"`
	Cells          int    `json:"cells"`
	Boxes          int    `json:"boxes"`
	Complete       bool   `json:"complete"`
	Reachable      int    `json:"reachable"`
	Layers         []int  `json:"layers"`
	LayersPrefix   []int  `json:"layers_prefix"`
	Goals          int    `json:"goals"`
	SolutionLength *int   `json:"solution_length"`
	DistanceToGoal []int  `json:"distance_to_goal"`
	Dead           int    `json:"dead"`
	Hardest        *struct {
		Distance int    `json:"distance"`
		Count    int    `json:"count"`
		Example  string `json:"example"`
	} `json:"hardest"`
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

func TestTruth(t *testing.T) {
	cases := readTruth(t)
	if len(cases) != 393 {
		t.Fatalf("%d cases, want 393", len(cases))
	}
	statesMax := truthStatesMax
	if testing.Short() {
		statesMax = truthStatesShort
	}
	explored := 0
	for _, c := range cases {
		boards, err := sokoban.Read([]byte(c.Input), puzzle.ReadOptions{Metric: c.Metric})
		if err != nil || len(boards) != 1 {
			t.Fatalf("%s: %d boards, %v", c.ID, len(boards), err)
		}
		b := boards[0]
		equal(t, c.ID+": metric", b.Metric, c.Metric)
		if again, err := sokoban.Read([]byte(b.Text), puzzle.ReadOptions{}); err != nil || again[0].Text != b.Text ||
			!slices.Equal(again[0].Puzzle.Starts(), b.Puzzle.Starts()) {
			t.Errorf("%s: the canonical text is read as another puzzle, %v", c.ID, err)
		}
		switch {
		case !c.Complete:
			checkPrefix(t, &c, b.Puzzle)
		case c.Reachable <= statesMax:
			explored++
			checkTruth(t, &c, b.Puzzle)
		}
	}
	if !testing.Short() && explored < 270 {
		t.Errorf("only %d spaces were explored", explored)
	}
}

// checkPrefix checks the first layers of a space that is too large.
func checkPrefix(t *testing.T, c *truthCase, p puzzle.Puzzle) {
	t.Helper()
	layers, states := 0, 0
	for layers < len(c.LayersPrefix) && states+c.LayersPrefix[layers] <= truthStatesMax {
		states += c.LayersPrefix[layers]
		layers++
	}
	equalSlices(t, c.ID+": layers", explore(p, layers).layers, c.LayersPrefix[:layers])
}

func checkTruth(t *testing.T, c *truthCase, p puzzle.Puzzle) {
	t.Helper()
	s := explore(p, 0)
	equal(t, c.ID+": reachable", len(s.states), c.Reachable)
	equalSlices(t, c.ID+": layers", s.layers, c.Layers)
	equal(t, c.ID+": goals", s.goals, c.Goals)
	hardest, distance := s.hardest, len(s.distance)-1
	switch c.Metric {
	case "backward-push":
		distance = len(s.layers) - 1
		hardest = s.states[len(s.states)-s.layers[distance]:]
	default:
		solution := -1
		if c.SolutionLength != nil {
			solution = *c.SolutionLength
		}
		equal(t, c.ID+": solution length", s.solution, solution)
	}
	if c.DistanceToGoal != nil {
		equalSlices(t, c.ID+": distance to goal", s.distance, c.DistanceToGoal)
		equal(t, c.ID+": dead", s.dead, c.Dead)
	}
	if c.Hardest == nil {
		return
	}
	equal(t, c.ID+": hardest distance", distance, c.Hardest.Distance)
	equal(t, c.ID+": hardest count", len(hardest), c.Hardest.Count)
	var texts []string
	for _, state := range hardest {
		texts = append(texts, p.Format(state))
	}
	equal(t, c.ID+": hardest example", slices.Min(texts), c.Hardest.Example)
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
