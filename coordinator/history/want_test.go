package history_test

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// TestResumed checks that a run keeps its limits until it has reached one.
func TestResumed(t *testing.T) {
	t.Parallel()
	depth := 7
	was := history.Want{MaxDepth: &depth, MaxStates: 100, StopAtGoal: true, GoalDistance: true, Settle: true}
	kept := was
	kept.Settle = false
	for _, s := range history.States() {
		want := kept
		if s == history.Stopped {
			want = history.Want{GoalDistance: true}
		}
		if got := was.Resumed(s); got != want {
			t.Errorf("%v: %+v, want %+v", s, got, want)
		}
	}
}
