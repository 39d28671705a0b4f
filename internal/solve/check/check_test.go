package check_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

const (
	rush    = "puzzle: rush-hour\n\nE.BB\nECCC\nAA.F\nDD.F"
	sokoban = "puzzle: sokoban\n\n#######\n#@ $ .#\n#  $. #\n#######"
	tiles   = "puzzle: tiles\n\n1 2 3\n7 0 5\n8 4 6"
	klotski = "puzzle: blocks\ngoal: A at 0,1\n\nA.\nBB"
	pancake = "puzzle: pancake\n\n3 1 2"
)

func boardOf(tb testing.TB, text string) *puzzle.Board {
	tb.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		tb.Fatalf("%q: %d boards, %v", text, len(boards), err)
	}
	return &boards[0]
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		board, solution string
		moves, pushes   int
		fault           string // empty for a solution
	}{
		{rush, "A+1 E+1 D+1 E+1 C-1 F-1 B-1 F-1 A+1", 9, 0, ""},
		{rush, "; found by hand\n1  A+1, E+1, D+1,\n4. E+1; C-1 F-1\n7: B-1 F-1 A+1\n", 9, 0, ""},
		{rush, "A+1 E+1 D+1 E+1 C-1 F-1 B-1 F-1", 0, 0, "does not lead to a goal"},
		{rush, "", 0, 0, "is not solved"},
		{rush, "A+1 A+1", 0, 0, "move 2: A+1 is not legal there"},
		{rush, "A+1 Z+1", 0, 0, "move 2: \"Z+1\" is not a move"},
		{rush, "A+1 E+1 A+2", 0, 0, "move 3: \"A+2\" is not a move"},
		{tiles, "U R D L L U", 6, 0, ""},
		{tiles, "URDLLU", 6, 0, ""},
		{tiles, "URD2LU", 6, 0, ""},
		{tiles, "URDLLL", 0, 0, "move 6: L is not legal there"},
		{sokoban, "rRRdlllR", 0, 0, "move 5: l is not legal there"},
		{sokoban, "rRRlldRR", 0, 0, "does not lead to a goal"},
		{sokoban, "rRRlldR", 7, 3, ""},
		{sokoban, "r 2R 2ld R", 7, 3, ""},
		{sokoban, "rrrlldr", 0, 0, "move 2: r is not legal there"},
		{sokoban, "2,4 right 2,5 right 3,4 right", 3, 0, ""},
		{sokoban, "2,4 right 2,5 right", 0, 0, "does not lead to a goal"},
		{sokoban, "2 4 right\n2 5 right\n3 4 right\n", 3, 0, ""},
		{sokoban, "2 4 right\n3 3 right", 0, 0, "move 2: 3,3 right is not legal there"},
		{klotski, "r1c1-right", 1, 0, ""},
		{klotski, "0,0-right", 1, 0, ""}, // of an earlier version
		{klotski, "1. 0,0-right;", 1, 0, ""},
		{klotski, "0,1-right", 0, 0, "move 1: \"0,1-right\" is not a move"},
		{pancake, "3 2", 2, 0, ""},
	} {
		b := boardOf(t, test.board)
		r, err := check.Text(b, test.solution)
		switch {
		case test.fault == "":
			if err != nil || len(r.Names) != test.moves || r.Pushes != test.pushes {
				t.Errorf("%q: %d moves, %d pushes, %v; want %d and %d", test.solution, len(r.Names), r.Pushes, err, test.moves, test.pushes)
			}
		case err == nil || !strings.Contains(err.Error(), test.fault):
			t.Errorf("%q: %v, want %q", test.solution, err, test.fault)
		}
	}
}

// sleepwalker is a puzzle whose moves go anywhere.
type sleepwalker struct{ puzzle.Puzzle }

func (s sleepwalker) Apply(dst, _ []uint64, _ puzzle.Move) bool {
	dst[0] = 1<<63 - 1
	return true
}

// TestNoState finds moves that lead out of the puzzle, and starts that are none.
func TestNoState(t *testing.T) {
	t.Parallel()
	b := boardOf(t, tiles)
	n := check.NewNames(sleepwalker{b.Puzzle})
	if err := n.Solves(b.Puzzle.Starts(), []string{"U"}); err == nil || !strings.Contains(err.Error(), "not a state of the puzzle") {
		t.Error(err)
	}
	if err := n.Solves([]uint64{1 << 62}, nil); err == nil || !strings.Contains(err.Error(), "the start is not a state") {
		t.Error(err)
	}
}

// FuzzText replays any text. What is not a solution is a SolutionError.
func FuzzText(f *testing.F) {
	boards := []string{rush, sokoban, tiles, klotski, pancake}
	for i := range boards {
		f.Add(uint8(i), "A+1 E+1 9999999R 2ld rRRlldR 0,0-right 1. ;")
	}
	f.Fuzz(func(t *testing.T, board uint8, text string) {
		_, err := check.Text(boardOf(t, boards[int(board)%len(boards)]), text)
		var fault *check.SolutionError
		if err != nil && (!errors.As(err, &fault) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%T: %q", err, err)
		}
	})
}
