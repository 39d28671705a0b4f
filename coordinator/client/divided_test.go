package client

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// TestTable shows that a table is whole: a worker that lacks states has none to send.
func TestTable(t *testing.T) {
	t.Parallel()
	shape := store.Shape{Stride: 1, KeyBits: testShape().KeyBits, MoveBits: 2, Codes: true}
	block := func(recs ...uint64) []byte { return shape.AppendBlock(nil, recs) }
	layers := []history.Layer{
		{Phase: history.Forward, PartStates: []int64{1, 0}},
		{Phase: history.Forward, Depth: 1, PartStates: []int64{1, 1}},
	}
	for _, test := range []struct {
		name     string
		messages []*everystatev1.ReadLayerResponse
		fault    string
	}{
		{"whole", []*everystatev1.ReadLayerResponse{message(0, block(4, 9)), message(1, block(13))}, ""},
		{"short", []*everystatev1.ReadLayerResponse{message(0, block(4)), message(1, block(13))}, "partition 0: 1 states of the table, and 2 were committed"},
		{"without one", []*everystatev1.ReadLayerResponse{message(0, block(4, 9))}, "partition 1: 0 states of the table, and 1 were committed"},
		{"long", []*everystatev1.ReadLayerResponse{message(0, block(4, 9)), message(1, block(13, 16))}, "partition 1: 2 states of the table, and 1 were committed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := fake{messages: test.messages}
			r := &dividedRecords{records: &records{client: f.client(t), run: "jam", shape: testShape()}, last: layers[1], layers: layers}
			states := 0
			err := r.Table(t.Context(), func(partition.ID, uint64, uint32) error { states++; return nil })
			switch {
			case test.fault == "" && (err != nil || states != 3):
				t.Errorf("%d states: %v", states, err)
			case test.fault != "" && (!store.IsCorruption(err) || !strings.Contains(err.Error(), test.fault)):
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestDividedGoals gives the layers of goal distances that have been added since the table was
// asked for.
func TestDividedGoals(t *testing.T) {
	t.Parallel()
	r := &Run{spec: history.Spec{Store: history.DividedTable}}
	add := func(phase history.Phase, epoch uint32) {
		t.Helper()
		if !r.history.AddLayer(history.Layer{Phase: phase, Epoch: epoch, States: 1, PartStates: []int64{1}, Goals: 1}) {
			t.Fatalf("%v: the layer was refused", phase)
		}
	}
	add(history.Forward, 1)
	before := r.Divided()
	r.history.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: 1})
	add(history.Goal, 2)
	after := r.Divided()
	if len(before.History.Layers(history.Goal)) != 0 || len(after.History.Layers(history.Goal)) != 1 || r.Divided() != after {
		t.Errorf("%d and then %d layers of goal distances", len(before.History.Layers(history.Goal)), len(after.History.Layers(history.Goal)))
	}
	r.history.AddEnd(history.PhaseEnd{Phase: history.Goal, Layers: 1})
	if !r.Divided().History.Exhausted(true) {
		t.Error("the end of the phase is not known")
	}
}
