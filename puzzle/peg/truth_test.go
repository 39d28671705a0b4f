package peg_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/peg"
)

// truthStatesMax is the largest space that is explored whole, and truthPrefixMax the
// largest part of one that is not.
const (
	truthStatesMax = 300_000
	truthPrefixMax = 120_000
)

type truthCase struct {
	ID             string   `json:"id"`
	Input          string   `json:"input"`
	Format         string   `json:"format"`
	Holes          int      `json:"holes"`
	Reachable      int      `json:"reachable"`
	Layers         []int    `json:"layers"`
	TerminalLayers []int    `json:"terminal_layers"`
	Goals          int      `json:"goals"`
	GoalCells      [][2]int `json:"goal_cells"`
	SolutionLength *int     `json:"solution_length"`
	SymmetryLayers []int    `json:"symmetry_layers"`
}

// depths returns how many layers the tests explore.
func (c *truthCase) depths() int {
	if c.Reachable <= truthStatesMax {
		return math.MaxInt
	}
	total := 0
	for depth, n := range c.Layers {
		if total += n; total > truthPrefixMax {
			return depth
		}
	}
	return len(c.Layers)
}

func truthCases(tb testing.TB) []truthCase {
	tb.Helper()
	text, err := os.ReadFile("../../testdata/truth/peg-solitaire.json")
	if err != nil {
		tb.Fatal(err)
	}
	var cases []truthCase
	if err := json.Unmarshal(text, &cases); err != nil {
		tb.Fatal(err)
	}
	if len(cases) != 17 {
		tb.Fatalf("%d cases, want 17", len(cases))
	}
	return cases
}

func read(tb testing.TB, headers, input string) puzzle.Puzzle {
	tb.Helper()
	boards, err := peg.Read([]byte(headers+"\n\n"+input), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0].Puzzle
}

func TestTruth(t *testing.T) {
	for _, c := range truthCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			p := read(t, "puzzle: "+c.Format, c.Input)
			if got := p.Format(p.Starts()); got != c.Input {
				t.Errorf("the start is drawn\n%s", got)
			}
			layers := layersOf(p, c.depths())
			var sizes, terminal []int
			goals, solution := []string(nil), -1
			for depth, layer := range layers {
				sizes = append(sizes, len(layer))
				terminal = append(terminal, withoutMoves(p, layer))
				for _, key := range marked(p, layer) {
					goals = append(goals, p.Format([]uint64{key}))
					if solution < 0 {
						solution = depth
					}
				}
			}
			if want := c.Layers[:min(len(c.Layers), c.depths())]; !slices.Equal(sizes, want) {
				t.Errorf("layers %v, want %v", sizes, want)
			}
			if want := c.TerminalLayers[:min(len(c.Layers), c.depths())]; !slices.Equal(terminal, want) {
				t.Errorf("terminal layers %v, want %v", terminal, want)
			}
			if c.Reachable > truthStatesMax {
				return
			}
			if want := length(c.SolutionLength); solution != want {
				t.Errorf("solution of %d jumps, want %d", solution, want)
			}
			checkGoals(t, &c, goals)
		})
	}
}

// length returns a length, -1 if there is none.
func length(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// withoutMoves counts the states that have no successor.
func withoutMoves(p puzzle.Puzzle, states []uint64) int {
	n := 0
	var edges puzzle.Edges
	for i := range states {
		edges.Reset()
		if p.Successors(states[i:i+1], &edges); edges.Len() == 0 {
			n++
		}
	}
	return n
}

// checkGoals compares where the last peg is in the texts of goals.
func checkGoals(t *testing.T, c *truthCase, goals []string) {
	t.Helper()
	if len(goals) != c.Goals {
		t.Errorf("%d goals, want %d", len(goals), c.Goals)
	}
	var cells [][2]int
	for _, text := range goals {
		for row, line := range strings.Split(text, "\n") {
			if c.Format == "peg-tri" {
				line = strings.ReplaceAll(line, " ", "")
			}
			if col := strings.IndexByte(line, 'o'); col >= 0 {
				cells = append(cells, [2]int{row, col})
			}
		}
	}
	slices.SortFunc(cells, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(cells, c.GoalCells) {
		t.Errorf("goal cells %v, want %v", cells, c.GoalCells)
	}
}

// Merged states are counted once, and weigh what is merged: with symmetries that keep
// the start, the layers without merging.
func TestTruthOfMergedStates(t *testing.T) {
	for _, c := range truthCases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			depths := c.depths()
			if c.Reachable > truthStatesMax {
				depths += 2 // there are fewer of them
			}
			p := read(t, "puzzle: "+c.Format+"\nsymmetry: start", c.Input)
			var sizes, weights []int
			for _, layer := range layersOf(p, depths) {
				sizes = append(sizes, len(layer))
				weights = append(weights, weightOf(p, layer))
			}
			if want := c.Layers[:len(weights)]; !slices.Equal(weights, want) {
				t.Errorf("weights %v, want %v", weights, want)
			}
			if c.SymmetryLayers == nil {
				return
			}
			if want := c.SymmetryLayers[:len(sizes)]; !slices.Equal(sizes, want) {
				t.Errorf("layers %v, want %v", sizes, want)
			}
		})
	}
}

// weightOf adds the weights of states.
func weightOf(p puzzle.Puzzle, states []uint64) int {
	weights := make([]uint64, len(states))
	p.(puzzle.Weighted).Weights(states, weights)
	sum := uint64(0)
	for _, w := range weights {
		sum += w
	}
	return int(sum)
}
