package server

import (
	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// memberOf returns the worker with an id.
func (r *run) memberOf(id history.WorkerID) *member {
	if int64(id) >= int64(len(r.names)) {
		return nil
	}
	return r.server.members[r.names[id]]
}

func (r *run) order(id history.WorkerID, attempt *everystatev1.AttemptOrder) {
	if m := r.memberOf(id); m != nil {
		m.tell(r, attempt)
	}
}

func (r *run) orderStage(id history.WorkerID, stage everystatev1.Stage) {
	m := r.memberOf(id)
	if m == nil || m.attempt == nil {
		return
	}
	m.tell(r, &everystatev1.AttemptOrder{
		Epoch: m.attempt.GetEpoch(), Phase: m.attempt.GetPhase(), Depth: m.attempt.GetDepth(),
		Owners: m.attempt.GetOwners(), Plan: m.attempt.GetPlan(), Stage: stage,
	})
}

func (r *run) orderAhead(e core.Ahead) {
	m := r.memberOf(e.Worker)
	if m == nil {
		return
	}
	m.tell(r, m.attempt) // of r, if there is one
	if m.ahead = nil; e.Number > 0 {
		m.ahead = &everystatev1.Ahead{Number: uint64(e.Number), Sources: r.owners(e.From, e.Parts)}
		what := "partitions are fetched ahead of their move"
		if len(e.From) > 0 && e.From[0] == history.NoWorker {
			what = "the remaining records of partitions are restored while the run goes on"
		}
		r.server.log.Info(what, "run", r.name, "worker", m.name, "partitions", len(e.Parts))
	}
}

func (r *run) attemptOrder(b core.Begin) *everystatev1.AttemptOrder {
	o := convert.Begin(b)
	o.Owners = r.owners(r.job.past().Placement().Homes, nil)
	return o
}

func (r *run) holdOrder(h core.Hold) *everystatev1.AttemptOrder {
	o := convert.Hold(h)
	o.Sources = r.owners(h.From, h.Parts)
	return o
}

// owners groups partitions by worker. A nil parts means that they are numbered from 0.
func (r *run) owners(homes []history.WorkerID, parts []uint32) []*everystatev1.Owner {
	return convert.Owners(homes, parts, func(home history.WorkerID) (name, address string) {
		if m := r.memberOf(home); m != nil {
			return m.name, m.address
		}
		return "", ""
	})
}
