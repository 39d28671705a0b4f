package server

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/onetable"
)

// openTable prepares the work on a run of which this worker keeps the table. There are no
// lanes: all processors make one layer.
func (e *engine) openTable(run *assigned, kept *keptRun) {
	e.kept, e.openedFor = kept, run.id
	e.clean, e.lastEpoch, e.endErr = false, e.stores.lastEpoch(run.name), nil
	e.stats.work.Enter(run.name, &kept.One.Progress)
}

// beginTable prepares an attempt to make layers of a table.
func (e *engine) beginTable(ctx context.Context, cancel context.CancelFunc, w want) error {
	at := w.attempt
	if at.alone == nil || len(at.own) != e.kept.Scheme.Partitions() {
		cancel()
		return errors.New("a table is made by the one worker that keeps it, and the order has others")
	}
	if !e.desk.begin(at, cancel, []*worker.Progress{&e.kept.One.Progress}) {
		cancel()
		return nil
	}
	e.work, e.run, e.lastEpoch, e.stop, e.active = at, w.run, at.target.Epoch, cancel, nil
	e.targets = append(e.targets[:0], at.target)
	e.workCtx = func() context.Context { return ctx }
	e.stats.Attempts.Add(1)
	e.stats.work.At(int(at.target.Layer), len(at.own))
	e.desk.achieve(at, func(r *reached) { r.stage = everystatev1.Stage_STAGE_BEGUN })
	return nil
}

// makeTable makes the layers of an attempt.
func (e *engine) makeTable(at *attempt) error {
	began, one := time.Now(), e.kept.One
	var layers []table.Layer
	err := e.unlessBroken(func(ctx context.Context) error {
		err := one.CatchUp(ctx, e.run.layers)
		if err == nil {
			layers, err = one.Make(ctx, onetable.Order{
				Phase: history.Phase(at.target.Phase), Depth: at.target.Layer, Layers: 1 + len(at.alone.plans), Within: at.alone.within,
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	var made []*everystatev1.MadeLayer
	bytes := 0
	for _, l := range layers {
		m := &everystatev1.MadeLayer{Generated: uint64(l.Generated), PartitionStates: wire.Counts(l.PartStates)}
		m.Partitions = []*everystatev1.PartitionReport{{
			States: uint64(l.States), GoalStates: uint64(l.Goals), Digest: l.Digest.Bytes(), RepresentedStates: uint64(l.Represented),
		}}
		made = append(made, m)
		if bytes += proto.Size(m); bytes > aloneBytesMax {
			break // the rest is there when it is asked for
		}
	}
	made[len(made)-1].StoredBytes = uint64(one.Grown())
	e.meter.stage(everystatev1.Stage_STAGE_WRITTEN, at, e.kept.Name, began)
	e.desk.achieve(at, func(r *reached) { r.stage, r.made = everystatev1.Stage_STAGE_WRITTEN, made })
	return nil
}

// holdAll gets what an attempt to move partitions needs: where this worker is to keep a table,
// it makes the table.
func (e *engine) holdAll(at *attempt) error {
	one, mender := e.kept.One, e.stores.mender
	if one == nil {
		return e.mend(at)
	}
	return e.unlessBroken(func(ctx context.Context) error {
		if mender.Lacks(e.kept.Name) {
			if err := one.Check(ctx); err != nil {
				return err
			}
		}
		if err := one.CatchUp(ctx, e.run.layers); err != nil {
			return err
		}
		if mender.Lacks(e.kept.Name) {
			return mender.Whole(e.kept.Name)
		}
		return nil
	})
}

// unlessBroken calls f, but does not wait for it once the store has failed: it may be parked
// in the store for good.
func (e *engine) unlessBroken(f func(ctx context.Context) error) error {
	done := make(chan error, 1)
	ctx := e.workCtx()
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		return err
	case <-e.kept.Store.Failed():
		return e.kept.Store.Err()
	}
}

// findInTable looks up a record of a run of which this worker keeps the table.
func findInTable(ctx context.Context, run *keptRun, id store.SegmentID, part uint32, rec []uint64) (*everystatev1.FindRecordResponse, error) {
	found, _, err := run.One.Find(ctx, history.Phase(id.Phase), id.Layer, partition.ID(part), rec)
	return &everystatev1.FindRecordResponse{Record: found}, err
}

// sendFromTable sends the records of partitions as a run that keeps layers would.
func sendFromTable(ctx context.Context, out *layerstream.Sender, run *keptRun, id store.SegmentID, parts []uint32) error {
	return run.One.Each(ctx, history.Phase(id.Phase), id.Layer, parts, func(part uint32, recs []uint64) error {
		return out.Add(part, run.Shape.AppendBlock(nil, recs))
	})
}
