package core

import (
	"fmt"
	"testing"
)

// What a new layer is compared with.
func TestExclude(t *testing.T) {
	for _, c := range []struct {
		opts   Options
		phase  Phase
		layers int
		want   string
	}{
		{Options{}, Forward, 4, "[0 1 2 3]"},
		{Options{Reversible: true}, Forward, 1, "[0]"},
		{Options{Reversible: true}, Forward, 4, "[2 3]"},
		{Options{Reversible: true, Alternating: true}, Forward, 1, "[]"},
		{Options{Reversible: true, Alternating: true}, Forward, 2, "[0]"},
		{Options{Reversible: true, Alternating: true}, Forward, 4, "[2]"},
		// Goals may be of both kinds.
		{Options{Reversible: true, Alternating: true}, Goal, 4, "[2 3]"},
		{Options{Alternating: true}, Forward, 3, "[0 1 2]"},
	} {
		var h History
		for depth := range c.layers {
			h.layers[c.phase] = append(h.layers[c.phase], Layer{Phase: c.phase, Depth: uint32(depth), States: 1, PartStates: []int64{1}})
		}
		got := []uint32{}
		for _, l := range New(Spec{Partitions: 1}, c.opts, h, Want{MaxDepth: -1}).plan(c.phase).Exclude {
			got = append(got, l.Depth)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v, phase %v, %d layers: %v, want %s", c.opts, c.phase, c.layers, got, c.want)
		}
	}
}
