package core

import (
	"fmt"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// What a new layer is compared with.
func TestExclude(t *testing.T) {
	for _, c := range []struct {
		opts   Options
		phase  history.Phase
		layers int
		want   string
	}{
		{Options{}, history.Forward, 4, "[0 1 2 3]"},
		{Options{Reversible: true}, history.Forward, 1, "[0]"},
		{Options{Reversible: true}, history.Forward, 4, "[2 3]"},
		{Options{Reversible: true, Alternating: true}, history.Forward, 1, "[]"},
		{Options{Reversible: true, Alternating: true}, history.Forward, 2, "[0]"},
		{Options{Reversible: true, Alternating: true}, history.Forward, 4, "[2]"},
		// Goals may be of both kinds.
		{Options{Reversible: true, Alternating: true}, history.Goal, 4, "[2 3]"},
		{Options{Alternating: true}, history.Forward, 3, "[0 1 2]"},
	} {
		var h history.History
		add := func(phase history.Phase, layers int) {
			for depth := range layers {
				l := history.Layer{Phase: phase, Depth: uint32(depth), Epoch: h.LastEpoch() + 1, States: 1, PartStates: []int64{1}}
				if !h.AddLayer(l) {
					t.Fatalf("%v %d cannot be added", phase, depth)
				}
			}
		}
		if c.phase == history.Goal {
			add(history.Forward, 1)
			h.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: 1})
		}
		add(c.phase, c.layers)
		got := []uint32{}
		for _, l := range New(history.Spec{Partitions: 1}, c.opts, h, history.Want{MaxDepth: -1}).plan(c.phase).Exclude {
			got = append(got, l.Depth)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v, phase %v, %d layers: %v, want %s", c.opts, c.phase, c.layers, got, c.want)
		}
	}
}
