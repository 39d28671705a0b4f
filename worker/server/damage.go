package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/everystate/everystate/internal/table/stored"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/layerobject"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/mend"
	"github.com/everystate/everystate/worker/onetable"
)

// damagedMax bounds the damaged stores that are reported to the coordinator.
const damagedMax = 16

// noteDamage marks the store of a run if an error says that it lacks records, or that it
// is damaged: then it is replaced when nobody uses it any more and somebody wants to.
func (s *stores) noteDamage(name string, err error) {
	if !s.mender.Lacks(name) {
		defer func() {
			if s.mender.Lacks(name) {
				s.found() // the coordinator is told at once
			}
		}()
	}
	if errors.Is(err, layerobject.ErrNoRecords) || errors.Is(err, onetable.ErrNotHere) || ofTable(err) {
		s.mender.Miss(name, err) // the disk is one of before, or the store is sound
		return
	}
	other := new(exchange.Error)
	if !store.IsCorruption(err) || errors.As(err, &other) {
		return // a block may have been damaged on its way
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.open[name]; k != nil {
		if k.damaged.Swap(true) {
			return
		}
		if k.users == 0 {
			delete(s.open, name)
			if err := k.Close(); err != nil {
				s.mender.Log.Warn("a damaged store was not closed cleanly", "run", name, "error", err)
			}
		}
	}
	if err := s.mender.Note(name, err); err != nil {
		s.mender.Log.Error("cannot mark a damaged store", "run", name, "error", err)
	}
}

// ofTable reports whether an error says that a file of a table is damaged or missing.
func ofTable(err error) bool {
	damage := new(store.CorruptionError)
	return errors.As(err, &damage) && stored.Named(filepath.Base(damage.Where))
}

// replace replaces the store of a run if it is marked as damaged and nobody has it open.
// The caller holds the mutex, which is released meanwhile.
func (s *stores) replace(name string) error {
	for s.busy[name] != nil {
		over := s.busy[name]
		s.mu.Unlock()
		<-over
		s.mu.Lock()
	}
	if s.open[name] != nil || !s.mender.Due(name) {
		return nil
	}
	over := make(chan struct{})
	s.busy[name] = over
	s.mu.Unlock()
	err := s.mender.Replace(context.Background(), name)
	s.mu.Lock()
	delete(s.busy, name)
	close(over)
	return err
}

// openSound opens a run, and replaces its store first if it turns out to be damaged.
func (s *stores) openSound(name string, spec *everystatev1.RunSpec) (*keptRun, error) {
	k, err := s.openRun(name, spec)
	if !store.IsCorruption(err) {
		return k, err
	}
	if err := s.mender.Note(name, err); err != nil {
		return nil, err
	}
	if err := s.replace(name); err != nil {
		return nil, err
	}
	if k := s.open[name]; k != nil {
		return k, nil // somebody else was faster
	}
	return s.openRun(name, spec)
}

// damages returns the runs whose stores are damaged, for the coordinator.
func (s *stores) damages() []*everystatev1.Damage {
	var all []*everystatev1.Damage
	for _, name := range s.kept(keptMax) {
		what := s.mender.Damage(name)
		if what == "" || len(all) == damagedMax {
			continue
		}
		d := &everystatev1.Damage{Run: name, What: what, Restoring: s.mender.Restoring(name)}
		s.mu.Lock()
		if k := s.open[name]; k != nil {
			d.RunIdentity = wire.Identity(k.Identity())
		}
		s.mu.Unlock()
		all = append(all, d)
	}
	return all
}

// lackError reports a layer of which records are missing here, and that nobody has.
type lackError struct {
	layer worker.Layer
	err   error
}

func (e *lackError) Error() string { return e.err.Error() }
func (e *lackError) Unwrap() error { return e.err }

// firstLost returns the first layer of which a share is missing that no worker has, where
// there is no bucket, or nil.
func firstLost(missing []missingShare) error {
	var first *missingShare
	for i, m := range missing {
		if a := m.layer.Segment; m.from.address == "" &&
			(first == nil || cmp.Or(cmp.Compare(a.Phase, first.layer.Segment.Phase), cmp.Compare(a.Layer, first.layer.Segment.Layer)) < 0) {
			first = &missing[i]
		}
	}
	if first == nil {
		return nil
	}
	return &lackError{first.layer, fmt.Errorf("%v: partition %d is not on this worker's disk, and there is no bucket to restore it from", first.layer.Segment, first.from.parts[0])}
}

// weed drops what is left of partitions that are not whole any more, after damage.
func (h *holds) weed(ctx context.Context, run *assigned) error {
	h.of = nil
	if h.run.Table != nil {
		if err := h.run.Table.Weed(ctx, run.layers[forward], run.spec.GetPartitions()); err != nil {
			return err
		}
	}
	return mend.Weed(ctx, h.run.Store, h.run.Shape, run.layers[:])
}

// mend gets the records of the sources' partitions that an attempt to move them needs: all
// of them after damage.
func (e *engine) mend(at *attempt) error {
	name, mender := e.kept.Name, e.stores.mender
	restoring := mender.Restoring(name)
	damaged := mender.Lacks(name) && !restoring
	switch {
	case damaged:
		if err := e.holds.weed(e.workCtx(), e.run); err != nil {
			return err
		}
	case at.first != nil:
		return e.takeOver(at)
	}
	if err := e.holds.fetch(e.workCtx(), e.run, at.sources, &e.desk.fetched); err != nil {
		return err
	}
	if damaged || restoring && at.whole {
		return mender.Whole(name)
	}
	return nil
}
