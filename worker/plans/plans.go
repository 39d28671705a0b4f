// Package plans reads from an order how a layer is made: of which committed layers, among
// those that a worker knows. It must never look at records, nor decide what a layer is made
// from.
package plans

import (
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

var sources = map[everystatev1.CandidateSource]worker.Source{
	everystatev1.CandidateSource_CANDIDATE_SOURCE_STARTS:       worker.FromStarts,
	everystatev1.CandidateSource_CANDIDATE_SOURCE_GOALS:        worker.FromGoals,
	everystatev1.CandidateSource_CANDIDATE_SOURCE_SUCCESSORS:   worker.FromSuccessors,
	everystatev1.CandidateSource_CANDIDATE_SOURCE_PREDECESSORS: worker.FromPredecessors,
	everystatev1.CandidateSource_CANDIDATE_SOURCE_MOVES:        worker.FromMoves,
}

// Read converts the plan of a layer, except the partitions, to the pipeline's. known are
// the committed layers, by phase and depth.
func Read(known [][]worker.Layer, p *everystatev1.Plan, target store.SegmentID) (worker.Attempt, error) {
	w := worker.Attempt{Target: target, Source: sources[p.GetSource()], CountGoals: p.GetCountGoals(), Edges: p.GetEdgesEpoch()}
	if p.GetSample() {
		w.SampleMax = history.SampleMax
	}
	if w.Source == 0 || w.Edges != 0 && w.Source != worker.FromPredecessors {
		return w, fmt.Errorf("candidates from source %d, edges of epoch %d", p.GetSource(), w.Edges)
	}
	var errs [3]error
	w.Expand, errs[0] = named(known, p.GetExpand())
	w.Exclude, errs[1] = named(known, p.GetExclude())
	w.Within, errs[2] = named(known, p.GetWithin())
	if err := errors.Join(errs[:]...); err != nil {
		return w, err
	}
	// A space without goals has no layers to take goals from.
	if w.Source != worker.FromGoals && (w.Source == worker.FromStarts) != (len(w.Expand) == 0) {
		return w, fmt.Errorf("%d layers to expand with source %v", len(w.Expand), p.GetSource())
	}
	if len(w.Exclude) > 0 && w.Exclude[0].Segment.Phase != target.Phase || len(w.Within) > 0 && w.Within[0].Segment.Phase == target.Phase {
		return w, errors.New("layers of the wrong phase to compare with")
	}
	return w, nil
}

// Reads returns the layers that a plan reads, each once; never nil without an error.
func Reads(known [][]worker.Layer, p *everystatev1.Plan) ([]worker.Layer, error) {
	all, has := []worker.Layer{}, make(map[store.SegmentID]bool)
	for _, spans := range [][]*everystatev1.LayerSpan{p.GetExpand(), p.GetExclude(), p.GetWithin()} {
		layers, err := named(known, spans)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(slices.Clone(layers), func(l worker.Layer) bool {
			had := has[l.Segment]
			has[l.Segment] = true
			return had
		})...)
	}
	return all, nil
}

// named returns the layers that spans name. The layers of one span are a slice of those
// known, so their number does not matter.
func named(known [][]worker.Layer, spans []*everystatev1.LayerSpan) ([]worker.Layer, error) {
	if len(spans) > history.SpansMax {
		return nil, fmt.Errorf("%d spans of layers: at most %d", len(spans), history.SpansMax)
	}
	var out []worker.Layer
	for i, s := range spans {
		phase, err := wire.PhaseOf(s.GetPhase())
		if err != nil {
			return nil, err
		}
		layers, first, end := known[phase], s.GetFirst(), s.GetEnd()
		if first >= end || int64(end) > int64(len(layers)) {
			return nil, fmt.Errorf("layers %d to %d of %d", first, end, len(layers))
		}
		if i == 0 {
			out = layers[first:end:end]
			continue
		}
		if before := spans[i-1]; before.GetPhase() != s.GetPhase() || first < before.GetEnd() {
			return nil, fmt.Errorf("layers %d to %d are not in order", first, end)
		}
		out = append(out, layers[first:end]...)
	}
	return out, nil
}
