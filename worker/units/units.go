// Package units does the units of sweeps that a coordinator hands out to a worker: it
// asks for them, does them in lanes, and sends what they found. It must never decide
// which unit comes next, nor keep anything of a unit once the coordinator has it.
package units

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/sweep"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

const (
	// answerMax is how long the coordinator may take to answer.
	answerMax = 30 * time.Second

	// failureBytesMax bounds the text of a failure.
	failureBytesMax = 4 << 10

	// unitPartBytes is how much of a unit's findings goes in one message.
	unitPartBytes = 512 << 10

	// unitPause is the time until the next call after one that gave no unit.
	unitPause = 100 * time.Millisecond

	// oldPause is the time until the next call of a coordinator too old for sweeps.
	oldPause = time.Minute

	// commitTriesMax is how often findings are sent for a unit that the coordinator is
	// not working on at the moment: it may have been restarted.
	commitTriesMax = 8
)

// Sweeper does units of sweeps. Its first lane asks for them and waits; the others run
// only while there are units.
type Sweeper struct {
	Client      everystatev1.SweepServiceClient
	Worker      string // its name
	Incarnation uint64
	Lanes       int
	Open        func(rules string) (sweep.Enumeration, error)
	Log         *slog.Logger

	// Wait returns how long to wait after so many failures in a row.
	Wait func(failures int) time.Duration

	wait sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	rules   string
	kind    sweep.Enumeration // of the rules
	running []bool            // by lane
}

// sweepLane is a goroutine that does units.
type sweepLane struct {
	*Sweeper
	number uint32
	kind   sweep.Enumeration
	worker sweep.Worker // of kind
}

// Loop does units until ctx ends.
func (s *Sweeper) Loop(ctx context.Context) {
	s.running = make([]bool, s.Lanes)
	defer s.wait.Wait()
	first := &sweepLane{Sweeper: s}
	for ctx.Err() == nil {
		task, err := s.take(ctx, 0, false)
		switch {
		case status.Code(err) == codes.Unimplemented:
			pause(ctx, oldPause)
		case err != nil || task.GetRun() == "":
			pause(ctx, unitPause)
		default:
			s.startLanes(ctx)
			first.do(ctx, task)
		}
	}
}

// startLanes starts the lanes that are not running.
func (s *Sweeper) startLanes(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for lane := 1; lane < s.Lanes; lane++ {
		if s.running[lane] {
			continue
		}
		s.running[lane] = true
		s.wait.Go(func() {
			l := &sweepLane{Sweeper: s, number: uint32(lane)}
			for ctx.Err() == nil {
				task, err := s.take(ctx, l.number, true)
				if err != nil || task.GetRun() == "" {
					break
				}
				l.do(ctx, task)
			}
			s.mu.Lock()
			s.running[lane] = false
			s.mu.Unlock()
		})
	}
}

func (s *Sweeper) take(ctx context.Context, lane uint32, hurry bool) (*everystatev1.TakeUnitResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, answerMax)
	defer cancel()
	return s.Client.TakeUnit(ctx, &everystatev1.TakeUnitRequest{Worker: s.Worker, Incarnation: s.Incarnation, Lane: lane, Hurry: hurry})
}

// enumeration returns the enumeration of rules. Planning one may take a while, so the
// last one is kept.
func (s *Sweeper) enumeration(rules string) (sweep.Enumeration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kind != nil && s.rules == rules {
		return s.kind, nil
	}
	kind, err := s.Open(rules)
	if err != nil {
		return nil, err
	}
	s.rules, s.kind = rules, kind
	return kind, nil
}

// do does a unit and sends what it found.
func (l *sweepLane) do(ctx context.Context, task *everystatev1.TakeUnitResponse) {
	found, err := l.find(ctx, task)
	if ctx.Err() != nil {
		return // the coordinator hands the unit out again
	}
	for failures := 0; ; failures++ {
		if err != nil {
			l.Log.Warn("a unit failed", "run", task.GetRun(), "unit", task.GetUnit(), "error", err)
		}
		fault := l.commit(ctx, task, found, err)
		if status.Code(fault) == codes.OK || ctx.Err() != nil {
			return
		}
		switch status.Code(fault) {
		case codes.InvalidArgument:
			if err != nil {
				return
			}
			err = fault // it is reported, and others try the unit
			continue
		case codes.FailedPrecondition, codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented:
			if failures >= commitTriesMax {
				l.Log.Warn("a unit's result was not needed", "run", task.GetRun(), "unit", task.GetUnit(), "error", status.Convert(fault).Message())
				return
			}
		default:
		}
		pause(ctx, l.Wait(failures))
	}
}

// find does a unit.
func (l *sweepLane) find(ctx context.Context, task *everystatev1.TakeUnitResponse) (found []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			found, err = nil, fmt.Errorf("internal error: %v", v)
		}
	}()
	kind, err := l.enumeration(task.GetRules())
	if err != nil {
		return nil, err
	}
	if int64(task.GetUnit()) >= int64(kind.Units()) {
		return nil, fmt.Errorf("unit %d of %d", task.GetUnit(), kind.Units())
	}
	if l.kind != kind {
		l.kind, l.worker = kind, kind.Worker()
	}
	f, err := l.worker.Do(ctx, int(task.GetUnit()))
	if err != nil {
		l.kind = nil // it may be in any state
		return nil, err
	}
	return sweep.EncodeFindings(&f)
}

// commit sends what a unit found, or why it cannot be done.
func (l *sweepLane) commit(ctx context.Context, task *everystatev1.TakeUnitResponse, found []byte, failure error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	stream, err := l.Client.CommitUnit(ctx)
	if err != nil {
		return err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(task.GetRules())) // a hash has no errors
	m := &everystatev1.CommitUnitRequest{
		Run: task.GetRun(), Unit: task.GetUnit(), RulesHash: h.Sum64(), Worker: l.Worker, Lane: l.number,
		RunIdentity: task.GetRunIdentity(),
	}
	if failure != nil {
		text := failure.Error()
		m.Failure, found = text[:min(len(text), failureBytesMax)], nil
	}
	for {
		n := min(len(found), unitPartBytes)
		m.Data, found = found[:n], found[n:]
		if err := stream.Send(m); err != nil || len(found) == 0 {
			break // the answer says what is wrong
		}
		m = &everystatev1.CommitUnitRequest{}
	}
	_, err = stream.CloseAndRecv()
	if errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err).Err()
	}
	return err
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
