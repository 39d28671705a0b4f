package tiles_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/tiles"
)

// truthStatesMax and truthStatesShortMax bound the spaces that are explored.
const (
	truthStatesMax      = 1_000_000
	truthStatesShortMax = 30_000
)

type truth struct {
	ID             string `json:"id"`
	Input          string `json:"input"`
	Goal           string `json:"goal"`
	Metric         string `json:"metric"`
	Complete       *bool  `json:"complete"`
	Reachable      int    `json:"reachable"`
	Layers         []int  `json:"layers"`
	LayersPrefix   []int  `json:"layers_prefix"`
	Goals          int    `json:"goals"`
	SolutionLength *int   `json:"solution_length"`
	DistanceToGoal []int  `json:"distance_to_goal"`
	Hardest        *struct {
		Distance int    `json:"distance"`
		Count    int    `json:"count"`
		Example  string `json:"example"`
	} `json:"hardest"`
}

// TestTruth compares whole spaces, and the first layers of those too large.
func TestTruth(t *testing.T) {
	text, err := os.ReadFile("../../testdata/truth/sliding-tiles.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []truth
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	limit := truthStatesMax
	if testing.Short() {
		limit = truthStatesShortMax
	}
	whole, begun := 0, 0
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			p := c.puzzle(t)
			switch {
			case c.Complete != nil && !*c.Complete:
				begun++
				s := explore(p, p.Starts(), limit/2)
				n := len(s.layers)
				if n < 5 || n > len(c.LayersPrefix) || !slices.Equal(s.layers, c.LayersPrefix[:n]) {
					t.Errorf("the first layers are %v, not %v", s.layers, c.LayersPrefix)
				}
			case c.Reachable <= limit:
				whole++
				c.check(t, p)
			default:
				t.Skipf("%d states", c.Reachable)
			}
		})
	}
	if whole == 0 || begun == 0 {
		t.Errorf("compared %d spaces and the first layers of %d", whole, begun)
	}
}

func (c *truth) puzzle(t *testing.T) puzzle.Puzzle {
	t.Helper()
	file := "goal: " + strings.ReplaceAll(c.Goal, "\n", " / ") + "\n\n" + c.Input
	boards, err := tiles.Read([]byte(file), puzzle.ReadOptions{Metric: c.Metric})
	if err != nil {
		t.Fatal(err)
	}
	return boards[0].Puzzle
}

func (c *truth) check(t *testing.T, p puzzle.Puzzle) {
	t.Helper()
	s := explore(p, p.Starts(), c.Reachable+1)
	equal(t, "states", len(s.states), c.Reachable)
	equal(t, "layers", fmt.Sprint(s.layers), fmt.Sprint(c.Layers))
	equal(t, "goals", len(s.goals), c.Goals)
	want := -1
	if c.SolutionLength != nil {
		want = *c.SolutionLength
	}
	equal(t, "solution length", s.solution, want)
	if c.DistanceToGoal == nil {
		return
	}
	d := explore(p, s.goals, c.Reachable+1)
	equal(t, "goal distances", fmt.Sprint(d.layers), fmt.Sprint(c.DistanceToGoal))
	equal(t, "hardest distance", len(d.layers)-1, c.Hardest.Distance)
	equal(t, "hardest count", d.layers[len(d.layers)-1], c.Hardest.Count)
	found := false
	for _, key := range d.states[len(d.states)-c.Hardest.Count:] {
		found = found || p.Format([]uint64{key}) == c.Hardest.Example
	}
	equal(t, "hardest example found", found, true)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// space is what a search finds.
type space struct {
	states   []uint64 // in the order of layers
	layers   []int
	goals    []uint64
	solution int // depth of the first goal, or -1
}

// explore searches the whole space, or the layers up to a number of states.
func explore(p puzzle.Puzzle, from []uint64, statesMax int) *space {
	s := &space{solution: -1}
	seen := visited(p)
	edges := &puzzle.Edges{Keys: slices.Clone(from)}
	mark := []bool{false}
	for layer := edges.Keys; len(layer) > 0; {
		first := len(s.states)
		for _, key := range layer {
			if seen(key) {
				continue
			}
			s.states = append(s.states, key)
			if p.Goals([]uint64{key}, mark); mark[0] {
				s.goals = append(s.goals, key)
				if s.solution < 0 {
					s.solution = len(s.layers)
				}
			}
		}
		if len(s.states) > statesMax {
			s.states = s.states[:first]
			break
		}
		if len(s.states) > first {
			s.layers = append(s.layers, len(s.states)-first)
		}
		edges.Reset()
		p.Successors(s.states[first:], edges)
		layer = edges.Keys
	}
	return s
}

// visited returns a function that reports whether it has seen a key before.
func visited(p puzzle.Puzzle) func(key uint64) bool {
	if p.Layout().KeyBits > 24 {
		seen := map[uint64]bool{}
		return func(key uint64) bool {
			before := seen[key]
			seen[key] = true
			return before
		}
	}
	seen := make([]bool, 1<<p.Layout().KeyBits)
	return func(key uint64) bool {
		before := seen[key]
		seen[key] = true
		return before
	}
}
