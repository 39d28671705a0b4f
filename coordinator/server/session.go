package server

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/requests"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// sessionService answers workers.
type sessionService struct {
	everystatev1.UnimplementedSessionServiceServer
	*Server
}

// Synchronize takes a worker's report and answers with its order.
func (s *sessionService) Synchronize(ctx context.Context, req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
	if err := requests.Check(req); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := wire.Check("worker "+req.GetWorker(), req.GetWireVersion()); err != nil {
		s.log.Warn("worker refused", "worker", req.GetWorker(), "address", req.GetAddress(), "error", err)
		return nil, status.Error(codes.FailedPrecondition, err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if owed := s.deleted.Owed(req.GetWorker(), req.GetKeptRuns()); len(owed) > 0 { // it is not there before it has removed them
		return &everystatev1.SynchronizeResponse{LeaseMillis: uint32(s.opts.LeaseMillis), WireVersion: wire.Version, DeletedRuns: owed}, nil
	}
	m, err := s.arrive(req)
	if err != nil {
		return nil, err
	}
	remove, err := s.deleted.Settle(m.name, req.GetKeptRuns())
	if err != nil {
		s.log.Error("cannot write the deletions", "error", err)
	}
	s.takeUploads(m, req)
	takeDamage(s.Server, m, req)
	was := m.report
	if m.report = req.GetReport(); s.active != nil {
		s.active.job.take(m, was, m.report)
	}
	deadline := time.NewTimer(time.Duration(s.opts.LeaseMillis) * time.Millisecond / 3)
	defer deadline.Stop()
	for timedOut := false; ; {
		if s.roster.Of(m.name).Incarnation != req.GetIncarnation() {
			return nil, m.overtaken()
		}
		res := s.answer(m)
		res.DeletedRuns = remove
		if res.GetReleased() {
			res.RunsLeft = runsOf(s.Server, m.name)
			s.log.Info("worker released", "worker", m.name, "with_runs", len(res.RunsLeft))
			s.roster.Leave(m.name)
			s.lose(m)
			return res, nil
		}
		if timedOut || m.order != req.GetOrder() || len(res.GetRun().GetLayers()) > 0 || res.GetRun().GetSpec() != nil && req.GetReport().GetRun() == "" || len(remove) > 0 || s.stopping {
			return res, nil
		}
		changed := m.changed
		if timedOut, err = s.waitFor(ctx, changed, deadline.C); err != nil {
			return nil, err
		}
	}
}

// waitFor releases the mutex until changed is closed or the deadline has come.
func (s *Server) waitFor(ctx context.Context, changed <-chan struct{}, deadline <-chan time.Time) (timedOut bool, err error) {
	s.mu.Unlock()
	select {
	case <-changed:
	case <-deadline:
		timedOut = true
	case <-ctx.Done():
	}
	s.mu.Lock()
	if err := ctx.Err(); err != nil {
		return false, status.FromContextError(err).Err()
	}
	return timedOut, nil
}

// arrive notes that a worker is there. An error means that it must not be.
func (s *sessionService) arrive(req *everystatev1.SynchronizeRequest) (*member, error) {
	m := s.members[req.GetWorker()]
	came, err := s.roster.Call(s.now(), core.Call{Worker: req.GetWorker(), Incarnation: req.GetIncarnation(), Draining: req.GetDraining()})
	switch {
	case errors.Is(err, core.ErrOvertaken):
		return nil, m.overtaken()
	case err != nil:
		return nil, status.Error(codes.ResourceExhausted, err.Error())
	case m == nil:
		m = newMember(req.GetWorker())
		s.members[m.name] = m
	}
	s.still.Call(s.now(), core.Ticks(stillLeases*s.opts.LeaseMillis), m.name, req.GetIncarnation(), core.Ticks(req.GetStoodMillis()))
	if came.Left {
		s.lose(m)
	}
	m.joins = core.Joined{Weight: req.GetWeight(), Able: convert.Able(req), Leaving: req.GetDraining()}
	m.address, m.diskFree, m.sentBytes, m.memoryBytes, m.kept = req.GetAddress(), req.GetDiskFreeBytes(), req.GetSentBytes(), req.GetMemoryBytes(), req.GetKeptRuns()
	if came.Restarted {
		s.log.Warn("worker restarted", "worker", m.name)
		m.report = nil
		m.tell(nil, nil)
		s.tell(m, func(id history.WorkerID) core.Event { return core.Restarted{Worker: id, Able: m.joins.Able} })
	}
	if came.Leaves {
		s.log.Info("worker leaves after the layer in progress", "worker", m.name)
		s.tell(m, func(id history.WorkerID) core.Event { return core.Leaving{Worker: id} })
	}
	if !came.Came {
		return m, nil
	}
	s.log.Info("worker connected", "worker", m.name, "address", m.address, "weight", m.joins.Weight)
	m.tell(nil, nil)
	if !leftOut(s.Server, m) {
		s.tell(m, func(id history.WorkerID) core.Event { return m.joining(id, s.active, req.GetDamaged(), false) })
	}
	if s.active != nil {
		s.active.backup.announceDurable()
	}
	return m, nil
}

// tell passes an event about a worker to the active run.
func (s *Server) tell(m *member, event func(id history.WorkerID) core.Event) {
	if r := s.active; r != nil && r.job.working() {
		id := r.names.ID(m.name)
		delete(r.givenUp, id)
		r.job.step(event(id))
	}
}

// answer returns what the worker should reach.
func (s *sessionService) answer(m *member) *everystatev1.SynchronizeResponse {
	res := &everystatev1.SynchronizeResponse{Order: m.order, LeaseMillis: uint32(s.opts.LeaseMillis), WireVersion: wire.Version}
	for _, r := range s.runs {
		if len(res.Uploads) < requests.UploadsMax {
			res.Uploads = append(res.Uploads, r.backup.uploads(m.name)...)
		}
	}
	res.Uploads = requests.FirstUploads(res.Uploads)
	res.Dropped = s.dropped(m)
	res.Released = s.roster.Of(m.name).Draining && len(res.Uploads) == 0 && !s.needs(m)
	r := m.run
	if r == nil {
		return res
	}
	h := r.job.past()
	order := &everystatev1.RunOrder{Run: r.name, RunIdentity: wire.Identity(h.Identity())}
	if r.backup != nil {
		order.Bucket = r.backup.url
	}
	forward, goal := requests.Known(m.report, r.name, r.job.past())
	if forward == 0 {
		order.Spec = journal.RunSpec(r.spec)
	}
	most := requests.LayersMax(r.spec.Partitions)
	for _, phase := range []struct {
		phase history.Phase
		known int
	}{{history.Forward, forward}, {history.Goal, goal}} {
		layers := h.Layers(phase.phase)
		for i := phase.known; i < len(layers) && len(order.Layers) < most; i++ {
			order.Layers = append(order.Layers, wire.LayerRecord(layers[i]))
		}
	}
	told := forward + goal + len(order.Layers)
	if told >= len(h.Layers(history.Forward))+len(h.Layers(history.Goal)) {
		order.Attempt, order.Ahead = m.attempt, m.ahead
	}
	res.Run = order
	return res
}

// dropped returns what a worker may remove of the runs that it keeps.
func (s *sessionService) dropped(m *member) (all []*everystatev1.Dropped) {
	for _, name := range m.kept {
		r := s.runs[name]
		if r == nil || !r.spec.Keep.Frontier && r.spec.Store != history.DividedTable {
			continue
		}
		h := r.job.past()
		from := h.KeptFrom()
		if s.bucket != nil {
			from = min(from, r.backup.keptFrom())
		}
		all = append(all, &everystatev1.Dropped{Run: name, RunIdentity: wire.Identity(h.Identity()), KeptFrom: from})
	}
	return all
}

// needs reports whether a worker that wants to leave must stay.
func (s *sessionService) needs(m *member) bool {
	r := s.active
	if r == nil {
		return !s.stopping && s.firstInQueue() != nil // it may have partitions of that one
	}
	// Others may be there that have not called yet, or the run is still to be taken up.
	others := !s.roster.Heard(s.now()) || !r.job.working() && len(s.roster.Available()) > 0
	return r.backup != nil && !r.backup.ready || r.job.needs(m) || others && r.job.past().Placement().On(m.name)
}
