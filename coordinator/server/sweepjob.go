package server

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/gauges"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/plans"
	"github.com/everystate/everystate/coordinator/requests"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/telemetry/metrics"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
)

// sweepJob has workers do the units of a sweep.
type sweepJob struct {
	*run

	totals sweep.Totals // of the units that are done
	shares core.Shares
	plan   *plans.Plan // nil if there is none, or units are handed out

	// While the run is being worked on:
	units   *core.Units
	changed chan struct{}     // closed when there may be a unit to take
	journal *store.SharedSync // of units that are done: small ones share a sync
}

// read computes the totals from the journal.
func (w *sweepJob) read() error {
	w.totals = sweep.Totals{}
	return journal.Findings(w.log, func(_ uint32, found []byte) error {
		t, err := sweep.DecodeTotals(found)
		w.totals.Add(&t)
		return err
	})
}

func (w *sweepJob) refuses(want history.Want) error {
	if want.GoalDistance {
		return errors.New("this is a sweep, which has goal distances already")
	}
	return nil
}

// wants returns what a sweep is always asked for: everything, so no options.
func (w *sweepJob) wants(history.Want) history.Want { return history.Want{} }

func (w *sweepJob) complete() bool {
	_, done := w.history.Units()
	return done == w.spec.Units
}

func (w *sweepJob) past() *history.History { return &w.history }

func (w *sweepJob) gathers() bool { return false }

func (w *sweepJob) working() bool { return w.units != nil }

func (w *sweepJob) ready() bool {
	if w.plan == nil {
		w.plan = w.server.plans.Take(w.spec.Text, w.server.soon)
	}
	return w.plan != nil
}

// begin begins to hand units out.
func (w *sweepJob) begin() error {
	s := w.server
	done, n := w.history.Units()
	left, err := w.plan.Left(w.spec.Units, done)
	w.plan = nil
	if err != nil {
		return err
	}
	w.units, w.changed, w.journal = core.NewUnits(left, done, w.shares), make(chan struct{}), store.ShareSyncs(w.store)
	s.log.Info("sweep started", "run", w.name, "units", w.spec.Units, "done", n)
	for _, m := range s.members {
		m.wake()
	}
	w.endOfUnits()
	return nil
}

// end releases the calls that wait for units.
func (w *sweepJob) end() {
	if w.units != nil {
		w.wake()
		w.units = nil
		w.sync()
	}
}

// wake ends the pause of the calls that wait for a unit.
func (w *sweepJob) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// endOfUnits puts a sweep aside once all units are done.
func (w *sweepJob) endOfUnits() {
	if w.units.Left() == 0 {
		w.server.deactivate(history.Stopped, "")
		w.server.soon()
	}
}

// step hands out again the units of a worker that is gone. Other events do not matter.
func (w *sweepJob) step(ev core.Event) {
	switch ev := ev.(type) {
	case core.Lost:
		w.lose(ev.Worker)
	case core.Restarted:
		w.lose(ev.Worker)
	}
}

func (w *sweepJob) lose(worker history.WorkerID) {
	if w.units != nil && w.units.Lost(worker) {
		w.wake()
	}
}

// take does nothing: units are committed by calls of their own.
func (w *sweepJob) take(*member, *everystatev1.RunReport, *everystatev1.RunReport) {}

// tick puts the last units before a pause on disk.
func (w *sweepJob) tick() { w.sync() }

// sync has the units that are done on disk. One that is not is done again.
func (w *sweepJob) sync() {
	if err := w.journal.Sync(); err != nil {
		w.server.log.Error("finished units were not saved", "run", w.name, "error", err)
	}
}

func (w *sweepJob) needs(m *member) bool { return w.units != nil && w.units.Holds(w.names.ID(m.name)) }

func (w *sweepJob) takeUnit(m *member, lane uint32) (*everystatev1.TakeUnitResponse, <-chan struct{}) {
	if w.units == nil {
		return nil, nil
	}
	unit, ok := w.units.Take(core.Lane{Worker: w.names.ID(m.name), Lane: lane})
	if !ok {
		return nil, w.changed
	}
	return &everystatev1.TakeUnitResponse{Run: w.name, RunIdentity: wire.Identity(w.history.Identity()), Unit: unit, Rules: w.spec.Text}, nil
}

// check returns what is wrong with what a call claims about a unit.
func (w *sweepJob) check(req *everystatev1.CommitUnitRequest) error {
	if w.units == nil || !bytes.Equal(wire.Identity(w.history.Identity()), req.GetRunIdentity()) ||
		requests.RulesHash(w.spec.Text) != req.GetRulesHash() || int64(req.GetUnit()) >= int64(w.spec.Units) {
		return errNoUnit(req)
	}
	return nil
}

// commitUnit records what a unit found, unless that was recorded before.
func (w *sweepJob) commitUnit(req *everystatev1.CommitUnitRequest, totals *sweep.Totals, found []byte) error {
	if err := w.check(req); err != nil {
		return err
	}
	unit := req.GetUnit()
	if w.units.Done(unit) {
		return nil
	}
	entries := journal.Unit(unit, w.history.Session(), found)
	// What a bucket gets is on disk first.
	if err := w.journal.Append(entries, w.backup != nil); err != nil {
		err = fmt.Errorf("commit unit %d: %w", unit, err)
		w.server.fail(w.run, err)
		return status.Error(codes.Internal, err.Error())
	}
	w.log = append(w.log, entries...)
	w.history.AddUnit(unit, w.history.Session())
	w.units.Commit(unit, w.names.ID(req.GetWorker()), totals.States)
	w.totals.Add(totals)
	w.noteCommit()
	w.endOfUnits()
	if w.working() {
		w.yield()
	}
	return nil
}

// failUnit takes a unit from a lane that cannot do it.
func (w *sweepJob) failUnit(req *everystatev1.CommitUnitRequest, why string) error {
	if err := w.check(req); err != nil {
		return err
	}
	w.server.log.Warn("a unit failed", "run", w.name, "unit", req.GetUnit(), "worker", req.GetWorker(), "error", why)
	tooOften := w.units.Fail(core.Lane{Worker: w.names.ID(req.GetWorker()), Lane: req.GetLane()}, req.GetUnit())
	w.wake()
	if tooOften {
		w.server.fail(w.run, fmt.Errorf("unit %d: %s: %s", req.GetUnit(), req.GetWorker(), why))
		w.server.soon()
	}
	return nil
}

func (w *sweepJob) waitingFor() (text string, waits bool) {
	if len(w.server.roster.Available()) == 0 {
		return nobodyThere, true
	}
	return "", false
}

// status adds the progress of the sweep.
func (w *sweepJob) status(st *everystatev1.RunStatus) {
	_, done := w.history.Units()
	st.UnitsDone = uint32(done)
	if w.units != nil {
		st.UnitsLeased = uint32(w.units.Leased())
	}
	convert.Totals(&w.totals, st)
	st.Shares = convert.Shares(w.shares, w.names)
}

func (w *sweepJob) measure(put metrics.Put) {
	_, done := w.history.Units()
	put(gauges.RunStates, float64(w.totals.Covered()), w.name, "sweep")
	put(gauges.RunUnits, float64(w.spec.Units), w.name)
	put(gauges.RunUnitsDone, float64(done), w.name)
	put(gauges.RunRecords, float64(w.totals.Records), w.name)
}
