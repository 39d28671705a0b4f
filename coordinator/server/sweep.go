package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/sweep"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// sweeping is what a sweep needs while it is being worked on.
type sweeping struct {
	units    *core.Units
	changed  chan struct{} // closed when there may be a unit to be taken
	failures map[uint32]int
}

// lookUnits lets those look who wait for a unit.
func (w *sweeping) lookUnits() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// readSweep reads the rules of a spec.
func (s *Server) readSweep(m *everystatev1.RunSpec) (history.Spec, error) {
	e, err := s.opts.Sweeps(m.GetText())
	if err != nil {
		return history.Spec{}, fmt.Errorf("the sweep cannot be read: %w", err)
	}
	if n := e.Units(); n < 1 || n > journal.UnitsMax {
		return history.Spec{}, fmt.Errorf("the sweep has %d units: a cluster takes 1 to %d; run larger sweeps on one machine", n, journal.UnitsMax)
	}
	if len(m.GetName()) > titleMax || len(m.GetFamily()) > titleMax || len(m.GetMetric()) > titleMax {
		return history.Spec{}, fmt.Errorf("a name of more than %d bytes", titleMax)
	}
	return history.Spec{
		Family: m.GetFamily(), Name: m.GetName(), Metric: m.GetMetric(), Text: e.Rules(), Partitions: 1, Units: e.Units(),
	}, nil
}

// workSweep begins to hand units out.
func (s *Server) workSweep(r *run) error {
	e, err := s.opts.Sweeps(r.spec.Text)
	if err != nil {
		return err
	}
	if e.Units() != r.spec.Units {
		return fmt.Errorf("the sweep has %d units, and had %d when it was started: another version of everystate divides it differently", e.Units(), r.spec.Units)
	}
	done, n := r.history.Units()
	var plan []uint32
	for _, unit := range sweep.Plan(e, doneUnits(done)) {
		plan = append(plan, uint32(unit))
	}
	r.sweep = &sweeping{units: core.NewUnits(plan, done), changed: make(chan struct{}), failures: make(map[uint32]int)}
	s.noteRunning(r)
	s.log.Info("sweep started", "run", r.name, "units", r.spec.Units, "done", n)
	for _, m := range s.members {
		m.wake()
	}
	s.endOfUnits(r)
	return nil
}

// doneUnits are units that are done.
type doneUnits history.UnitSet

// Done reports whether a unit is.
func (d doneUnits) Done(unit int) bool { return history.UnitSet(d).Has(uint32(unit)) }

// endOfUnits puts a sweep aside when all is done.
func (s *Server) endOfUnits(r *run) {
	if r.sweep.units.Left() == 0 && s.active == r {
		s.deactivate(history.Stopped, "")
		s.soon()
	}
}

// endSweep lets those go who wait for units.
func (r *run) endSweep() {
	if r.sweep != nil {
		r.sweep.lookUnits()
		r.sweep = nil
	}
}

// loseUnits hands out again what a worker was at.
func (r *run) loseUnits(worker string) {
	if r.sweep.units.Lost(r.names.id(worker)) {
		r.sweep.lookUnits()
	}
}

// TakeUnit hands out a unit.
func (s *Server) TakeUnit(ctx context.Context, req *everystatev1.TakeUnitRequest) (*everystatev1.TakeUnitResponse, error) {
	deadline := time.NewTimer(time.Duration(s.opts.LeaseMillis) * time.Millisecond / 3)
	defer deadline.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		m := s.members[req.GetWorker()]
		if m == nil || !m.present || m.incarnation != req.GetIncarnation() {
			return nil, status.Error(codes.FailedPrecondition, "a worker takes units when it has called Synchronize")
		}
		// What wakes a call that finds nothing: its order changes with the queue.
		changed := m.changed
		if r := s.active; r != nil && r.sweep != nil && !m.draining {
			unit, ok := r.sweep.units.Take(core.Lane{Worker: r.names.id(m.name), Lane: req.GetLane()})
			if ok {
				return &everystatev1.TakeUnitResponse{Run: r.name, RunIdentity: wire.Identity(r.history.Identity()), Unit: unit, Rules: r.spec.Text}, nil
			}
			changed = r.sweep.changed
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
func (s *Server) CommitUnit(stream everystatev1.SweepService_CommitUnitServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	found := first.GetData()
	for {
		next, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(found)+len(next.GetData()) > journal.UnitBytesMax {
			return status.Errorf(codes.InvalidArgument, "a unit with more than %d bytes of findings", journal.UnitBytesMax)
		}
		found = append(found, next.GetData()...)
	}
	if why := first.GetFailure(); why != "" {
		return s.unitFailed(first, why, stream)
	}
	s.unpacking.Lock()
	f, err := sweep.DecodeFindings(int(first.GetUnit()), found)
	s.unpacking.Unlock()
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.sweepOf(first)
	if err != nil {
		return err
	}
	if err := s.commitUnit(r, first.GetUnit(), &f.Totals, found); err != nil {
		s.fail(r, err)
		return status.Error(codes.Internal, err.Error())
	}
	return stream.SendAndClose(&everystatev1.CommitUnitResponse{})
}

// sweepOf returns the sweep that a unit is of, if it is being worked on.
func (s *Server) sweepOf(m *everystatev1.CommitUnitRequest) (*run, error) {
	r := s.active
	if r == nil || r.sweep == nil || r.name != m.GetRun() || !bytes.Equal(wire.Identity(r.history.Identity()), m.GetRunIdentity()) || rulesHash(r.spec.Text) != m.GetRulesHash() || int64(m.GetUnit()) >= int64(r.spec.Units) {
		return nil, status.Errorf(codes.FailedPrecondition, "unit %d of %s: not a sweep that is being worked on", m.GetUnit(), m.GetRun())
	}
	return r, nil
}

func rulesHash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash has no errors
	return h.Sum64()
}

// commitUnit records what a unit found, unless that has been done.
func (s *Server) commitUnit(r *run, unit uint32, totals *sweep.Totals, found []byte) error {
	if r.sweep.units.Done(unit) {
		return nil
	}
	if err := r.appendAll(journal.Unit(unit, r.history.Session(), found)); err != nil {
		return fmt.Errorf("commit unit %d: %w", unit, err)
	}
	r.history.AddUnit(unit, r.history.Session())
	r.sweep.units.Commit(unit)
	r.totals.Add(totals)
	s.noteCommit(r)
	s.endOfUnits(r)
	return nil
}

// appendAll appends entries to the journal, durably when the last one is there.
func (r *run) appendAll(entries journal.Entries) error {
	for i, entry := range entries {
		if err := r.store.AppendJournal(entry, i == len(entries)-1); err != nil {
			return err
		}
		r.log = append(r.log, entry)
	}
	return nil
}

// unitTriesMax is how often a unit may fail before the sweep does.
const unitTriesMax = 3

// unitFailed takes a unit from a lane that cannot do it. Others try again: what it
// lacked may have been memory.
func (s *Server) unitFailed(m *everystatev1.CommitUnitRequest, why string, stream everystatev1.SweepService_CommitUnitServer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.sweepOf(m)
	if err != nil {
		return err
	}
	why = oneLine(why[:min(len(why), 4<<10)])
	s.log.Warn("a unit failed", "run", r.name, "unit", m.GetUnit(), "worker", m.GetWorker(), "error", why)
	r.sweep.failures[m.GetUnit()]++
	r.sweep.units.Release(core.Lane{Worker: r.names.id(m.GetWorker()), Lane: m.GetLane()})
	r.sweep.lookUnits()
	if r.sweep.failures[m.GetUnit()] == unitTriesMax {
		s.fail(r, fmt.Errorf("unit %d: %s: %s", m.GetUnit(), m.GetWorker(), why))
		s.soon()
	}
	return stream.SendAndClose(&everystatev1.CommitUnitResponse{})
}

// addUp makes the totals of a sweep what its journal says.
func (r *run) addUp() error {
	r.totals = sweep.Totals{}
	return journal.Findings(r.log, func(_ uint32, found []byte) error {
		t, err := sweep.DecodeTotals(found)
		r.totals.Add(&t)
		return err
	})
}

// sweepStatus says how far a sweep is.
func (r *run) sweepStatus(st *everystatev1.RunStatus) {
	_, done := r.past().Units()
	st.UnitsDone = uint32(done)
	if r.sweep != nil {
		st.UnitsLeased = uint32(r.sweep.units.Leased())
	}
	// What is passed over is done as well: together they come to the sweep's closed form.
	st.States = r.totals.Covered()
	st.Records, st.Digest = r.totals.Records, r.totals.Digest.Bytes()
	st.Puzzles, st.GreatestDistance = r.totals.Puzzles, uint32(max(0, r.totals.Greatest()))
}
