package core

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// A run that keeps its frontier drops every layer that no later plan reads, and no other.
func TestDropsWhatNoPlanReads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts    Options
		behind  uint32 // the last layer dropped when one is committed
		dropped bool
	}{
		"reversible":  {Options{Reversible: true}, 2, true},
		"alternating": {Options{Reversible: true, Alternating: true}, 2, true},
		"graded":      {Options{Graded: true}, 1, true},
		"any":         {Options{}, 0, false},
	} {
		if Drops(c.opts) != c.dropped {
			t.Errorf("%s: drops layers: %t", name, !c.dropped)
		}
		core := Core{opts: c.opts}
		h := &core.history
		h.SetKeep(history.Keep{Frontier: true})
		for depth := range uint32(20) {
			l := history.Layer{Phase: history.Forward, Depth: depth, Epoch: depth + 1, States: 1}
			l.KeptFrom = keptFrom(&core, l)
			want := uint32(0)
			if c.dropped && depth >= c.behind {
				want = depth - c.behind + 1
			}
			if l.KeptFrom != want {
				t.Errorf("%s: layer %d is kept from %d, want %d", name, depth, l.KeptFrom, want)
			}
			if !h.AddLayer(l) {
				t.Fatalf("%s: layer %d cannot be added", name, depth)
			}
			needed := uint32(100)
			for n := depth + 1; n < depth+10; n++ {
				plan := planAfter(h, c.opts, history.Forward, 0, n)
				for _, s := range append(append(plan.Expand, plan.Exclude...), plan.Within...) {
					needed = min(needed, s.First)
				}
			}
			if l.KeptFrom > needed || l.KeptFrom < needed && c.dropped {
				t.Errorf("%s: after layer %d, layers are kept from %d, and plans read from %d", name, depth, l.KeptFrom, needed)
			}
		}
	}
	if got := keptFrom(&Core{opts: Options{Graded: true}}, history.Layer{Phase: history.Forward, Depth: 9}); got != 0 {
		t.Errorf("a run that keeps all drops the layers to %d", got)
	}
}
