package history_test

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// Only where moves can be undone, and every start and no other state is a goal, are
// depths goal distances.
func TestDistancesThatAreDepths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reversible, ended bool
		starts            int64 // states at depth 0
		goals             []int64
		want              bool
	}{
		"one start, the goal":              {true, true, 1, []int64{1, 0}, true},
		"several starts, all goals":        {true, true, 3, []int64{3, 0}, true},
		"moves that cannot be undone":      {false, true, 1, []int64{1, 0}, false},
		"a start that is no goal":          {true, true, 3, []int64{2, 0}, false},
		"a start that is none, as many":    {true, true, 3, []int64{2, 1}, false},
		"another goal":                     {true, true, 1, []int64{1, 1}, false},
		"no goal":                          {true, true, 1, []int64{0, 0}, false},
		"more goals that may yet be found": {true, false, 1, []int64{1, 0}, false},
	} {
		var h history.History
		for d, goals := range c.goals {
			states := int64(5)
			if d == 0 {
				states = c.starts
			}
			if !h.AddLayer(history.Layer{Phase: history.Forward, Depth: uint32(d), Epoch: uint32(d) + 1, States: states, PartStates: []int64{states}, Goals: goals}) {
				t.Fatalf("%s: layer %d was refused", name, d)
			}
		}
		if c.ended && !h.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: uint32(len(c.goals))}) {
			t.Fatalf("%s: the end was refused", name)
		}
		if got := h.NeedsGoalPhase(c.reversible); got == c.want {
			t.Errorf("%s: needs a goal phase: %v", name, got)
		}
	}
}
