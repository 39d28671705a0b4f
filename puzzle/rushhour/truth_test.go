package rushhour_test

import (
	"os"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

func bounds() puzzletest.Bounds {
	return puzzletest.Bounds{States: 300_000, Begun: 100_000, Short: 2_000, Part: 6}
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "rush-hour.json", 688, rushhour.Read, bounds())
}

func TestTruthOfLargeSpaces(t *testing.T) {
	puzzletest.Truth(t, "rush-hour-large.json", 2, rushhour.Read, bounds())
}

func TestShippedPuzzles(t *testing.T) {
	b := bounds()
	b.States, b.Part = 700_000, 0
	puzzletest.Shipped(t, "rushhour", rushhour.Read, b)
}

// TestDatabaseLines reads the published lines and checks what they promise
// against the spaces of the small ones.
func TestDatabaseLines(t *testing.T) {
	text, err := os.ReadFile("../../testdata/truth/rush-hour-database-lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := rushhour.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 923 || steps[0].Metric != "step" || steps[0].Expect != (puzzle.Expect{SolutionLength: -1, States: 2332}) {
		t.Errorf("%d boards, of which the first promises %+v in %s", len(steps), steps[0].Expect, steps[0].Metric)
	}
	slides, err := rushhour.Read(text, puzzle.ReadOptions{Metric: "slide"})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range slides {
		if b.Expect.States > 1000 {
			continue
		}
		s := puzzletest.Explore(b.Puzzle)
		if s.Len() != int(b.Expect.States) || s.Solution != b.Expect.SolutionLength {
			t.Errorf("%d states and %d moves, want %d and %d:\n%s", s.Len(), s.Solution,
				b.Expect.States, b.Expect.SolutionLength, b.Text)
		}
	}
}
