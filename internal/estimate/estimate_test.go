package estimate_test

import (
	"context"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

func board(t *testing.T, text string) puzzle.Puzzle {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%d boards, %v", len(boards), err)
	}
	return boards[0].Puzzle
}

func of(t *testing.T, p puzzle.Puzzle, o estimate.Options) *estimate.Estimate {
	t.Helper()
	o.ExactStatesMax = -1 // so that small spaces are estimated
	e, err := estimate.Of(t.Context(), unknown{p}, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// unknown hides that a puzzle knows how many states it has.
type unknown struct{ puzzle.Puzzle }

// TestFormula asks a puzzle that knows.
func TestFormula(t *testing.T) {
	t.Parallel()
	e, err := estimate.Of(t.Context(), board(t, eight), estimate.Options{States: 2000, ExactStatesMax: -1})
	if err != nil || e.Method != estimate.Formula || !e.Exact() || e.States != states || e.Low != states || e.High != states || e.Formula != "9!/2" {
		t.Errorf("%+v, %v", e, err)
	}
}

const (
	eight  = "8 6 7\n2 5 4\n3 0 1"                         // 181,440 states
	hanoi  = "puzzle: hanoi\n\n4 pegs 6 discs"             // 4,096
	peg15  = "    .\n   o o\n  o o o\n o o o o\no o o o o" // cannot go back
	states = 181_440
)

func TestCounted(t *testing.T) {
	t.Parallel()
	e := of(t, board(t, eight), estimate.Options{})
	if !e.Exact() || e.States != states || e.Low != states || e.High != states || len(e.Layers) != 32 || e.Largest != 25_132 {
		t.Errorf("%+v", e)
	}
}

// TestLeast counts what takes no longer than an estimate, whatever is asked for.
func TestLeast(t *testing.T) {
	t.Parallel()
	e, err := estimate.Of(t.Context(), unknown{board(t, eight)}, estimate.Options{States: 100})
	if err != nil || e.Method != estimate.Counted || e.States != states {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestWalks estimates a space of which a hundredth is counted.
func TestWalks(t *testing.T) {
	t.Parallel()
	hits := 0
	for seed := range uint64(5) {
		e := of(t, board(t, eight), estimate.Options{Seed: seed, States: 2000, Steps: 400_000})
		if e.Method != estimate.Walks || math.Abs(e.States/states-1) > 0.15 || e.Low < 2000 {
			t.Errorf("seed %d: %v, %v states, from %v to %v", seed, e.Method, e.States, e.Low, e.High)
		}
		if e.Low <= states && states <= e.High {
			hits++
		}
		// 9!, of which the arrangements of the other parity are not reached.
		if math.Abs(e.Valid/362_880-1) > 0.02 {
			t.Errorf("%v keys are valid", e.Valid)
		}
		if math.Abs(e.Degree-24.0/9) > 0.02 { // by where the hole is
			t.Errorf("%v successors a state", e.Degree)
		}
	}
	if hits < 4 {
		t.Errorf("the truth is in %d of 5 intervals", hits)
	}
}

// Walks of a few steps are made long enough to know the degree.
func TestFewSteps(t *testing.T) {
	t.Parallel()
	for _, steps := range []int64{1, 31, 32, 100} {
		e := of(t, board(t, eight), estimate.Options{States: 2000, Steps: steps})
		if !(e.Degree >= 2 && e.Degree <= 4) {
			t.Errorf("%d steps: degree %v", steps, e.Degree)
		}
	}
}

// TestSeed shows that the estimate follows from the options, whoever works it out.
func TestSeed(t *testing.T) {
	t.Parallel()
	p := board(t, eight)
	o := estimate.Options{Seed: 7, States: 2000, Steps: 100_000, Records: 4096, Workers: 1}
	a := of(t, p, o)
	o.Workers = 3
	if b := of(t, p, o); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
	o.Seed = 8
	if b := of(t, p, o); a.States == b.States {
		t.Error("another seed takes the same sample")
	}
	// Records are thinned to what was allowed, and the rest stands for all.
	if math.Abs(a.States/states-1) > 0.5 {
		t.Errorf("%v states", a.States)
	}
}

// TestGrowth estimates a space that cannot be walked through.
func TestGrowth(t *testing.T) {
	t.Parallel()
	p := board(t, peg15)
	all := of(t, p, estimate.Options{})
	e := of(t, p, estimate.Options{States: 500})
	if !all.Exact() || e.Method != estimate.Growth || e.Converged || e.Low > all.States || e.High < all.States || e.States > 1<<15 {
		t.Errorf("%v states: %+v", all.States, e)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{1, 1 << 20} {
		if _, err := estimate.Of(ctx, board(t, eight), estimate.Options{States: n, ExactStatesMax: -1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	p := board(t, hanoi)
	e := of(t, p, estimate.Options{})
	one := estimate.Machines{Workers: 1, Lanes: 1, Memory: 64 << 20, SuccessorNanos: 5}
	c := e.CostOf(p, one)
	if c.Disk.Low > c.Disk.Likely || c.Disk.Likely > c.Disk.High || c.Seconds.Likely <= 0 || c.Spill.Likely != 0 || c.Memory > 64<<20 {
		t.Errorf("%+v", c)
	}
	e.States, e.Low, e.High, e.Largest = 1e10, 5e9, 2e10, 1e9
	one.SuccessorNanos = 5
	c = e.CostOf(p, one)
	four := one
	four.Workers, four.Lanes = 4, 2
	d := e.CostOf(p, four)
	if d.Seconds.Likely >= c.Seconds.Likely/4 || d.Disk != c.Disk || d.Memory != c.Memory/4 || c.Spill.Likely == 0 {
		t.Errorf("%+v\n%+v", c, d)
	}
	four.GoalDistance = true
	if g := e.CostOf(p, four); g.Seconds.Likely < 1.9*d.Seconds.Likely || g.Disk.Likely <= d.Disk.Likely {
		t.Errorf("%+v\n%+v", d, g)
	}
}

// TestOrbits estimates merged spaces of which the number of states is known: the skewb's,
// whose sets of pieces are tied to one another, so that its orbits are not counted exactly.
func TestOrbits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../puzzles/permutation/skewb.txt")
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.ReadWith(text, []families.Header{{Key: "symmetry", Value: "on"}}, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const orbits = 131_391 // as explored
	e, err := estimate.Of(t.Context(), boards[0].Puzzle, estimate.Options{States: 2000, ExactStatesMax: -1})
	if err != nil || e.Exact() || !e.Converged || e.Low > orbits || e.High < orbits || math.Abs(e.States/orbits-1) > 0.01 {
		t.Errorf("%v states, from %v to %v, by %v; %v", e.States, e.Low, e.High, e.Method, err)
	}
}
