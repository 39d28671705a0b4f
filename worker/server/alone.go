package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/plans"
)

const (
	// alonePlansMax bounds the layers behind the first that a worker makes alone.
	alonePlansMax = 255

	// aloneBytesMax bounds its report of them, but for the last layer.
	aloneBytesMax = 384 << 10
)

// alone is how a worker makes layers without the others.
type alone struct {
	plans  []*everystatev1.Plan // of the layers behind the first
	states int64                // it stops behind a layer of more
	within time.Duration        // it begins no layer later than that
	kept   []partition.ID       // what this worker keeps
	others []source             // who keeps the rest
}

// readAlone reads how far this worker goes on alone. All partitions are its own then.
func (at *attempt) readAlone(o *everystatev1.AttemptOrder) error {
	a := o.GetAlone()
	if o.GetStage() != everystatev1.Stage_STAGE_WRITTEN || o.GetStraight() || len(at.own) == 0 || len(a.GetPlans()) > alonePlansMax {
		return fmt.Errorf("alone to %v with %d partitions and %d plans", o.GetStage(), len(at.own), len(a.GetPlans()))
	}
	at.alone = &alone{
		plans: a.GetPlans(), states: int64(a.GetStates()), within: time.Duration(a.GetMillis()) * time.Millisecond, kept: at.own,
	}
	me := at.owner[at.own[0]]
	for i, w := range o.GetOwners() {
		if i != me {
			at.alone.others = append(at.alone.others, source{w.GetWorker(), w.GetAddress(), w.GetPartitions()})
		}
	}
	at.own = nil
	for p := range at.owner {
		at.owner[p] = me
		at.own = append(at.own, partition.ID(p))
	}
	return nil
}

// keeps returns the partitions of the attempt that this worker keeps between attempts.
func (at *attempt) keeps() []partition.ID {
	if at.alone != nil {
		return at.alone.kept
	}
	return at.own
}

// with returns a run that has more layers, which are not among the layers of this one.
func (a *assigned) with(uncommitted []*everystatev1.LayerRecord) (*assigned, error) {
	more := *a
	for phase := range more.layers {
		more.layers[phase] = slices.Clip(more.layers[phase])
	}
	for _, r := range uncommitted {
		if err := more.add(r); err != nil {
			return nil, fmt.Errorf("%v layer %d: %w", r.GetPhase(), r.GetDepth(), err)
		}
	}
	return &more, nil
}

// makeAlone makes the layers of an attempt that this worker makes alone.
func (e *engine) makeAlone(at *attempt) error {
	ctx, began := e.workCtx(), time.Now()
	run, err := e.run.with(nil)
	if err != nil {
		return err
	}
	for _, layers := range [][]worker.Layer{at.plan.Expand, at.plan.Exclude, at.plan.Within} {
		if err := e.holds.borrow(ctx, run, layers, at.alone.others); err != nil {
			return err
		}
	}
	var made []*everystatev1.MadeLayer
	bytes := 0
	for one := at; ; {
		l, layer, states, err := e.makeOne(one)
		if err != nil {
			return err
		}
		made, bytes = append(made, l), bytes+proto.Size(l)
		behind := len(made) - 1
		if states == 0 || states > at.alone.states || behind == len(at.alone.plans) || bytes > aloneBytesMax || time.Since(began) > at.alone.within {
			break
		}
		run.layers[one.target.Phase] = append(run.layers[one.target.Phase], layer)
		e.holds.note(layer.Segment)
		if one, err = e.turnTo(at, run, behind); err != nil {
			return err
		}
	}
	if err := e.kept.Store.Sync(); err != nil {
		return err
	}
	e.desk.achieve(at, func(r *reached) { r.stage, r.made = everystatev1.Stage_STAGE_WRITTEN, made })
	return nil
}

// makeOne makes the layer that the lanes have begun.
func (e *engine) makeOne(one *attempt) (l *everystatev1.MadeLayer, layer worker.Layer, states int64, err error) {
	began := time.Now()
	generated, err := e.expand()
	if err != nil {
		return nil, layer, 0, err
	}
	e.meter.stage(everystatev1.Stage_STAGE_EXPANDED, one, e.kept.Name, began)
	var sent []worker.Tally
	for _, l := range e.active {
		sent = worker.JoinAll(sent, l.out.Sent())
	}
	began = time.Now()
	parts, took, bytes, err := e.write()
	if err != nil {
		return nil, layer, 0, err
	}
	e.meter.stage(everystatev1.Stage_STAGE_WRITTEN, one, e.kept.Name, began)
	layer = worker.Layer{Segment: one.target, PartStates: make([]int64, e.kept.Scheme.Partitions())}
	l = &everystatev1.MadeLayer{Generated: uint64(generated), StoredBytes: uint64(bytes), Sent: only(exchange.Tallies(sent)), Took: only(took)}
	for _, p := range parts {
		if p.GetStates() == 0 {
			continue
		}
		l.Partitions = append(l.Partitions, p)
		layer.PartStates[p.GetPartition()] = int64(p.GetStates())
		states += int64(p.GetStates())
	}
	return l, layer, states, nil
}

// only returns the tally of a worker that exchanges candidates with itself alone.
func only(tallies []*everystatev1.CandidateTally) *everystatev1.CandidateTally {
	if len(tallies) == 0 {
		return nil
	}
	return tallies[0]
}

// turnTo has the lanes begin the layer behind so many others of an attempt.
func (e *engine) turnTo(at *attempt, run *assigned, behind int) (*attempt, error) {
	one := *at
	one.target.Layer += uint32(behind) + 1
	one.target.Epoch += uint32(behind) + 1
	var err error
	if one.plan, err = plans.Read(run.layers[:], at.alone.plans[behind], one.target); err != nil {
		return nil, err
	}
	var errs []error
	for _, l := range e.active {
		errs = append(errs, l.worker.End())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	e.targets, e.lastEpoch = append(e.targets, one.target), one.target.Epoch
	e.stores.begun(run.name, one.target.Epoch)
	e.stats.work.At(int(one.target.Layer), len(one.own))
	e.lanesBegin(&one)
	return &one, nil
}

// borrow gets the shares of some layers that other workers keep, unless they are here.
func (h *holds) borrow(ctx context.Context, run *assigned, layers []worker.Layer, others []source) error {
	if _, err := h.missing(run, nil); err != nil {
		return err
	}
	var missing []missingShare
	for _, l := range layers {
		if h.isWhole(l.Segment) {
			continue
		}
		for _, from := range others {
			var look []uint32
			for _, p := range from.parts {
				if l.PartStates[p] > 0 {
					look = append(look, p)
				}
			}
			absent, err := h.run.Store.Absent(l.Segment, look)
			if err != nil {
				return err
			}
			if len(absent) > 0 {
				missing = append(missing, missingShare{l, source{from.name, from.address, absent}})
			}
		}
	}
	var records atomic.Int64
	if err := h.get(ctx, run, missing, &records); err != nil {
		return err
	}
	for _, l := range layers {
		h.note(l.Segment)
	}
	return nil
}

// isWhole reports whether all of a layer is known to be here.
func (h *holds) isWhole(id store.SegmentID) bool {
	whole := h.whole[id.Phase]
	return int64(id.Layer) < int64(len(whole)) && whole[id.Layer] == id.Epoch
}

// note notes that all of a layer is here.
func (h *holds) note(id store.SegmentID) {
	for int64(len(h.whole[id.Phase])) <= int64(id.Layer) {
		h.whole[id.Phase] = append(h.whole[id.Phase], 0)
	}
	h.whole[id.Phase][id.Layer] = id.Epoch
}
