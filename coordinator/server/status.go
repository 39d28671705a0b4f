package server

import (
	"slices"
	"sort"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

func (s *Server) status(r *run) *everystatev1.RunStatus {
	h := r.job.past()
	st := &everystatev1.RunStatus{
		Run: r.name, Spec: journal.RunSpec(r.spec), State: wire.State(s.stateOf(r)), Want: wire.Want(r.control.Want),
		JournalEntries: uint64(len(r.log)), Failure: r.control.Failure, Complete: r.job.complete(),
	}
	phase := history.Forward
	if h.End(history.Forward) != nil && (r.job.wants(r.control.Want).GoalDistance || len(h.Layers(history.Goal)) > 0) {
		phase = history.Goal
	}
	st.Phase, st.Depth = wire.Phase(phase), uint32(max(0, len(h.Layers(phase))-1))
	st.States = uint64(h.States(phase))
	if phase == history.Goal {
		st.ExploredDepth = new(uint32(max(0, len(h.Layers(history.Forward))-1)))
		st.ExploredStates = new(uint64(h.States(history.Forward)))
	}
	if b := r.backup; b != nil {
		st.Bucket, st.DurableEntries, st.BucketTrouble = b.url, uint64(b.durable()), b.bucketTrouble()
		st.BucketLooks, st.BucketLost = new(uint64(b.scrubbed.Passes)), uint64(len(b.scrubbed.Lost))
	}
	r.job.status(st)
	if r == s.active {
		st.WaitingFor = s.waitingFor(r)
		st.IdleMillis = uint64(r.pace.Idle(s.now()))
	}
	return st
}

// workers returns all workers, with what they are doing for a run.
func (s *Server) workers(r *run) []*everystatev1.WorkerStatus {
	var place *history.Placement
	if r != nil {
		place = r.job.past().Placement()
	}
	var all []*everystatev1.WorkerStatus
	for _, m := range s.members {
		is := s.roster.Of(m.name)
		w := &everystatev1.WorkerStatus{
			Worker: m.name, Address: m.address, Present: is.Present, Draining: is.Draining,
			SilentMillis: uint64(s.now() - is.LastCall), Stage: m.report.GetStage(), Weight: m.joins.Weight,
			DiskFreeBytes: m.diskFree, Lanes: uint32(m.joins.Able.Lanes),
			SentBytes: m.sentBytes, MemoryBytes: m.memoryBytes, Trouble: troubleOf(s, m),
		}
		if r != nil && m.run == r {
			w.Expanded, w.Written = m.report.GetExpanded(), m.report.GetWritten()
		}
		if place != nil {
			if id := slices.Index(place.Workers, m.name); id >= 0 {
				w.Partitions = uint32(place.KeptBy(history.WorkerID(id)))
			}
		}
		all = append(all, w)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].GetWorker() < all[j].GetWorker() })
	return all
}
