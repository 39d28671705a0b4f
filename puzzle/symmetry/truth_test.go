package symmetry_test

import (
	"errors"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// truthStatesMax bounds the spaces of TestTruth.
func truthStatesMax() int64 {
	switch {
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		return 2_000_000
	case testing.Short():
		return 300
	}
	return 10_000
}

// TestTruth merges every known space that has a group, and compares what its layers
// stand for, by depth and by goal distance, with the record. Those of the plain space
// are compared in the tests of the families.
func TestTruth(t *testing.T) {
	t.Parallel()
	records, err := truth.ReadAll("../..")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for _, r := range records {
		if !r.Whole() || *r.Reachable > truthStatesMax() {
			continue
		}
		text, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		plain, merged := bothOf(t, &r, text)
		if merged == nil {
			continue
		}
		tried[r.Format]++
		t.Run(r.ID, func(t *testing.T) { checkRecord(t, &r, plain, merged) })
	}
	t.Log("spaces:", tried)
	for _, format := range []string{"tiles", "hanoi", "topspin", "permutation"} {
		if tried[format] == 0 && !testing.Short() {
			t.Errorf("no space of %s has symmetries", format)
		}
	}
}

// bothOf reads the puzzle of a record, and the merged one or nil if it has no group
// that maps its start to itself.
func bothOf(t *testing.T, r *truth.Record, text string) (plain, merged puzzle.Puzzle) {
	t.Helper()
	read := func(header string) (puzzle.Puzzle, error) {
		boards, err := families.ReadWith([]byte(text), []families.Header{{Key: "symmetry", Value: header}}, puzzle.ReadOptions{Metric: r.Metric})
		if err != nil {
			return nil, err
		}
		return boards[0].Puzzle, nil
	}
	plain, err := read("off")
	if err != nil {
		t.Fatal(r.ID, err)
	}
	for _, name := range []string{"start", "on"} { // peg solitaire has both
		merged, err = read(name)
		if err == nil {
			return plain, merged
		}
		if fault := (*puzzle.InputError)(nil); !errors.As(err, &fault) {
			t.Fatal(r.ID, err)
		}
	}
	return plain, nil
}

func checkRecord(t *testing.T, r *truth.Record, plain, merged puzzle.Puzzle) {
	t.Helper()
	few := puzzletest.Explore(merged)
	checkSize(t, plain, int(*r.Reachable))
	checkSize(t, merged, few.Len())
	if got := represented(merged, few.States, few.Layers); !slices.Equal(got, r.Layers) {
		t.Errorf("layers stand for %v, want %v", got, r.Layers)
	}
	if got := weightOf(merged, few.GoalStates); r.Goals != nil && int64(got) != *r.Goals {
		t.Errorf("goals stand for %d, want %d", got, *r.Goals)
	}
	if r.SolutionLength != nil && few.Solution != *r.SolutionLength {
		t.Errorf("the first goal is at %d, want %d", few.Solution, *r.SolutionLength)
	}
	if r.DistanceToGoal != nil && few.ToGoal(merged) {
		if got := represented(merged, few.Near, few.GoalLayers); !slices.Equal(got, r.DistanceToGoal) {
			t.Errorf("goal distances stand for %v, want %v", got, r.DistanceToGoal)
		}
	}
	checkPaths(t, plain, merged, few)
}

// checkSize compares the number of states that a puzzle knows, if any, with the true one.
func checkSize(t *testing.T, p puzzle.Puzzle, states int) {
	t.Helper()
	sized, ok := p.(puzzle.Sized)
	if !ok {
		return
	}
	size := sized.Size()
	if size.States != nil && (size.Exact && size.States.Cmp(big.NewInt(int64(states))) != 0 || size.States.Cmp(big.NewInt(int64(states))) < 0) {
		t.Errorf("the size is %v, exact: %t; there are %d states", size.States, size.Exact, states)
	}
}

// represented returns what the states of each layer stand for.
func represented(p puzzle.Puzzle, states []uint64, layers []int) (counts []int64) {
	words := p.Layout().Words()
	for _, n := range layers {
		counts = append(counts, int64(weightOf(p, states[:n*words])))
		states = states[n*words:]
	}
	return counts
}
