package core

import (
	"fmt"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// Goal layers that lie far apart are named in few spans all the same, and none is
// left out.
func TestGoalLayers(t *testing.T) {
	for _, c := range []struct {
		goals func(depth int) bool
		spans string
	}{
		{func(depth int) bool { return depth == 3 || depth == 4 || depth == 9999 }, "[{forward 3 5} {forward 9999 10000}]"},
		{func(int) bool { return true }, "[{forward 0 10000}]"},
		{func(int) bool { return false }, "[]"},
	} {
		if got := fmt.Sprint(planOf(withGoals(t, c.goals), Options{}, history.Goal, 1).Expand); got != c.spans {
			t.Errorf("%s, want %s", got, c.spans)
		}
	}
	spans := planOf(withGoals(t, func(depth int) bool { return depth%2 == 1 }), Options{}, history.Goal, 1).Expand
	if last := spans[len(spans)-1]; len(spans) != history.SpansMax || spans[0].First != 1 || last.End != 10_000 || last.First != 2*history.SpansMax-1 {
		t.Errorf("%d spans, the last is %v", len(spans), last)
	}
}

// withGoals returns the history of a run with 10,000 forward layers.
func withGoals(t *testing.T, goals func(depth int) bool) *history.History {
	t.Helper()
	var h history.History
	for depth := range 10_000 {
		l := history.Layer{Phase: history.Forward, Depth: uint32(depth), Epoch: h.LastEpoch() + 1, States: 1, PartStates: []int64{1}}
		if goals(depth) {
			l.Goals = 1
		}
		if !h.AddLayer(l) {
			t.Fatalf("layer %d cannot be added", depth)
		}
	}
	h.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: 10_000})
	return &h
}

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
		{Options{Graded: true}, history.Forward, 4, "[]"},
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
		for _, s := range planOf(&h, c.opts, c.phase, 1).Exclude {
			for depth := s.First; depth < s.End; depth++ {
				got = append(got, depth)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v, phase %v, %d layers: %v, want %s", c.opts, c.phase, c.layers, got, c.want)
		}
	}
}

// Distances to goals of one depth are not compared either, and are looked for in one
// forward layer each; those to goals of several depths are.
func TestGradedGoals(t *testing.T) {
	for _, c := range []struct {
		graded   bool
		goals    []int64 // by forward layer
		distance int     // of the layer to be made
		exclude  string
		within   string
	}{
		{true, []int64{0, 0, 0, 2}, 1, "[]", "[{forward 2 3}]"},
		{true, []int64{0, 0, 0, 2}, 3, "[]", "[{forward 0 1}]"},
		{true, []int64{0, 0, 0, 2}, 4, "[]", "[{forward 0 1}]"},
		{true, []int64{0, 0, 1, 2}, 2, "[{goal distance 0 2}]", "[{forward 0 4}]"},
		{false, []int64{0, 0, 0, 2}, 2, "[{goal distance 0 2}]", "[{forward 0 4}]"},
	} {
		var h history.History
		for depth, goals := range c.goals {
			h.AddLayer(history.Layer{Phase: history.Forward, Depth: uint32(depth), Epoch: h.LastEpoch() + 1, States: 2, Goals: goals, PartStates: []int64{2}})
		}
		h.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: uint32(len(c.goals))})
		for depth := range c.distance {
			h.AddLayer(history.Layer{Phase: history.Goal, Depth: uint32(depth), Epoch: h.LastEpoch() + 1, States: 1, PartStates: []int64{1}})
		}
		plan := planOf(&h, Options{Graded: c.graded}, history.Goal, 1)
		if fmt.Sprint(plan.Exclude) != c.exclude || fmt.Sprint(plan.Within) != c.within || plan.Source != FromPredecessors {
			t.Errorf("%+v: exclude %v, within %v", c, plan.Exclude, plan.Within)
		}
	}
}

// The layers behind the first that a worker makes alone read nothing but what the first
// reads, which the worker gets from others, and what it makes itself.
func TestAloneReads(t *testing.T) {
	for _, opts := range []Options{{}, {Graded: true}, {Reversible: true}, {Reversible: true, Alternating: true}} {
		for _, goals := range [][]int64{{0, 0, 0, 0, 0, 2}, {0, 0, 0, 1, 0, 2}} {
			var h history.History
			for depth, n := range goals {
				h.AddLayer(history.Layer{Phase: history.Forward, Depth: uint32(depth), Epoch: h.LastEpoch() + 1, States: 2, Goals: n, PartStates: []int64{2}})
			}
			phase, layers := history.Forward, len(goals)
			for _, ended := range []bool{false, true} {
				if ended {
					h.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: uint32(len(goals))})
					phase, layers = history.Goal, 2
					for depth := range layers {
						h.AddLayer(history.Layer{Phase: history.Goal, Depth: uint32(depth), Epoch: h.LastEpoch() + 1, States: 1, PartStates: []int64{1}})
					}
				}
				c := &Core{history: h, opts: opts, partitions: 4, attempt: planAfter(&h, opts, phase, 100, uint32(layers))}
				got := make(map[history.Span]bool)
				each := func(a Attempt, f func(history.Span)) {
					for _, spans := range [][]history.Span{a.Expand, a.Exclude, a.Within} {
						for _, s := range spans {
							for at := s.First; at < s.End; at++ {
								f(history.Span{Phase: s.Phase, First: at, End: at + 1})
							}
						}
					}
				}
				each(c.attempt, func(layer history.Span) { got[layer] = true })
				for _, plan := range plansBehind(c, AloneLayers(c.partitions)) {
					got[history.Span{Phase: phase, First: plan.Depth - 1, End: plan.Depth}] = true // made before
					each(plan, func(layer history.Span) {
						if !got[layer] {
							t.Errorf("%+v, goals %v, %v: the layer at %d reads %v", opts, goals, phase, plan.Depth, layer)
						}
					})
				}
			}
		}
	}
}
