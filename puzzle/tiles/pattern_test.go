package tiles_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
	"github.com/everystate/everystate/puzzle/tiles"
)

func onlyBoard(t *testing.T, text string) puzzle.Board {
	t.Helper()
	boards, err := tiles.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%d boards, %v", len(boards), err)
	}
	return boards[0]
}

// TestPattern counts the states of patterns: those of a whole puzzle divided by the
// orders of what cannot be told apart.
func TestPattern(t *testing.T) {
	for _, test := range []struct {
		text   string
		states int
	}{
		{"any: 4 5 6 7 8\n8 6 7\n2 5 4\n3 0 1", 9 * 8 * 7 * 6},
		{"any: 1 2 3\n1 2 3\n4 5 0", 6 * 5 * 4},
		{"any: 3 1 2\nx x x 0", 4},
		{"any: 1\n2 0\n1 3", 4 * 3 * 2 / 2},
	} {
		b := onlyBoard(t, test.text)
		puzzletest.Run(t, b, conformance.Options{Seed: 1, Read: tiles.Read})
		if s := puzzletest.Explore(b.Puzzle); len(s.States) != test.states {
			t.Errorf("%q: %d states, want %d", test.text, len(s.States), test.states)
		}
	}
}

// TestProjection moves at random in a puzzle and in a pattern of it: a state looks
// like the state that the same moves lead to.
func TestProjection(t *testing.T) {
	t.Parallel()
	whole := onlyBoard(t, "7 2 4\n5 0 6\n8 3 1")
	pattern := onlyBoard(t, "any: 1 3 8\n7 2 4\n5 0 6\n8 3 1")
	look, err := tiles.Projection(whole.Puzzle, pattern.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]puzzle.Move{}
	for m := range puzzle.Move(4) {
		ids[pattern.Puzzle.FormatMove(m)] = m
	}
	random := rand.New(rand.NewPCG(1, 2))
	at, seen := whole.Puzzle.Starts(), pattern.Puzzle.Starts()
	for range 1000 {
		m := puzzle.Move(random.IntN(4))
		legal := whole.Puzzle.Apply(at, at, m)
		if pattern.Puzzle.Apply(seen, seen, ids[whole.Puzzle.FormatMove(m)]) != legal {
			t.Fatalf("%s is legal in one of them only", whole.Puzzle.FormatMove(m))
		}
		if look(at[0]) != seen[0] {
			t.Fatalf("\n%s\nlooks like\n%s\nnot\n%s", whole.Puzzle.Format(at),
				pattern.Puzzle.Format([]uint64{look(at[0])}), pattern.Puzzle.Format(seen))
		}
		key, err := pattern.Puzzle.Parse(whole.Puzzle.Format(at))
		if err != nil || key[0] != seen[0] {
			t.Fatalf("%v, %v", key, err)
		}
	}
	other := onlyBoard(t, "goal: 0 1 2 / 3 4 5 / 6 7 8\n7 2 4\n5 0 6\n8 3 1")
	if _, err := tiles.Projection(other.Puzzle, pattern.Puzzle); err == nil {
		t.Error("a pattern with another goal is taken for an abstraction")
	}
}

func TestPatternFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"any:\n1 2\n3 0":                          "no tiles",
		"any: 0\n1 2\n3 0":                        "the hole is not allowed here",
		"any: 1 1\n1 2\n3 0":                      "tile 1 is not allowed here, or is listed twice",
		"any: 1\nx x\n3 0":                        "tile 2 is missing",
		"any: 1\n2 2\n3 0":                        "tile 2 appears a second time",
		"any: 1\nmetric: line\n1 2\n3 0":          "metric must be tile",
		"any: 1\ngoal: 1 2 / 3 4 / 5 0\n1 2\n3 0": "a goal of 3x2",
		"any: 4\n1 2\n3 0":                        "is not a tile",
	} {
		_, err := tiles.Read([]byte("puzzle: tiles\n"+text), puzzle.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
