package wasm

import (
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestFamilies compares families with a module that serves them, and with
// EVERYSTATE_THOROUGH all others too: with several starts, with keys of some words, and with moves that cannot be taken back.
func TestFamilies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a module: a minute if nothing of it is in the cache")
	}
	folder := "./testdata/two"
	if os.Getenv("EVERYSTATE_THOROUGH") != "" {
		folder = "./testdata/families"
	}
	module := buildGo(t, folder)
	for _, test := range []struct {
		name, text    string
		words, starts int
	}{
		{"sokoban", "puzzle: sokoban\nmetric: backward-push\n\n#####\n#@#.#\n#$# #\n#   #\n#$#*#\n#.# #\n#####", 1, 2},
		{"sudoku", "53..7....\n6..195...\n.98....6.\n8...6...3\n4..8.3..1\n7...2...6\n.6....28.\n...419..5\n....8..79", 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			boards, err := families.Read([]byte(test.text), puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := boards[0].Puzzle
			if words := p.Layout().Words(); words != test.words || len(p.Starts()) != test.starts*words {
				t.Errorf("%d words, %d starts", words, len(p.Starts())/words)
			}
			samePuzzle(t, open(t, module, test.text).Puzzle, p)
		})
	}
}

// samePuzzle compares the first states of two puzzles in all that can be asked.
func samePuzzle(t *testing.T, p, q puzzle.Puzzle) {
	t.Helper()
	layout := q.Layout()
	layout.Graded = false // modules cannot say so
	if p.Layout() != layout || !slices.Equal(p.Starts(), q.Starts()) {
		t.Fatalf("%v from %v, want %v from %v", p.Layout(), p.Starts(), layout, q.Starts())
	}
	words := layout.Words()
	states := q.Starts()
	var got, want puzzle.Edges
	for len(states) < 200*words {
		want.Reset()
		q.Successors(states, &want)
		n := len(states)
		states = append(states, want.Keys[:min(len(want.Keys), 400*words)]...)
		if len(states) == n {
			break
		}
	}
	want.Reset()
	q.Successors(states, &want)
	p.Successors(states, &got)
	sameEdges(t, "successors", &got, &want)
	back, ok := q.(puzzle.Backward)
	if made, also := p.(puzzle.Backward); ok != also {
		t.Errorf("predecessors are known: %v, of the module %v", ok, also)
	} else if ok {
		got.Reset()
		want.Reset()
		back.Predecessors(states, &want)
		made.Predecessors(states, &got)
		sameEdges(t, "predecessors", &got, &want)
	}
	marks, others := make([]bool, len(states)/words), make([]bool, len(states)/words)
	p.Goals(states, marks)
	q.Goals(states, others)
	if !slices.Equal(marks, others) {
		t.Error("other goals")
	}
	for state := range slices.Chunk(states[:min(len(states), 20*words)], words) {
		text := q.Format(state)
		key, err := p.Parse(text)
		if p.Format(state) != text || p.Draw(state) != q.Draw(state) || err != nil || !slices.Equal(key, state) || !p.Valid(state) {
			t.Errorf("state %x is %q and is read as %x, %v; want %q", state, p.Format(state), key, err, text)
		}
	}
	for m := range puzzle.Move(min(q.Layout().Moves, 50)) {
		if got, want := p.FormatMove(m), q.FormatMove(m); got != want {
			t.Errorf("move %d is %q, want %q", m, got, want)
		}
	}
	if err := puzzle.Err(p); err != nil {
		t.Error(err)
	}
}

func sameEdges(t *testing.T, what string, got, want *puzzle.Edges) {
	t.Helper()
	if !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Moves, want.Moves) {
		t.Errorf("other %s: %d edges, want %d", what, got.Len(), want.Len())
	}
}
