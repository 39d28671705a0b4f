// Package convert turns what the core decides into messages to workers, and what they
// report into its terms. It must never decide anything itself.
package convert

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/sweep"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/digest"
)

// Plan converts the core's plan of a layer to a message.
func Plan(a core.Attempt) *everystatev1.Plan {
	p := &everystatev1.Plan{
		Expand: wire.Spans(a.Expand), Exclude: wire.Spans(a.Exclude), Within: wire.Spans(a.Within), CountGoals: a.CountGoals, Sample: a.Sample,
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

// Hold converts an effect that has a worker get partitions to an order, except for the
// sources.
func Hold(h core.Hold) *everystatev1.AttemptOrder {
	o := &everystatev1.AttemptOrder{Epoch: uint64(h.Epoch), Stage: everystatev1.Stage_STAGE_HELD, Whole: h.Whole}
	if h.First != nil {
		o.Plan = Plan(*h.First)
	}
	for _, l := range h.Layers {
		o.Uncommitted = append(o.Uncommitted, wire.LayerRecord(l))
	}
	return o
}

// Begin converts an effect that has a worker begin an attempt at a layer to an order,
// except for the owners.
func Begin(b core.Begin) *everystatev1.AttemptOrder {
	a := b.Attempt
	o := &everystatev1.AttemptOrder{
		Epoch: uint64(a.Epoch), Phase: wire.Phase(a.Phase), Depth: a.Depth,
		Stage: everystatev1.Stage_STAGE_BEGUN, Plan: Plan(a), Straight: a.Straight, Lacking: b.Lacking,
	}
	if a.Straight || a.Alone != nil {
		o.Stage = everystatev1.Stage_STAGE_WRITTEN
	}
	if a.Alone != nil {
		o.Alone = &everystatev1.Alone{States: uint64(a.Alone.States), Millis: uint32(a.Alone.Ticks)}
		for _, behind := range a.Alone.Behind {
			o.Alone.Plans = append(o.Alone.Plans, Plan(behind))
		}
	}
	return o
}

// Has reports whether a layer is committed as the attempt with this epoch wrote it.
func Has(h *history.History, phase everystatev1.Phase, depth uint32, epoch uint64) bool {
	p, err := wire.PhaseOf(phase)
	return err == nil && epoch <= math.MaxUint32 && h.Has(history.Layer{Phase: p, Depth: depth, Epoch: uint32(epoch)})
}

// Concerns reports whether damage is of a run, and not of another one of its name.
func Concerns(d *everystatev1.Damage, run string, id history.Identity) bool {
	return d.GetRun() == run && (len(d.GetRunIdentity()) == 0 || bytes.Equal(d.GetRunIdentity(), wire.Identity(id)))
}

// Damage returns the event that what a worker says of its store stands for.
func Damage(d *everystatev1.Damage, id history.WorkerID) core.Event {
	if d.GetRestoring() {
		return core.Lacking{Worker: id}
	}
	return core.Damaged{Worker: id}
}

// Able returns what a worker says that it can do.
func Able(req *everystatev1.SynchronizeRequest) core.Able {
	return core.Able{
		Lanes: int(req.GetLanes()), Machine: req.GetMachine(), Cores: int(req.GetCores()), Straight: req.GetStraight(), Alone: req.GetAlone(), Ahead: req.GetAhead(),
		TableBytes: int64(min(req.GetTableBytes(), math.MaxInt64)),
	}
}

// Owners groups partitions by worker, of which who tells name and address. A nil parts
// means that they are numbered from 0.
func Owners(homes []history.WorkerID, parts []uint32, who func(history.WorkerID) (name, address string)) []*everystatev1.Owner {
	of := make(map[history.WorkerID]*everystatev1.Owner)
	var out []*everystatev1.Owner
	for i, home := range homes {
		owner := of[home]
		if owner == nil {
			owner = &everystatev1.Owner{}
			owner.Worker, owner.Address = who(home)
			of[home] = owner
			out = append(out, owner)
		}
		part := uint32(i)
		if parts != nil {
			part = parts[i]
		}
		owner.Partitions = append(owner.Partitions, part)
	}
	return out
}

// Totals adds what has been found of a sweep to the status of its run.
func Totals(t *sweep.Totals, st *everystatev1.RunStatus) {
	// Skipped states count as done: together they add up to the sweep's closed form.
	st.States = t.Covered()
	st.Records, st.Digest = t.Records, t.Digest.Bytes()
	st.Puzzles, st.GreatestDistance = t.Puzzles, uint32(max(0, t.Greatest()))
}

// Shares returns what each worker has done of a sweep, in the order of their names.
func Shares(shares core.Shares, names history.Names) (all []*everystatev1.UnitShare) {
	for id, s := range shares {
		all = append(all, &everystatev1.UnitShare{Worker: names[id], UnitsDone: s.Units, UnitsLost: s.Lost, States: s.States})
	}
	slices.SortFunc(all, func(a, b *everystatev1.UnitShare) int { return strings.Compare(a.GetWorker(), b.GetWorker()) })
	return all
}

// FailureKind returns what follows from a failure, according to the worker.
func FailureKind(k everystatev1.FailureKind) core.FailureKind {
	switch k {
	case everystatev1.FailureKind_FAILURE_KIND_INTERRUPTED:
		return core.Interrupted
	case everystatev1.FailureKind_FAILURE_KIND_EDGES_MISSING:
		return core.EdgesMissing
	case everystatev1.FailureKind_FAILURE_KIND_LACKING:
		return core.Missing
	case everystatev1.FailureKind_FAILURE_KIND_UNSPECIFIED:
	}
	return core.Broken
}

// Event returns the event that a report of a worker about an attempt stands for, or nil if
// there is none. ids returns the ids of workers by name.
func Event(report *everystatev1.RunReport, id history.WorkerID, at *everystatev1.AttemptOrder, ids func(name string) history.WorkerID) (core.Event, error) {
	epoch := uint32(report.GetEpoch())
	switch report.GetStage() {
	case everystatev1.Stage_STAGE_BEGUN:
		return core.Began{Worker: id, Epoch: epoch}, nil
	case everystatev1.Stage_STAGE_EXPANDED:
		sent, err := carried(report.GetSent(), at, ids)
		return core.Expanded{Worker: id, Epoch: epoch, Generated: int64(report.GetGenerated()), Sent: sent}, err
	case everystatev1.Stage_STAGE_WRITTEN:
		if at.GetAlone() != nil {
			return madeAlone(report, id)
		}
		took, err := carried(report.GetTook(), at, ids)
		if err != nil {
			return nil, err
		}
		sent, err := carried(report.GetSent(), at, ids)
		if err != nil {
			return nil, err
		}
		ev := core.Written{
			Expanded: core.Expanded{Worker: id, Epoch: epoch, Generated: int64(report.GetGenerated()), Sent: sent},
			Bytes:    int64(report.GetStoredBytes()), Took: took,
		}
		ev.Parts, err = parts(report.GetPartitions())
		return ev, err
	case everystatev1.Stage_STAGE_HELD:
		return core.Held{Worker: id, Epoch: epoch}, nil
	case everystatev1.Stage_STAGE_UNSPECIFIED:
	}
	return nil, nil //nolint:nilnil // there is nothing to tell
}

// Fetched returns the event that a report of what a worker has got ahead stands for,
// without a number if it has nothing.
func Fetched(report *everystatev1.RunReport, id history.WorkerID) core.Fetched {
	return core.Fetched{Worker: id, Number: uint32(min(report.GetAhead(), math.MaxUint32)), Forward: int(report.GetAheadForward()), Goal: int(report.GetAheadGoal())}
}

// madeAlone returns the event that a worker's report of layers that it has made alone
// stands for.
func madeAlone(report *everystatev1.RunReport, id history.WorkerID) (core.Event, error) {
	ev := core.MadeAlone{Worker: id, Epoch: uint32(report.GetEpoch())}
	own := func(t *everystatev1.CandidateTally) core.Carried {
		return core.Carried{Peer: id, Records: int64(t.GetCandidates()), Sum: t.GetSum()}
	}
	for _, l := range report.GetMade() {
		m := core.Made{
			Generated: int64(l.GetGenerated()), Bytes: int64(l.GetStoredBytes()), Sent: own(l.GetSent()), Took: own(l.GetTook()),
		}
		var err error
		if m.Parts, err = partsMade(l); err != nil {
			return nil, err
		}
		ev.Layers = append(ev.Layers, m)
	}
	return ev, nil
}

// partsMade returns what a worker has made of a layer alone, in its table if it says so.
func partsMade(l *everystatev1.MadeLayer) ([]core.Part, error) {
	made, err := parts(l.GetPartitions())
	if len(l.GetPartitionStates()) == 0 || err != nil {
		return made, err
	}
	if len(made) != 1 {
		return nil, fmt.Errorf("%d reports of a layer of a table", len(made))
	}
	states, sum, err := wire.CountsOf(l.GetPartitionStates())
	if err == nil && sum != made[0].States {
		err = fmt.Errorf("%d states in a layer of a table, and %d in its partitions", made[0].States, sum)
	}
	return core.Divide(made[0], states), err
}

// parts returns what a worker has written of partitions.
func parts(reported []*everystatev1.PartitionReport) ([]core.Part, error) {
	var out []core.Part
	for _, p := range reported {
		d, err := digest.FromBytes(p.GetDigest())
		if err != nil {
			return nil, err
		}
		out = append(out, core.Part{
			Part: p.GetPartition(), States: int64(p.GetStates()), Goals: int64(p.GetGoalStates()),
			Represented: int64(p.GetRepresentedStates()), Pruned: int64(p.GetPrunedMoves()), Digest: d, Sample: wire.SampleOf(p.GetSample()),
		})
	}
	return out, nil
}

// carried returns what a worker has exchanged with the owners of an attempt.
func carried(all []*everystatev1.CandidateTally, at *everystatev1.AttemptOrder, ids func(name string) history.WorkerID) ([]core.Carried, error) {
	var out []core.Carried
	for _, t := range all {
		if int64(t.GetOwner()) >= int64(len(at.GetOwners())) {
			return nil, fmt.Errorf("a tally of owner %d of %d", t.GetOwner(), len(at.GetOwners()))
		}
		name := at.GetOwners()[t.GetOwner()].GetWorker()
		out = append(out, core.Carried{Peer: ids(name), Records: int64(t.GetCandidates()), Sum: t.GetSum()})
	}
	return out, nil
}
