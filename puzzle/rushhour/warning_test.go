package rushhour_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// TestWarning has boards whose goal vehicle may not be the one that was meant.
func TestWarning(t *testing.T) {
	for text, want := range map[string]string{
		"AA.B\nRR.B\n....\n....":            "goal vehicle A is not in row 2, where the exit usually is, and R is: if R is the goal vehicle, say so with goal: R",
		"A..B\nARRB\n....\n....":            "goal vehicle A is not in row 2, where the exit usually is, and R is: if R is the goal vehicle, say so with goal: R",
		"AA.B\n...B\nRR..\n....":            "",
		"goal: A\n\nAA.B\nRR.B\n....\n....": "",
		"RR.B\nAA.B\n....\n....":            "",
		"######\n#AA.B#\n#...B#\n######":    "a wall is between goal vehicle A and its exit: no state is a goal",
		"exit: left\n\nAA#B\n...B":          "",
		"exit: left\n\n#AAB\n...B":          "a wall is between goal vehicle A and its exit: no state is a goal",
	} {
		boards, err := rushhour.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil || boards[0].Warning != want {
			t.Errorf("%s: %v, %v", strings.ReplaceAll(text, "\n", " / "), boards, err)
		}
	}
}
