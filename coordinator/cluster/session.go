package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
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

// exchangeFailure begins a failure that is nobody's fault: a stream between
// workers that broke.
const exchangeFailure = "exchange: "

// Synchronize takes a worker's report and answers with its order.
func (s *Server) Synchronize(ctx context.Context, req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
	if err := checkRequest(req); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.arrive(req)
	if err != nil {
		return nil, err
	}
	remove, err := s.deleted.settle(m.name, req.GetKeptRuns())
	if err != nil {
		s.log.Error("deletions not written", "error", err)
	}
	s.takeUploads(m, req)
	s.take(m, req.GetReport())
	deadline := time.NewTimer(time.Duration(s.opts.LeaseMillis) * time.Millisecond / 3)
	defer deadline.Stop()
	for {
		if m.incarnation != req.GetIncarnation() {
			return nil, m.overtaken()
		}
		res := s.answer(m)
		res.DeletedRuns = remove
		if res.GetReleased() {
			s.log.Info("worker released", "worker", m.name)
			s.lose(m)
			return res, nil
		}
		if m.order != req.GetOrder() || len(res.GetRun().GetLayers()) > 0 || res.GetRun().GetSpec() != nil && req.GetReport().GetRun() == "" || len(remove) > 0 || s.stopping {
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
	if n := len(req.GetWorker()); n < 1 || n > 64 || !only(req.GetWorker(), "-") {
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
	if len(req.GetReport().GetFailure()) > 4<<10 || len(req.GetUploadTrouble()) > 4<<10 {
		return errors.New("failure: longer than 4 KiB")
	}
	if n := len(req.GetReport().GetPartitions()); n > PartitionsMax {
		return fmt.Errorf("partitions: %d: at most %d", n, PartitionsMax)
	}
	if len(req.GetUploaded()) > uploadsMax {
		return fmt.Errorf("uploaded: more than %d", uploadsMax)
	}
	for _, u := range req.GetUploaded() {
		if u.GetBytes() > math.MaxInt64 {
			return fmt.Errorf("uploaded: %d bytes", u.GetBytes())
		}
	}
	return nil
}

// membersMax bounds the workers that are remembered: more than there can be with
// partitions.
const membersMax = 4096

// arrive notes that a worker is there. An error says that it must not be.
func (s *Server) arrive(req *everystatev1.SynchronizeRequest) (*member, error) {
	m := s.members[req.GetWorker()]
	switch {
	case m == nil && len(s.members) >= membersMax:
		return nil, status.Errorf(codes.ResourceExhausted, "there are %d workers already", len(s.members))
	case m != nil && slices.Contains(m.ended, req.GetIncarnation()):
		return nil, m.overtaken()
	}
	if m == nil {
		m = newMember(req.GetWorker())
		s.members[m.name] = m
	}
	m.begin(req.GetIncarnation())
	again := m.present && m.incarnation != req.GetIncarnation()
	if again && m.draining {
		s.lose(m) // who wanted to leave has left
		again = false
	}
	leaves := req.GetDraining() && !m.draining
	m.lastCall = time.Now()
	m.address, m.draining, m.weight = req.GetAddress(), req.GetDraining(), req.GetWeight()
	if again {
		s.log.Warn("worker started again", "worker", m.name)
		m.incarnation, m.report = req.GetIncarnation(), nil
		m.tell(nil, nil)
		s.restarted(m)
	}
	if leaves && m.present {
		s.log.Info("worker leaves after the layer under way", "worker", m.name)
		s.stepFor(m, func(id core.WorkerID) core.Event { return core.Leaving{Worker: id} })
	}
	if m.present {
		return m, nil
	}
	s.log.Info("worker there", "worker", m.name, "address", m.address, "weight", m.weight)
	m.present, m.incarnation = true, req.GetIncarnation()
	s.newest = m.lastCall
	m.tell(nil, nil)
	if !m.draining {
		s.stepFor(m, func(id core.WorkerID) core.Event { return core.Joined{Worker: id, Weight: m.weight} })
	}
	if s.active != nil {
		s.tellDurable(s.active)
	}
	return m, nil
}

// stepFor lets the core of the active run take an event of a worker.
func (s *Server) stepFor(m *member, event func(id core.WorkerID) core.Event) {
	if r := s.active; r != nil && r.core != nil {
		id := r.names.id(m.name)
		delete(r.givenUp, id)
		s.step(event(id))
	}
}

// restarted lets the core know that a worker has to begin again.
func (s *Server) restarted(m *member) {
	s.stepFor(m, func(id core.WorkerID) core.Event { return core.Restarted{Worker: id} })
}

// takeUploads notes what a worker has uploaded, and why it cannot.
func (s *Server) takeUploads(m *member, req *everystatev1.SynchronizeRequest) {
	if trouble := oneLine(req.GetUploadTrouble()); trouble != m.trouble {
		m.trouble = trouble
		if trouble != "" {
			s.log.Warn("a worker cannot upload; it tries again", "worker", m.name, "error", trouble)
		}
	}
	for _, u := range req.GetUploaded() {
		if r := s.runs[u.GetRun()]; r != nil {
			r.backup.uploaded(m.name, u)
		}
	}
}

// take lets the core know what the worker has reached.
func (s *Server) take(m *member, report *everystatev1.RunReport) {
	m.report = report
	r := s.active
	if r == nil || r.core == nil || report.GetRun() != r.name || m.attempt == nil || report.GetEpoch() != m.attempt.GetEpoch() {
		return
	}
	id := r.names.id(m.name)
	if done := report.GetExpanded() + report.GetWritten(); done > r.furthest {
		r.furthest, r.moved = done, time.Now()
	}
	epoch := uint32(report.GetEpoch())
	if why := report.GetFailure(); why != "" {
		s.takeFailure(m, id, epoch, why)
		return
	}
	ev, err := eventOf(report, id)
	if err == nil && ev != nil {
		err = s.stepOf(ev)
	}
	if err != nil {
		// Who tells this is broken, or is not what it says: what it would tell next
		// is worth nothing, and the run cannot do without it.
		s.step(core.Failed{Worker: id, Epoch: epoch, Err: fmt.Errorf("worker %s reports what cannot be: %w", m.name, err)})
	}
}

// eventOf returns what a report says, nil if it says nothing.
func eventOf(report *everystatev1.RunReport, id core.WorkerID) (core.Event, error) {
	epoch := uint32(report.GetEpoch())
	switch report.GetStage() {
	case everystatev1.Stage_STAGE_BEGUN:
		return core.Began{Worker: id, Epoch: epoch}, nil
	case everystatev1.Stage_STAGE_EXPANDED:
		return core.Expanded{Worker: id, Epoch: epoch, Generated: int64(report.GetGenerated())}, nil
	case everystatev1.Stage_STAGE_WRITTEN:
		ev := core.Written{Worker: id, Epoch: epoch, Bytes: int64(report.GetStoredBytes())}
		for _, p := range report.GetPartitions() {
			d, err := digest.FromBytes(p.GetDigest())
			if err != nil {
				return nil, err
			}
			ev.Parts = append(ev.Parts, core.Part{
				Part: p.GetPartition(), States: int64(p.GetStates()), Goals: int64(p.GetGoalStates()), Digest: d,
			})
		}
		return ev, nil
	case everystatev1.Stage_STAGE_HELD:
		return core.Held{Worker: id, Epoch: epoch}, nil
	case everystatev1.Stage_STAGE_UNSPECIFIED:
	}
	return nil, nil //nolint:nilnil // there is nothing to tell
}

// takeFailure gives the attempt up. What was nobody's fault is tried again, the
// later the more often that was done.
func (s *Server) takeFailure(m *member, id core.WorkerID, epoch uint32, why string) {
	r := s.active
	if !strings.HasPrefix(why, exchangeFailure) {
		s.step(core.Failed{Worker: id, Epoch: epoch, Err: errors.New(m.name + ": " + oneLine(why))})
		return
	}
	r.trouble = m.name + ": " + oneLine(why)
	if r.retrying {
		return
	}
	wait := min(retryBackOffFirst<<min(r.retries, 16), retryBackOffMax)
	r.retries++
	r.retrying = true
	s.log.Warn("attempt given up", "run", r.name, "worker", m.name, "again", wait, "why", oneLine(why))
	c := r.core
	time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.retrying = false
		if s.active == r && r.core == c {
			s.step(core.Restarted{Worker: id})
		}
	})
}

// answer returns what the worker should reach.
func (s *Server) answer(m *member) *everystatev1.SynchronizeResponse {
	res := &everystatev1.SynchronizeResponse{Order: m.order, LeaseMillis: uint32(s.opts.LeaseMillis)}
	for _, r := range s.runs {
		if len(res.Uploads) < uploadsMax {
			res.Uploads = append(res.Uploads, r.backup.uploads(r.name, m.name)...)
		}
	}
	res.Uploads = res.Uploads[:min(len(res.Uploads), uploadsMax)]
	res.Released = m.draining && len(res.Uploads) == 0 && !s.needs(m)
	r := m.run
	if r == nil {
		return res
	}
	h := r.past()
	order := &everystatev1.RunOrder{Run: r.name}
	if r.backup != nil {
		order.Bucket = r.backup.url
	}
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

// needs reports whether a worker that wants to leave must stay.
func (s *Server) needs(m *member) bool {
	r := s.active
	if r == nil {
		return false
	}
	return r.backup != nil && !r.backup.ready || r.core != nil && r.core.Needs(r.names.id(m.name))
}
