package server

import (
	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker/depths"
)

// dropGather is how many states of dropped layers are left until they are removed, while a
// run is worked on: removing costs a few waits for the disk, and most layers are small.
const dropGather = 1 << 18

// dropped is what a run no longer needs here: its forward layers above keptFrom, except
// those that it names.
type dropped struct {
	id       history.Identity
	keptFrom uint32
}

// droppedOf reads what the coordinator says may be removed, by run.
func droppedOf(said []*everystatev1.Dropped) map[string]dropped {
	all := make(map[string]dropped, len(said))
	for _, d := range said {
		if id, err := wire.IdentityOf(d.GetRunIdentity()); err == nil && id.Known() {
			all[d.GetRun()] = dropped{id, d.GetKeptFrom()}
		}
	}
	return all
}

// removeDropped removes from a store what its run no longer needs: as soon as enough has
// gathered, if the run is worked on.
func (e *engine) removeDropped(kept *keptRun, d dropped, own depths.Share) error {
	was := e.removed[kept.Name]
	if was.id != d.id || was.keptFrom > d.keptFrom {
		was = dropped{id: d.id} // another run, or one that has begun again
	}
	if kept.Identity() != d.id || was.keptFrom == d.keptFrom {
		return nil
	}
	keep := history.Keep{Frontier: true, Named: history.DepthsOf(kept.Spec.GetKeptLayers())}
	if kept.Table != nil {
		return e.addToTable(kept, was, d, own)
	}
	spans := history.DroppedSpans(keep, was.keptFrom, d.keptFrom)
	var states int64
	for _, span := range spans {
		states += own.States(span.First, span.End)
	}
	if states < e.gatherStates && own.Layers != nil {
		return nil
	}
	for _, span := range spans {
		if err := store.DropLayers(kept.Store, forward, span.First, span.End, states >= e.gatherStates); err != nil {
			return err
		}
	}
	e.removed[kept.Name] = d
	return nil
}

// removeOwn removes what the run that is worked on has dropped, apart from what the order
// needs. Where partitions lack records that would go into a table, all records stay.
func (e *engine) removeOwn(run *assigned, d dropped, at *attempt) error {
	if e.kept.Table != nil && at.first != nil {
		return nil
	}
	d.keptFrom = min(d.keptFrom, run.keptFrom)
	parts := partition.Numbers(at.own)
	if err := e.holds.hold(parts, true); err != nil {
		return err
	}
	return e.removeDropped(e.kept, d, depths.Share{Parts: parts, Layers: run.layers[forward]})
}

// tidy removes what runs have dropped while none is worked on, unless records are missing.
// Which partitions of a table are here is known once this worker has worked on the run.
func (e *engine) tidy(all map[string]dropped) {
	for name, d := range all {
		if e.removed[name] == d || e.early != nil && e.kept.Name == name || e.stores.mender.Restoring(name) {
			continue
		}
		kept, err := e.stores.take(name, nil)
		if err == nil {
			err = e.removeDropped(kept, d, depths.Share{Parts: kept.Table.Held()})
			if err == nil && kept.Identity() != d.id {
				e.removed[name] = d // it is another run's
			}
			if e.stores.give(kept) != nil || kept.Store.Err() != nil {
				continue // whoever takes it next reports that
			}
		}
		if err != nil {
			e.log.Warn("cannot remove dropped layers yet", "run", name, "error", err)
		}
	}
}

// drops reports whether a layer has been dropped: no share of it is needed any more.
func (a *assigned) drops(phase uint8, depth int) bool {
	return phase == forward && int64(depth) < int64(a.keptFrom) && !a.named.Has(uint32(depth))
}
