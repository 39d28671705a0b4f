package server

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/worker"
)

// takeOver gets partitions that an attempt moves here, as far as the next layer needs them:
// all that other workers give away, and of those that must be restored the layers that it
// reads. A mark on the disk says so first.
func (e *engine) takeOver(at *attempt) error {
	lost := slices.DeleteFunc(slices.Clone(at.sources), func(from source) bool { return from.address != "" })
	given := slices.DeleteFunc(slices.Clone(at.sources), func(from source) bool { return from.address == "" })
	if err := e.stores.mender.Part(e.kept.Name); err != nil {
		return err
	}
	for _, from := range lost {
		if err := e.kept.Table.Release(from.parts); err != nil {
			return err
		}
	}
	if err := e.holds.fetchFirst(e.workCtx(), e.run, at.first, lost, &e.desk.fetched); err != nil {
		return err
	}
	return e.holds.fetch(e.workCtx(), e.run, given, &e.desk.fetched)
}

// check makes sure that this worker has what an attempt needs of its partitions, and
// restores what it lacks.
func (e *engine) check(ctx context.Context, run *assigned, at *attempt) error {
	var none atomic.Int64
	own := []source{{parts: partition.Numbers(at.keeps())}}
	if at.first == nil {
		err := e.holds.fetch(ctx, run, own, &none)
		if err == nil && e.stores.mender.Restoring(run.name) {
			err = e.stores.mender.Whole(run.name)
		}
		return err
	}
	missing, err := e.holds.missingFirst(at.first, own)
	if err != nil || len(missing) == 0 {
		return err
	}
	e.stopAhead() // it may be getting the same
	return e.holds.fetchFirst(ctx, run, at.first, own, &none)
}

// fetchFirst gets the records of the sources' partitions that are not here, of some layers.
func (h *holds) fetchFirst(ctx context.Context, run *assigned, layers []worker.Layer, sources []source, records *atomic.Int64) error {
	missing, err := h.missingFirst(layers, sources)
	if err != nil {
		return err
	}
	return h.get(ctx, run, missing, records)
}

// missingFirst returns what is not here of the sources' partitions, in some layers.
func (h *holds) missingFirst(layers []worker.Layer, sources []source) (missing []missingShare, err error) {
	for _, from := range sources {
		for _, l := range layers {
			parts := slices.DeleteFunc(slices.Clone(from.parts), func(p uint32) bool { return l.PartStates[p] == 0 })
			absent, err := h.run.Store.Absent(l.Segment, parts)
			if err != nil {
				return nil, err
			}
			if len(absent) > 0 {
				missing = append(missing, missingShare{l, source{from.name, from.address, absent}})
			}
		}
	}
	return missing, nil
}
