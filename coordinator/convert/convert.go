// Package convert turns what the core decides into messages to workers, and what they
// report into its terms. It must never decide anything itself.
package convert

import (
	"github.com/everystate/everystate/coordinator/core"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// Plan converts the core's plan of a layer to a message.
func Plan(a core.Attempt) *everystatev1.Plan {
	p := &everystatev1.Plan{
		Expand: wire.Spans(a.Expand), Exclude: wire.Spans(a.Exclude), Within: wire.Spans(a.Within), CountGoals: a.CountGoals,
		EdgesEpoch: a.Edges,
	}
	switch a.Source {
	case core.FromStarts:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_STARTS
	case core.FromGoals:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_GOALS
	case core.FromSuccessors:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_SUCCESSORS
	case core.FromPredecessors:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_PREDECESSORS
	case core.FromMoves:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_MOVES
	}
	return p
}

// FailureKind returns what follows from a failure, according to the worker.
func FailureKind(k everystatev1.FailureKind) core.FailureKind {
	switch k {
	case everystatev1.FailureKind_FAILURE_KIND_INTERRUPTED:
		return core.Interrupted
	case everystatev1.FailureKind_FAILURE_KIND_EDGES_MISSING:
		return core.EdgesMissing
	case everystatev1.FailureKind_FAILURE_KIND_LACKING:
		return core.Lacking
	case everystatev1.FailureKind_FAILURE_KIND_UNSPECIFIED:
	}
	return core.Broken
}
