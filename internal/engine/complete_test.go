package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// verifyComplete explores one puzzle and verifies the run as that of another, which
// has the same keys.
func verifyComplete(t *testing.T, explored, p puzzle.Puzzle, want history.Want) (plain, complete error) {
	t.Helper()
	dir := t.TempDir()
	board := (&toy{}).board()
	board.Puzzle = explored
	r, err := Create(dir, board, Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Explore(context.Background(), want); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = open(dir, Options{ReadOnly: true, Workers: 2, Partitions: 4, MemoryBytes: MemoryMin}); err != nil {
		t.Fatal(err)
	}
	board.Puzzle = p
	if err := r.adopt(board); err != nil {
		t.Fatal(err)
	}
	_, plain = r.Verify(context.Background(), func(int64) {})
	_, complete = r.VerifyComplete(context.Background(), "", "test", func(int64) {})
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "scratch")); err != nil || len(left) > 0 {
		t.Errorf("left in scratch: %v, %v", left, err)
	}
	return plain, complete
}

func TestVerifyComplete(t *testing.T) {
	for name, p := range toys() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && p.size > 5000 {
				t.Skip("takes seconds")
			}
			plain, complete := verifyComplete(t, p, p, everything(p))
			if plain != nil || complete != nil {
				t.Errorf("%v, %v", plain, complete)
			}
		})
	}
}

// blind is a puzzle one state of which is never reached.
type blind struct {
	*toy
	hidden uint64
}

func (b blind) Successors(states []uint64, out *puzzle.Edges) {
	from := len(out.Moves)
	b.toy.Successors(states, out)
	n := from
	for i := from; i < len(out.Moves); i++ {
		if out.Keys[i] != b.hidden {
			out.Keys[n], out.Moves[n] = out.Keys[i], out.Moves[i]
			n++
		}
	}
	out.Keys, out.Moves = out.Keys[:n], out.Moves[:n]
}

// forgetful is a puzzle that says of moves that they can be undone: the engine
// compares a layer with the two before it only, as with a broken visited check.
type forgetful struct{ *toy }

func (f forgetful) Layout() puzzle.Layout {
	l := f.toy.Layout()
	l.Reversible = true
	return l
}

// A run that agrees with itself, and is not complete, passes Verify only.
func TestWrongSearchIsFound(t *testing.T) {
	ring := &toy{size: 1000, steps: []uint64{1, 999, 30, 970}, words: 1, wrap: true, reversible: true, goal: func(uint64) bool { return false }}
	oneWay := &toy{size: 40, steps: []uint64{1, 7}, words: 1, wrap: true, goal: func(uint64) bool { return false }}
	thirty := 30
	for _, c := range []struct {
		name        string
		explored, p puzzle.Puzzle
		want        history.Want
		says        string
	}{
		{"a state is missing", blind{ring, 321}, ring, history.Want{}, "but is in no layer\n321"},
		{"states are in two layers", forgetful{oneWay}, oneWay, history.Want{MaxDepth: &thirty}, "is in two forward layers"},
	} {
		plain, complete := verifyComplete(t, c.explored, c.p, c.want)
		if plain != nil {
			t.Errorf("%s: verify without --complete: %v", c.name, plain)
		}
		var fault *FaultError
		if !errors.As(complete, &fault) || !strings.Contains(fault.What, c.says) {
			t.Errorf("%s: %v", c.name, complete)
		}
	}
}
