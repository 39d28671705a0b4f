package clustertest

import (
	"fmt"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// A run that keeps its frontier loses a disk and its coordinator's data, where there is a
// bucket, and a worker's process, where there is none. It ends with the layers of a run that
// keeps all; workers and bucket have the layers that it should have, and no others.
func TestFrontier(t *testing.T) { eachPlace(t, keepsFrontier) }

func keepsFrontier(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", adopting)
	ws := c.workers("w1", "w2", "w3")
	c.hold()
	spec := b.spec()
	spec.Keep = history.Keep{Frontier: true, Named: history.DepthsOf([]uint32{4})}
	c.withoutGoals(spec)
	c.entries(run, 15)
	c.loses(ws[0])
	c.gate.set(false)
	r := c.ended(b)
	h := r.History()
	if n := len(h.Layers(history.Forward)); h.DroppedLayers() != n-3 { // the last two and the fourth stay
		w.t.Errorf("%d of %d layers were dropped", h.DroppedLayers(), n)
	}
	c.traces(r)
	sameSamples(w.t, r, b.board)
	other := spec
	other.Keep.Named = ""
	if _, err := c.client.Submit(w.t.Context(), run, other, history.Want{}); err == nil {
		w.t.Error("a run that keeps other layers is not refused")
	}
	if w.bucket != "" {
		w.until("the bucket has no dropped layer", func() bool { return c.objectsAre(h) })
	}
	w.eventually(ws, "has no dropped layer", func(machine string) bool { return w.layersAre(machine, h) })
}

// sameSamples compares the samples of layers, dropped or not, with what one machine has.
func sameSamples(t *testing.T, r *client.Run, board puzzle.Board) {
	t.Helper()
	all := wholly(t, board, history.Want{})
	for d, l := range r.History().Layers(history.Forward) {
		want, err := query.Sample(t.Context(), all.Space(), all.History().Layers(history.Forward)[d])
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(l.Sample) != fmt.Sprint(want) {
			t.Errorf("layer %d has the sample %v, want %v", d, l.Sample, want)
		}
	}
}

// traces asks for a farthest state and how it is reached.
func (c *coordinator) traces(r *client.Run) {
	c.t.Helper()
	depth := len(r.History().Layers(history.Forward)) - 1
	key, err := r.Space().Deepest(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	path, err := r.Space().FromStart(c.t.Context(), key)
	if err != nil || len(path.Moves) != depth || path.Searched == 0 {
		c.t.Errorf("a path of %d moves, %d searched, to depth %d: %v", len(path.Moves), path.Searched, depth, err)
	}
}

// objectsAre reports whether the bucket has an object of every layer that is kept, and of
// no other.
func (c *coordinator) objectsAre(h *history.History) bool {
	c.t.Helper()
	b, err := bucket.Open(c.t.Context(), c.bucket)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	has := make(map[uint32]bool)
	err = b.Run(run).Objects(c.t.Context(), func(o bucket.ObjectInfo) error {
		if _, depth, _, ok := o.Layer(); ok {
			has[depth] = true
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, l := range h.Layers(history.Forward) {
		if has[l.Depth] == h.Dropped(l) {
			return false
		}
	}
	return true
}

// layersAre reports whether a worker has nothing of dropped layers, and something of one
// that is kept.
func (w *world) layersAre(machine string, h *history.History) bool {
	w.t.Helper()
	s := w.storeOf(machine)
	defer func() { _ = s.Close() }()
	some := false
	for _, l := range h.Layers(history.Forward) {
		var parts []uint32
		for p, n := range l.PartStates {
			if n > 0 {
				parts = append(parts, uint32(p))
			}
		}
		absent, err := s.Absent(store.SegmentID{Phase: uint8(l.Phase), Layer: l.Depth, Epoch: l.Epoch}, parts)
		if err != nil {
			w.t.Fatal(err)
		}
		if h.Dropped(l) && len(absent) < len(parts) {
			return false
		}
		some = some || !h.Dropped(l) && len(absent) < len(parts)
	}
	return some
}
