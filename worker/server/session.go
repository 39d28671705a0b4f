package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/platform/disk"
	"github.com/everystate/everystate/internal/platform/memory"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/farewell"
	"github.com/everystate/everystate/worker/upload"
)

const (
	// answerFloor is the least time that the coordinator is given to answer, and
	// answerFirst the time it is given until it has said how long a lease is.
	answerFloor = 5 * time.Second
	answerFirst = 30 * time.Second

	// keptMax bounds the kept runs that are reported to the coordinator.
	keptMax = 1000

	// drainWait is how long a worker that wants to leave waits for a coordinator
	// that does not answer.
	drainWait = 10 * time.Second

	// reminderInterval is how often the log says that the coordinator does not answer.
	reminderInterval = time.Minute

	// linger is how long the next call waits if the order is being carried out: most
	// stages of small layers are over by then, and one call reports that and asks for
	// the next order.
	linger = 20 * time.Millisecond

	// nonsensePause is the time until the next call after an invalid order.
	nonsensePause = 500 * time.Millisecond
)

// session is the conversation with the coordinator.
type session struct {
	client      everystatev1.SessionServiceClient
	desk        *desk
	stores      *stores
	coordinator string
	address     string
	incarnation uint64
	drain       <-chan struct{}
	broken      func() error // why this process cannot continue, nil if it can
	backOffMax  time.Duration
	random      func() uint64
	log         *slog.Logger

	uploads *upload.Queue
	weight  uint32
	lanes   uint32
	machine string
	cores   uint32
	tables  uint64 // bytes for a table of a whole run
	data    string

	stats *Stats
	stood func() time.Duration

	met        bool // the coordinator has answered once
	told       time.Time
	drainBegan time.Time
	draining   bool
	answer     time.Duration // how long to wait for an answer
	failures   int           // calls since the last answer

	resident uint64 // memory, when it was last measured
	measured time.Time
}

// loop calls the coordinator until ctx ends, or until the worker has drained.
func (s *session) loop(ctx context.Context) error {
	s.answer = answerFirst
	for ctx.Err() == nil {
		if s.desk.busy() {
			s.wait(ctx, linger, s.desk.achieved)
		}
		broken := s.broken()
		res, err := s.call(ctx)
		switch {
		case ctx.Err() != nil:
			continue // ends the loop
		case errors.Is(err, errNews):
			continue
		case status.Code(err) == codes.AlreadyExists:
			return fmt.Errorf("%w: %s", errOvertaken, status.Convert(err).Message())
		case s.refused(err):
			return fmt.Errorf("%w: %s", ErrRefused, status.Convert(err).Message())
		case err != nil:
			s.failed(ctx, err)
			if s.mayLeave() {
				s.log.Warn("leaving without the coordinator; everything here is kept", "coordinator", s.coordinator)
				return nil
			}
			continue
		}
		if err := wire.Check("the coordinator", res.GetWireVersion()); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		s.answered(res)
		if broken != nil {
			return broken // the coordinator has been told
		}
		if err := s.desk.take(res); err != nil {
			s.log.Warn("received an invalid order; requesting a full one", "error", err)
			s.pause(ctx, nonsensePause)
		}
		s.uploads.Take(res.GetUploads())
		s.removeDeleted(ctx, res.GetDeletedRuns())
		if s.draining && res.GetReleased() {
			farewell.Say(s.log, s.data, res.GetRunsLeft())
			return nil
		}
	}
	return nil
}

// ErrRefused reports that the coordinator does not admit this worker.
var ErrRefused = errors.New("the coordinator refuses this worker")

// refused reports whether the first answer was one that will not change until somebody
// changes something.
func (s *session) refused(err error) bool {
	if s.met {
		return false
	}
	switch status.Code(err) {
	case codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented, codes.FailedPrecondition:
		return true
	default:
		return false
	}
}

// mayLeave reports whether a worker that wants to leave need no longer wait for the
// coordinator.
func (s *session) mayLeave() bool {
	return s.draining && (!s.met || time.Since(s.drainBegan) > drainWait)
}

// errOvertaken reports that a later process has this worker's name.
var errOvertaken = errors.New("this worker stops")

// errNews reports that a call was given up because there is something to report.
var errNews = errors.New("there is something new to report")

// call makes one call. It gives up as soon as there is something new to report.
func (s *session) call(ctx context.Context) (*everystatev1.SynchronizeResponse, error) {
	select {
	case <-s.drain:
		s.draining, s.drain, s.drainBegan = true, nil, time.Now()
	default:
	}
	select {
	case <-s.desk.achieved: // the report includes it
	default:
	}
	order, report := s.desk.report()
	req := &everystatev1.SynchronizeRequest{
		Worker:      s.desk.self,
		Incarnation: s.incarnation,
		Address:     s.address,
		Order:       order,
		Report:      report,
		Draining:    s.draining,
		KeptRuns:    s.stores.kept(keptMax),
		Weight:      s.weight,
		WireVersion: wire.Version,
		Lanes:       s.lanes,
		SentBytes:   uint64(s.stats.WireBytes.Load()),
		MemoryBytes: s.memory(),
		Damaged:     s.stores.damages(),
		StoodMillis: uint64(s.stood().Milliseconds()),
		Straight:    true,
		Alone:       true,
		Ahead:       true,
		TableBytes:  s.tables,
		Machine:     s.machine,
		Cores:       s.cores,
	}
	if space, err := disk.SpaceOf(s.data); err == nil {
		req.DiskFreeBytes = space.Free
	}
	req.Uploaded, req.UploadTrouble = s.uploads.Report()
	ctx, cancel := context.WithTimeout(ctx, s.answer)
	defer cancel()
	type result struct {
		res *everystatev1.SynchronizeResponse
		err error
	}
	done := make(chan result, 1)
	go func() {
		res, err := s.client.Synchronize(ctx, req, grpc.WaitForReady(false))
		done <- result{res, err}
	}()
	select {
	case r := <-done:
		return r.res, r.err
	case <-s.desk.achieved:
	case <-s.drain:
	}
	cancel()
	// An answer that arrived meanwhile is still an order.
	if r := <-done; r.err == nil {
		return r.res, nil
	}
	return nil, errNews
}

// memory returns the memory that the process held at most a second ago: asking takes as
// long as a small layer.
func (s *session) memory() uint64 {
	if now := time.Now(); now.Sub(s.measured) >= time.Second {
		s.measured, s.resident = now, uint64(memory.Resident())
	}
	return s.resident
}

// removeDeleted deletes what is kept of deleted runs. A run still in use is named again
// in the next call, which is answered at once.
func (s *session) removeDeleted(ctx context.Context, names []string) {
	for _, name := range names {
		if err := s.stores.remove(name); err != nil {
			s.log.Warn("cannot remove a deleted run yet", "run", name, "error", err)
			s.pause(ctx, nonsensePause)
			continue
		}
		s.log.Info("run removed", "run", name)
	}
}

func (s *session) answered(res *everystatev1.SynchronizeResponse) {
	switch {
	case !s.met:
		s.log.Info("connected to the coordinator", "coordinator", s.coordinator)
	case s.failures > 0:
		s.log.Info("the coordinator is back", "coordinator", s.coordinator)
	}
	s.met, s.failures = true, 0
	s.stats.Answered.Store(time.Now().UnixNano())
	if lease := time.Duration(res.GetLeaseMillis()) * time.Millisecond; lease > 0 {
		s.answer = max(lease, answerFloor)
	}
}

// failed waits, longer after each failure, and logs this now and then.
func (s *session) failed(ctx context.Context, err error) {
	if s.failures == 0 || time.Since(s.told) > reminderInterval {
		s.told = time.Now()
		s.log.Warn("the coordinator does not answer; retrying until it does",
			"coordinator", s.coordinator, "error", status.Convert(err).Message(), "code", status.Code(err).String())
	} else if status.Code(err) == codes.InvalidArgument {
		s.log.Debug("the coordinator refuses the call", "error", err)
	}
	wait := exchange.BackOff(s.failures, s.backOffMax, s.random)
	s.failures++
	s.pause(ctx, wait)
}

func (s *session) pause(ctx context.Context, d time.Duration) { s.wait(ctx, d, nil) }

// wait waits until d has passed, or until there is something in news.
func (s *session) wait(ctx context.Context, d time.Duration, news <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-news:
	case <-s.drain:
		s.draining, s.drain, s.drainBegan = true, nil, time.Now()
	case <-ctx.Done():
	}
}
