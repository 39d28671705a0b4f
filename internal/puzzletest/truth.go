package puzzletest

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// Record is a known space: a puzzle and a metric. testdata/truth/README.md says
// what the fields are.
type Record struct {
	ID             string `json:"id"`
	Input          string `json:"input"`
	Format         string `json:"format"`
	Metric         string `json:"metric"`
	Reachable      int    `json:"reachable"`
	Layers         []int  `json:"layers"`
	Goals          int    `json:"goals"`
	SolutionLength *int   `json:"solution_length"`
	DistanceToGoal []int  `json:"distance_to_goal"`
	Hardest        *struct {
		Distance int     `json:"distance"`
		Count    int     `json:"count"`
		Example  *string `json:"example"`
	} `json:"hardest"`
}

// Bounds of what is explored: by the short tests; by all tests; by all tests,
// where the record has every number of the space; by those that have time.
const (
	statesMaxShort    = 300_000
	statesMax         = 500_000
	statesMaxFull     = 4_000_000
	statesMaxThorough = 100_000_000
)

// Records reads the records of a file.
func Records(t *testing.T, path string) []Record {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var records []Record
	if err := json.Unmarshal(text, &records); err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	return records
}

// Truth reads records and checks a family's puzzles against them. Of some
// families the hardest states are those farthest from the start, where others
// say from the goal.
func Truth(t *testing.T, path string, read func([]byte, puzzle.ReadOptions) ([]puzzle.Board, error), hardestFromStart bool) {
	t.Helper()
	for _, r := range Records(t, path) {
		t.Run(r.ID, func(t *testing.T) {
			if r.Reachable > r.statesMax() || r.Layers == nil {
				t.Skipf("%d states", r.Reachable)
			}
			boards, err := read([]byte("puzzle: "+r.Format+"\n\n"+r.Input), puzzle.ReadOptions{Metric: r.Metric})
			if err != nil || len(boards) != 1 {
				t.Fatalf("%d boards, %v", len(boards), err)
			}
			check(t, boards[0].Puzzle, r, hardestFromStart)
		})
	}
}

func (r *Record) statesMax() int {
	switch {
	case testing.Short():
		return statesMaxShort
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		return statesMaxThorough
	case r.DistanceToGoal != nil:
		return statesMaxFull
	}
	return statesMax
}

func check(t *testing.T, p puzzle.Puzzle, r Record, hardestFromStart bool) {
	t.Helper()
	s := Explore(p)
	equal(t, "reachable", len(s.States), r.Reachable)
	equal(t, "goals", s.Goals, r.Goals)
	equalSlices(t, "layers", s.Layers, r.Layers)
	solution := -1
	if r.SolutionLength != nil {
		solution = *r.SolutionLength
	}
	equal(t, "solution length", s.Solution, solution)
	if r.DistanceToGoal != nil || r.Hardest != nil && !hardestFromStart {
		s.ToGoal(p)
	}
	if r.DistanceToGoal != nil {
		equalSlices(t, "distance to goal", s.GoalLayers, r.DistanceToGoal)
	}
	if r.Hardest == nil {
		return
	}
	depth, hardest := len(s.GoalLayers)-1, s.Hardest
	if hardestFromStart {
		depth, hardest = len(s.Layers)-1, s.States[len(s.States)-s.Last:]
	}
	equal(t, "hardest distance", depth, r.Hardest.Distance)
	equal(t, "hardest count", len(hardest), r.Hardest.Count)
	if r.Hardest.Example == nil || len(hardest) == 0 {
		return
	}
	least := p.Format(hardest[:1])
	for i := range hardest {
		least = min(least, p.Format(hardest[i:i+1]))
	}
	equal(t, "hardest example", least, *r.Hardest.Example)
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
