package server

import (
	"slices"
	"testing"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// planOf says how a forward layer of a reversible puzzle is made.
func planOf(depth uint32) *everystatev1.Plan {
	const phase = everystatev1.Phase_PHASE_FORWARD
	return &everystatev1.Plan{
		Source:     everystatev1.CandidateSource_CANDIDATE_SOURCE_SUCCESSORS,
		Expand:     []*everystatev1.LayerSpan{{Phase: phase, First: depth - 1, End: depth}},
		Exclude:    []*everystatev1.LayerSpan{{Phase: phase, First: max(2, depth) - 2, End: depth}},
		CountGoals: true,
	}
}

// TestNonsense gives a desk with two layers an order that cannot be right: the
// worker asks for all layers again, and takes no attempt.
func TestNonsense(t *testing.T) {
	t.Parallel()
	spec := &everystatev1.RunSpec{Partitions: 2}
	layer := func(depth uint32, epoch uint64) *everystatev1.LayerRecord {
		return &everystatev1.LayerRecord{
			Phase: everystatev1.Phase_PHASE_FORWARD, Depth: depth, Epoch: epoch, States: 3, PartitionStates: []uint64{1, 2},
		}
	}
	attempt := func(depth uint32, epoch uint64, owners ...*everystatev1.Owner) *everystatev1.AttemptOrder {
		return &everystatev1.AttemptOrder{
			Phase: everystatev1.Phase_PHASE_FORWARD, Depth: depth, Epoch: epoch,
			Stage: everystatev1.Stage_STAGE_BEGUN, Owners: owners, Plan: planOf(depth),
		}
	}
	planned := func(plan *everystatev1.Plan) *everystatev1.RunOrder {
		at := attempt(2, 7, &everystatev1.Owner{Worker: "me", Partitions: []uint32{0, 1}})
		at.Plan = plan
		return &everystatev1.RunOrder{Attempt: at}
	}
	span := func(phase everystatev1.Phase, first, end uint32) *everystatev1.LayerSpan {
		return &everystatev1.LayerSpan{Phase: phase, First: first, End: end}
	}
	spans := func(s ...*everystatev1.LayerSpan) []*everystatev1.LayerSpan { return s }
	const (
		successors = everystatev1.CandidateSource_CANDIDATE_SOURCE_SUCCESSORS
		goals      = everystatev1.CandidateSource_CANDIDATE_SOURCE_GOALS
	)
	all := &everystatev1.Owner{Worker: "me", Partitions: []uint32{0, 1}}
	half := &everystatev1.Owner{Worker: "you", Address: "there:1", Partitions: []uint32{1}}
	for _, test := range []struct {
		name  string
		order *everystatev1.RunOrder
		right bool
	}{
		{"next layer", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{layer(2, 7)}, Attempt: attempt(3, 8, all)}, true},
		{"layer again", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{layer(1, 6)}, Attempt: attempt(2, 7, all)}, true},
		{"another layer", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{layer(1, 5)}}, false},
		{"gap", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{layer(3, 8)}}, false},
		{"epoch of a layer", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{layer(2, 1<<32)}}, false},
		{"counts", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{
			{Phase: everystatev1.Phase_PHASE_FORWARD, Depth: 2, Epoch: 7, States: 4, PartitionStates: []uint64{1, 2}},
		}}, false},
		{"number of counts", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{
			{Phase: everystatev1.Phase_PHASE_FORWARD, Depth: 2, Epoch: 7, States: 1, PartitionStates: []uint64{1}},
		}}, false},
		{"phase", &everystatev1.RunOrder{Layers: []*everystatev1.LayerRecord{{Phase: 258, Depth: 2}}}, false},
		{"depth of an attempt", &everystatev1.RunOrder{Attempt: attempt(1, 7, all)}, false},
		{"epoch of an attempt", &everystatev1.RunOrder{Attempt: attempt(2, 0, all)}, false},
		{"no owner", &everystatev1.RunOrder{Attempt: attempt(2, 7, half)}, false},
		{"two owners", &everystatev1.RunOrder{Attempt: attempt(2, 7, all, half)}, false},
		{"plan of all layers", planned(&everystatev1.Plan{Source: successors, Expand: spans(span(1, 1, 2)), Exclude: spans(span(1, 0, 2))}), true},
		{"plan in two spans", planned(&everystatev1.Plan{Source: goals, Expand: spans(span(1, 0, 1), span(1, 1, 2))}), true},
		{"no plan", planned(nil), false},
		{"no source", planned(&everystatev1.Plan{Expand: spans(span(1, 1, 2))}), false},
		{"unknown source", planned(&everystatev1.Plan{Source: 6, Expand: spans(span(1, 1, 2))}), false},
		{"nothing to expand", planned(&everystatev1.Plan{Source: successors}), false},
		{"starts of a layer", planned(&everystatev1.Plan{Source: 1, Expand: spans(span(1, 1, 2))}), false},
		{"layer that is not known", planned(&everystatev1.Plan{Source: successors, Expand: spans(span(1, 1, 3))}), false},
		{"layer of an unknown phase", planned(&everystatev1.Plan{Source: successors, Expand: spans(span(3, 0, 1))}), false},
		{"empty span", planned(&everystatev1.Plan{Source: successors, Expand: spans(span(1, 1, 1))}), false},
		{"spans that overlap", planned(&everystatev1.Plan{Source: goals, Expand: spans(span(1, 0, 2), span(1, 1, 2))}), false},
		{"too many spans", planned(&everystatev1.Plan{Source: goals, Expand: slices.Repeat(spans(span(1, 0, 1)), 4097)}), false},
		{"within its own phase", planned(&everystatev1.Plan{Source: successors, Expand: spans(span(1, 1, 2)), Within: spans(span(1, 0, 2))}), false},
		{"odd partitions", &everystatev1.RunOrder{Spec: &everystatev1.RunSpec{Partitions: 3}}, false},
		{"run's name", &everystatev1.RunOrder{Run: "../x"}, false},
		{"unknown run", &everystatev1.RunOrder{Run: "y"}, false},
	} {
		d := newDesk("me")
		if test.order.Run == "" {
			test.order.Run = "x"
		}
		err := d.take(&everystatev1.SynchronizeResponse{Order: 1, Run: &everystatev1.RunOrder{
			Run: "x", Spec: spec, Layers: []*everystatev1.LayerRecord{layer(0, 5), layer(1, 6)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		err = d.take(&everystatev1.SynchronizeResponse{Order: 2, Run: test.order})
		order, report := d.report()
		if order != 2 || (err == nil) != test.right {
			t.Errorf("%s: order %d, %v", test.name, order, err)
		}
		if !test.right && (report.GetForwardLayers() != 0 || report.GetEpoch() != 0) {
			t.Errorf("%s: the report is %v", test.name, report)
		}
		if test.right && (report.GetForwardLayers() < 2 || report.GetEpoch() == 0) {
			t.Errorf("%s: the report is %v", test.name, report)
		}
	}
}
