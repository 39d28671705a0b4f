package history_test

import (
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// A layer is added once, at the next depth and by a later attempt. One that was there
// already is added again only after it has been cut, with all that was made after it.
func TestLayersAreAddedOnce(t *testing.T) {
	t.Parallel()
	var h history.History
	layer := func(depth, epoch uint32, goals int64) history.Layer {
		return history.Layer{Phase: history.Forward, Depth: depth, Epoch: epoch, States: 2 + int64(depth), Goals: goals}
	}
	for depth := range uint32(4) {
		if !h.AddLayer(layer(depth, depth+1, int64(depth/2))) {
			t.Fatalf("layer %d was refused", depth)
		}
	}
	for _, wrong := range []history.Layer{layer(2, 9, 0), layer(3, 9, 0), layer(5, 9, 0), layer(4, 4, 0)} {
		if h.AddLayer(wrong) {
			t.Errorf("depth %d of attempt %d was added behind depth 3 of attempt 4", wrong.Depth, wrong.Epoch)
		}
	}
	if h.Goals() != 2 || h.FirstGoal() != 2 {
		t.Errorf("%d goals from depth %d on, want 2 from depth 2 on", h.Goals(), h.FirstGoal())
	}
	widest := history.Widest(&h)
	old := h.Layers(history.Forward)[2]
	h.Cut(history.Forward, 2)
	if n := history.Widest(&h); widest != 5 || n != 3 {
		t.Errorf("the largest layer has %d states, and %d after it was cut", widest, n)
	}
	if len(h.Layers(history.Forward)) != 2 || h.Has(old) || !h.AddLayer(layer(2, 9, 0)) || !h.Has(layer(2, 9, 0)) || h.Has(old) {
		t.Errorf("layers after layer 2 was made again: %+v", h.Layers(history.Forward))
	}
	if h.Goals() != 0 || h.FirstGoal() != -1 {
		t.Errorf("%d goals from depth %d on after their layers were cut", h.Goals(), h.FirstGoal())
	}
}

// Counts that each attempt asks for are kept, not added up from all layers: a run has
// as many attempts as layers.
func TestCountsAreKept(t *testing.T) {
	t.Parallel()
	var h history.History
	for depth := range uint32(100) {
		h.AddLayer(history.Layer{Phase: history.Forward, Depth: depth, Epoch: depth + 1, States: 2, Goals: 1})
	}
	for i := range h.Layers(history.Forward) {
		h.Layers(history.Forward)[i] = history.Layer{}
	}
	if n := history.Widest(&h); n != 2 {
		t.Errorf("the largest layer has %d states", n)
	}
	if h.States(history.Forward) != 200 || h.Goals() != 100 || h.FirstGoal() != 0 {
		t.Errorf("%d states and %d goals from depth %d on; the layers were looked at again", h.States(history.Forward), h.Goals(), h.FirstGoal())
	}
}
