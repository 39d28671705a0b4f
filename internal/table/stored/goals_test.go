package stored

import (
	"errors"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// Where moves cannot be undone, a table has distances to goals of one layer only.
func TestGoalsFit(t *testing.T) {
	read := func(text string) puzzle.Puzzle {
		boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return boards[0].Puzzle
	}
	peg, tiles := read("puzzle: peg\n\noo.oo\n"), read("puzzle: tiles\n\n1 2 3\n0 5 4\n")
	for _, c := range []struct {
		p     puzzle.Puzzle
		goals []int64
		want  error
	}{
		{peg, []int64{0, 0, 5}, nil},
		{peg, []int64{0, 1, 0, 2}, ErrGoalsInLayers},
		{tiles, []int64{0, 1, 0, 2}, nil},
	} {
		var h history.History
		for depth, goals := range c.goals {
			if !h.AddLayer(history.Layer{Phase: history.Forward, Depth: uint32(depth), States: 9, Goals: goals, Epoch: uint32(depth + 1)}) {
				t.Fatal("no layer")
			}
		}
		if err := GoalsFit(&h, c.p); !errors.Is(err, c.want) {
			t.Errorf("goals %v: %v, want %v", c.goals, err, c.want)
		}
	}
}
