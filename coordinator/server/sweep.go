package server

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/requests"
	"github.com/everystate/everystate/internal/sweep"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// sweepService hands units out.
type sweepService struct {
	everystatev1.UnimplementedSweepServiceServer
	*Server

	unpacking sync.Mutex // held while the findings of a unit are unpacked to their full size in memory
}

// TakeUnit hands out a unit.
func (s *sweepService) TakeUnit(ctx context.Context, req *everystatev1.TakeUnitRequest) (*everystatev1.TakeUnitResponse, error) {
	deadline := time.NewTimer(time.Duration(s.opts.LeaseMillis) * time.Millisecond / 3)
	defer deadline.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		m, is := s.members[req.GetWorker()], s.roster.Of(req.GetWorker())
		if m == nil || !is.Present || is.Incarnation != req.GetIncarnation() {
			return nil, status.Error(codes.FailedPrecondition, "a worker takes units when it has called Synchronize")
		}
		// Wakes a call that finds no unit: its order changes with the queue.
		var changed <-chan struct{} = m.changed
		if r := s.active; r != nil && !is.Draining {
			res, next := r.job.takeUnit(m, req.GetLane())
			if res != nil {
				return res, nil
			}
			if next != nil {
				changed = next
			}
		}
		if req.GetHurry() || s.stopping {
			return &everystatev1.TakeUnitResponse{}, nil
		}
		timedOut, err := s.waitFor(ctx, changed, deadline.C)
		if err != nil {
			return nil, err
		}
		if timedOut {
			return &everystatev1.TakeUnitResponse{}, nil
		}
	}
}

// CommitUnit records what a unit found.
func (s *sweepService) CommitUnit(stream everystatev1.SweepService_CommitUnitServer) error {
	first, found, err := requests.Findings(stream.Recv)
	if err != nil {
		return err
	}
	if why := first.GetFailure(); why != "" {
		err = s.onSweep(first, func(j job) error { return j.failUnit(first, oneLine(why[:min(len(why), 4<<10)])) })
	} else {
		err = s.commitUnit(first, found)
	}
	if err != nil {
		return err
	}
	return stream.SendAndClose(&everystatev1.CommitUnitResponse{})
}

func (s *sweepService) commitUnit(first *everystatev1.CommitUnitRequest, found []byte) error {
	s.unpacking.Lock()
	f, err := sweep.DecodeFindings(int(first.GetUnit()), found)
	s.unpacking.Unlock()
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return s.onSweep(first, func(j job) error { return j.commitUnit(first, &f.Totals, found) })
}

// onSweep calls f with the job of the run that a unit claims to belong to, if that run
// is being worked on.
func (s *sweepService) onSweep(req *everystatev1.CommitUnitRequest, f func(job) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == nil || s.active.name != req.GetRun() {
		return errNoUnit(req)
	}
	return f(s.active.job)
}
