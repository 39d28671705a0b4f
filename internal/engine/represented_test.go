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
