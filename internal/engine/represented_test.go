package engine

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// What the states of a merged space stand for is the space itself, layer by layer.
func TestRepresented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../puzzles/peg/triangle-15.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "symmetry:") {
		t.Fatal("the board is merged already")
	}
	merged := strings.Replace(string(text), "\n\n", "\nsymmetry: start\n\n", 1)
	merged = strings.Join(slices.DeleteFunc(strings.Split(merged, "\n"), func(l string) bool { return strings.HasPrefix(l, "states:") }), "\n")
	plain, few := layersOfText(t, string(text)), layersOfText(t, merged)
	if len(plain) != len(few) {
		t.Fatalf("%d layers, merged %d", len(plain), len(few))
	}
	fewer := false
	for d := range plain {
		if plain[d].Represented != 0 || few[d].Represented != plain[d].States {
			t.Errorf("depth %d: %d states, merged %d that stand for %d", d, plain[d].States, few[d].States, few[d].Represented)
		}
		fewer = fewer || few[d].States < plain[d].States
	}
	if !fewer {
		t.Error("nothing was merged")
	}
}

func layersOfText(t *testing.T, text string) []history.Layer {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r, err := Create(dir, boards[0], Options{Workers: 2, Partitions: 8, MemoryBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	want := history.Want{GoalDistance: true}
	if _, err := r.Explore(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = Open(dir, Options{ReadOnly: true}); err != nil { // from the journal
		t.Fatal(err)
	}
	if _, err := r.Verify(context.Background(), func(int64) {}); err != nil {
		t.Error(err)
	}
	layers := r.History().Layers(history.Forward)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return layers
}

// A run whose states have other keys than its board has now is refused, not misread.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("3 pegs 3 discs"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	others, err := families.Read([]byte("puzzle: hanoi\n\n1 1 2"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Workers: 1, Partitions: 2, MemoryBytes: 64 << 20}
	for _, c := range []struct {
		made puzzle.Puzzle
		want error
	}{{boards[0].Puzzle, nil}, {others[0].Puzzle, ErrOtherKeys}} {
		dir, board := t.TempDir(), boards[0]
		board.Puzzle = c.made
		r, err := Create(dir, board, opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Explore(t.Context(), history.Want{}); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r, err = Open(dir, opts)
		if !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
		if err == nil {
			err = r.Close()
		}
		if c.want == nil && err != nil {
			t.Error(err)
		}
	}
}

// TestSymmetric compares merged spaces of several families with the plain ones: what
// their layers stand for, and what the layers of goal distances stand for.
func TestSymmetric(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"puzzle: hanoi\n\n4 pegs 5 discs\n",
		"puzzle: tiles\ngoal: 1 0 2 / 3 4 5\n\n1 0 2\n3 4 5\n",
		"puzzle: topspin\n\n6 3: 1 2 3 4 5 6\n",
		"pieces: 6\n\nmove A: (1 2)\nmove B: (2 3)\nmove C: (3 4)\nmove D: (4 5)\nmove E: (5 6)\nmove F: (6 1)\n",
	} {
		plain, few := layersOfText(t, text), layersOfText(t, "symmetry: on\n"+text)
		if len(plain) != len(few) {
			t.Errorf("%q: %d layers, merged %d", text, len(plain), len(few))
			continue
		}
		for d := range plain {
			if plain[d].Represented != 0 || few[d].Represented != plain[d].States {
				t.Errorf("%q: depth %d: %d states, merged %d that stand for %d", text, d, plain[d].States, few[d].States, few[d].Represented)
			}
		}
	}
}

// TestUnfolded asks for paths in a merged space: to a state that is not stored, and
// from it to the goal. They are paths of the plain puzzle.
func TestUnfolded(t *testing.T) {
	t.Parallel()
	const text = "puzzle: tiles\ngoal: 1 2 3 / 8 0 4 / 7 6 5\n\n1 2 3\n8 0 4\n7 6 5\n"
	boards, err := families.Read([]byte("symmetry: on\n"+text), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Create(t.TempDir(), boards[0], Options{Workers: 2, Partitions: 8, MemoryBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
		t.Fatal(err)
	}
	merged, ok := boards[0].Puzzle.(puzzle.Merged)
	if !ok {
		t.Fatal("the board is not merged")
	}
	plain, space, asked := merged.Unmerged(), r.Space(), 0
	const farthest, farthestStates = 30, 148 // of the 181,440
	if h, err := space.Hardest(t.Context(), 1); err != nil || h.Distance != farthest || h.Represented != farthestStates || h.Count >= h.Represented {
		t.Errorf("%d moves, %d states that stand for %d, %v; want %d moves and %d states", h.Distance, h.Count, h.Represented, err, farthest, farthestStates)
	}
	for _, line := range []string{"1 0 3\n8 2 4\n7 6 5", "1 2 3\n8 4 0\n7 6 5", "2 8 3\n1 4 5\n7 0 6", "5 6 7\n4 0 8\n3 2 1"} {
		key, err := boards[0].Puzzle.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(puzzle.Represent(boards[0].Puzzle, key), key) {
			asked++
		}
		to, err := space.FromStart(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		back, err := space.ToGoal(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if len(to.Moves) != len(back.Moves) || !slices.Equal(to.States[0], plain.Starts()) {
			t.Errorf("%q: %d moves there and %d back", line, len(to.Moves), len(back.Moves))
		}
		at := slices.Clone(to.States[0])
		for _, move := range slices.Concat(to.Moves, back.Moves) {
			if !plain.Apply(at, at, merged.Bare(move)) {
				t.Fatalf("%q: %s is not legal in\n%s", line, boards[0].Puzzle.FormatMove(move), plain.Format(at))
			}
		}
		if !slices.Equal(at, plain.Starts()) || !slices.Equal(to.States[len(to.Moves)], key) {
			t.Errorf("%q: the paths lead elsewhere", line)
		}
	}
	if asked == 0 {
		t.Error("every state that was asked for is a representative")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
