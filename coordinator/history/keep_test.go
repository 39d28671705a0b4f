package history_test

import (
	"fmt"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// What has been dropped follows from the last layer and from what the run names.
func TestDropped(t *testing.T) {
	t.Parallel()
	var h history.History
	h.SetKeep(history.Keep{Frontier: true, Named: history.DepthsOf([]uint32{7, 2, 0, 30, 2})})
	add := func(depth, keptFrom uint32) bool {
		return h.AddLayer(history.Layer{Phase: history.Forward, Depth: depth, Epoch: depth + 1, States: 1, KeptFrom: keptFrom})
	}
	for depth := range uint32(12) {
		if !add(depth, max(depth, 1)-1) {
			t.Fatalf("layer %d was refused", depth)
		}
	}
	if add(12, 9) || add(12, 13) {
		t.Error("a layer that keeps more than the one before, or not itself, was added")
	}
	var there []uint32
	for _, l := range h.Layers(history.Forward) {
		if !h.Dropped(l) {
			there = append(there, l.Depth)
		}
	}
	if fmt.Sprint(there) != "[0 2 7 10 11]" || h.DroppedLayers() != 7 || fmt.Sprint(h.DroppedSpans(0, 99)) != "[{forward 1 2} {forward 3 7} {forward 8 10}]" ||
		fmt.Sprint(h.DroppedSpans(5, 9)) != "[{forward 5 7} {forward 8 9}]" || len(h.DroppedSpans(10, 99)) != 0 {
		t.Errorf("there are %v, %d dropped, %v", there, h.DroppedLayers(), h.DroppedSpans(0, 99))
	}
	if got := h.Keep().String(); got != "frontier,0,2,7,30" {
		t.Errorf("it keeps %s", got)
	}
	var all history.History
	if all.AddLayer(history.Layer{Phase: history.Forward, Epoch: 1, States: 1, KeptFrom: 1}) {
		t.Error("a run that keeps all drops a layer")
	}
}
