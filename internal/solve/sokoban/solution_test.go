package sokoban

import (
	"testing"
)

// Steps are kept as they are, also where a shorter walk leads to the next push.
func TestStepsAreKept(t *testing.T) {
	p := readBoard(t, "#######\n#@ $ .#\n#     #\n#######\n", "move")
	l, err := NewLevel(p.Puzzle, nil)
	if err != nil {
		t.Fatal(err)
	}
	const steps = "druRlrR"
	s, err := l.Solution((&Solution{Moves: steps}).StepMoves())
	if err != nil || s.Moves != steps || len(s.Pushes) != 2 {
		t.Errorf("%q with %d pushes (%v), want %q with 2", s.Moves, len(s.Pushes), err, steps)
	}
}
