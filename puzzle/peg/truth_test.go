package peg_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/peg"
)

const truthFile = "peg-solitaire.json"

func bounds() puzzletest.Bounds {
	b := puzzletest.Usual()
	b.States = 300_000
	return b
}

func read(tb testing.TB, headers, input string) puzzle.Puzzle {
	tb.Helper()
	if !strings.Contains(headers, "puzzle:") {
		headers = "puzzle: peg\n" + headers
	}
	boards, err := families.Read([]byte(headers+"\n\n"+input), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0].Puzzle
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, truthFile, 17, peg.Read, bounds())
}

func TestShippedPuzzles(t *testing.T) { puzzletest.Shipped(t, "peg", families.Read, bounds()) }

// begun is how many layers of a record the tests below explore.
func begun(r *truth.Record) int {
	states := int64(0)
	for depth, n := range r.Layers {
		if states += n; states > bounds().Begun {
			return depth
		}
	}
	return len(r.Layers)
}

// TestEnds compares the states in which no jump is left, and where the last peg can be.
func TestEnds(t *testing.T) {
	for _, r := range puzzletest.Records(t, truthFile) {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			p := read(t, "puzzle: "+r.Format, r.Input)
			if got := p.Format(p.Starts()); got != r.Input {
				t.Errorf("the start is drawn\n%s", got)
			}
			s := puzzletest.ExploreLayers(p, begun(&r))
			var terminal []int64
			for depth := range s.Layers {
				terminal = append(terminal, withoutMoves(p, s.Layer(depth)))
			}
			if want := r.TerminalLayers[:len(terminal)]; !slices.Equal(terminal, want) {
				t.Errorf("terminal layers %v, want %v", terminal, want)
			}
			if got := lastPegs(&r, p, s.GoalStates); len(terminal) == len(r.Layers) && !slices.Equal(got, r.GoalCells) {
				t.Errorf("goal cells %v, want %v", got, r.GoalCells)
			}
		})
	}
}

// withoutMoves counts the states that have no successor.
func withoutMoves(p puzzle.Puzzle, states []uint64) int64 {
	n := int64(0)
	var edges puzzle.Edges
	for i := range states {
		edges.Reset()
		if p.Successors(states[i:i+1], &edges); edges.Len() == 0 {
			n++
		}
	}
	return n
}

// lastPegs returns where the last peg is in the texts of goals.
func lastPegs(r *truth.Record, p puzzle.Puzzle, goals []uint64) [][2]int {
	var cells [][2]int
	for goal := range slices.Chunk(goals, 1) {
		for row, line := range strings.Split(p.Format(goal), "\n") {
			if r.Format == "peg-tri" {
				line = strings.ReplaceAll(line, " ", "")
			}
			if col := strings.IndexByte(line, 'o'); col >= 0 {
				cells = append(cells, [2]int{row, col})
			}
		}
	}
	slices.SortFunc(cells, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return cells
}

// Merged states are counted once, and weigh what is merged: with symmetries that keep
// the start, the layers without merging.
func TestTruthOfMergedStates(t *testing.T) {
	for _, r := range puzzletest.Records(t, truthFile) {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			p := read(t, "puzzle: "+r.Format+"\nsymmetry: start", r.Input)
			s := puzzletest.ExploreLayers(p, min(len(r.Layers), begun(&r)+2)) // there are fewer of them
			var sizes, weights []int64
			for depth := range s.Layers {
				layer := s.Layer(depth)
				sizes = append(sizes, int64(len(layer)))
				weights = append(weights, int64(weightOf(p, layer)))
			}
			if want := r.Layers[:len(weights)]; !slices.Equal(weights, want) {
				t.Errorf("weights %v, want %v", weights, want)
			}
			if r.SymmetryLayers != nil && !slices.Equal(sizes, r.SymmetryLayers[:len(sizes)]) {
				t.Errorf("layers %v, want %v", sizes, r.SymmetryLayers[:len(sizes)])
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
