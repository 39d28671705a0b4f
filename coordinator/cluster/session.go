package cluster

import (
	"context"
	"errors"
	"net"
	"regexp"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/digest"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// layersMax is the number of layer records in an answer.
const layersMax = 64

// exchangeFailure begins a failure that is nobody's fault: a stream that broke.
const exchangeFailure = "exchange: "

// Synchronize takes a worker's report and answers with its order.
func (s *Server) Synchronize(ctx context.Context, req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
	if err := checkRequest(req); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.arrive(req)
	remove, err := s.deleted.settle(m.name, req.GetKeptRuns())
	if err != nil {
		s.log.Error("deletions not written", "error", err)
	}
	if err := s.take(m, req.GetReport()); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	deadline := time.NewTimer(time.Duration(s.opts.LeaseMillis) * time.Millisecond / 3)
	defer deadline.Stop()
	for {
		// A later call of the same worker has taken this one's place.
		if m.incarnation != req.GetIncarnation() {
			return nil, status.Error(codes.Aborted, "another process works under this name")
		}
		res := s.answer(m)
		res.DeletedRuns = remove
		if m.order != req.GetOrder() || len(res.GetRun().GetLayers()) > 0 || len(remove) > 0 || s.stopping {
			return res, nil
		}
		changed := m.changed
		s.mu.Unlock()
		timedOut := false
		select {
		case <-changed:
		case <-deadline.C:
			timedOut = true
		case <-ctx.Done():
		}
		s.mu.Lock()
		if err := ctx.Err(); err != nil {
			return nil, status.FromContextError(err).Err()
		}
		if timedOut {
			return s.answer(m), nil
		}
	}
}

func checkRequest(req *everystatev1.SynchronizeRequest) error {
	if !regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`).MatchString(req.GetWorker()) {
		return errors.New("worker: must be 1 to 64 letters, digits or '-'")
	}
	if err := checkKept(req); err != nil {
		return err
	}
	if len(req.GetAddress()) > 255 {
		return errors.New("address: longer than 255 bytes")
	}
	if _, _, err := net.SplitHostPort(req.GetAddress()); err != nil {
		return errors.New("address: must be HOST:PORT")
	}
	if len(req.GetReport().GetFailure()) > 4<<10 {
		return errors.New("failure: longer than 4 KiB")
	}
	return nil
}

// arrive notes that a worker is there.
func (s *Server) arrive(req *everystatev1.SynchronizeRequest) *member {
	m := s.members[req.GetWorker()]
	if m == nil {
		m = newMember(req.GetWorker())
		s.members[m.name] = m
	}
	if m.present && m.incarnation != req.GetIncarnation() {
		s.log.Warn("worker started again", "worker", m.name)
		s.lose(m)
	}
	m.lastCall = time.Now()
	leaves := req.GetDraining() && !m.draining
	m.address, m.draining = req.GetAddress(), req.GetDraining()
	if id, ok := s.idOf(m); ok && leaves && m.present {
		s.log.Info("worker leaves after the layer under way", "worker", m.name)
		s.step(core.Leaving{Worker: id})
	}
	if m.present {
		return m
	}
	s.log.Info("worker there", "worker", m.name, "address", m.address)
	m.present, m.incarnation = true, req.GetIncarnation()
	s.newest = m.lastCall
	m.tell(nil, nil)
	if id, ok := s.idOf(m); ok && !m.draining {
		s.step(core.Joined{Worker: id})
	}
	return m
}

// take lets the core know what the worker has reached.
func (s *Server) take(m *member, report *everystatev1.RunReport) error {
	m.report = report
	id, ok := s.idOf(m)
	if !ok || report.GetRun() != s.active.name || m.attempt == nil || report.GetEpoch() != m.attempt.GetEpoch() {
		return nil
	}
	epoch := uint32(report.GetEpoch())
	if why := report.GetFailure(); why != "" {
		s.takeFailure(m, id, epoch, why)
		return nil
	}
	switch report.GetStage() {
	case everystatev1.Stage_STAGE_BEGUN:
		s.step(core.Began{Worker: id, Epoch: epoch})
	case everystatev1.Stage_STAGE_EXPANDED:
		s.step(core.Expanded{Worker: id, Epoch: epoch, Generated: int64(report.GetGenerated())})
	case everystatev1.Stage_STAGE_WRITTEN:
		ev := core.Written{Worker: id, Epoch: epoch, Bytes: int64(report.GetStoredBytes())}
		for _, p := range report.GetPartitions() {
			d, err := digest.FromBytes(p.GetDigest())
			if err != nil {
				return err
			}
			ev.Parts = append(ev.Parts, core.Part{
				Part: p.GetPartition(), States: int64(p.GetStates()), Goals: int64(p.GetGoalStates()), Digest: d,
			})
		}
		s.step(ev)
	case everystatev1.Stage_STAGE_UNSPECIFIED:
	}
	return nil
}

// takeFailure gives the attempt up. What was nobody's fault is tried again.
func (s *Server) takeFailure(m *member, id core.WorkerID, epoch uint32, why string) {
	r := s.active
	if strings.HasPrefix(why, exchangeFailure) && r.retries < retriesMax {
		r.retries++
		s.log.Warn("attempt given up", "run", r.name, "worker", m.name, "why", oneLine(why))
		s.step(core.Lost{Worker: id})
		s.step(core.Joined{Worker: id})
		return
	}
	s.step(core.Failed{Worker: id, Epoch: epoch, Err: errors.New(m.name + ": " + oneLine(why))})
}

// answer returns what the worker should reach.
func (s *Server) answer(m *member) *everystatev1.SynchronizeResponse {
	res := &everystatev1.SynchronizeResponse{Order: m.order, LeaseMillis: uint32(s.opts.LeaseMillis)}
	r := m.run
	if r == nil {
		return res
	}
	h := r.past()
	order := &everystatev1.RunOrder{Run: r.name}
	forward, goal := m.known(r)
	if forward == 0 {
		order.Spec = journal.RunSpec(r.spec)
	}
	for _, phase := range []struct {
		phase core.Phase
		known int
	}{{core.Forward, forward}, {core.Goal, goal}} {
		layers := h.Layers(phase.phase)
		for i := phase.known; i < len(layers) && len(order.Layers) < layersMax; i++ {
			order.Layers = append(order.Layers, journal.LayerRecord(layers[i]))
		}
	}
	told := forward + goal + len(order.Layers)
	if told >= len(h.Layers(core.Forward))+len(h.Layers(core.Goal)) {
		order.Attempt = m.attempt
	}
	res.Run = order
	return res
}
