package cluster

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// retriesMax is how often a layer is tried again after its exchange broke while
// all workers were there.
const retriesMax = 20

// activateNext takes up the run that is first in the queue, if none is being
// worked on.
func (s *Server) activateNext() {
	if s.active != nil || s.stopping {
		return
	}
	var first *run
	for _, r := range s.runs {
		queued := r.control.State == everystatev1.RunState_RUN_STATE_QUEUED
		if queued && (first == nil || r.control.Submitted.Before(first.control.Submitted)) {
			first = r
		}
	}
	if first == nil || first.history.Placement() == nil && !s.settled() {
		return
	}
	if err := s.activate(first); err != nil {
		s.fail(first, err)
	}
}

// settled reports whether there are workers, and none that came just now.
func (s *Server) settled() bool {
	if time.Since(s.newest) < time.Duration(s.opts.SettleMillis)*time.Millisecond {
		return false
	}
	return len(s.available()) > 0
}

// available returns the names of the workers that can be given partitions.
func (s *Server) available() []string {
	var names []string
	for _, m := range s.members {
		if m.present && !m.draining {
			names = append(names, m.name)
		}
	}
	sort.Strings(names)
	return names
}

func (s *Server) activate(r *run) error {
	if r.history.Placement() == nil {
		if err := s.place(r); err != nil {
			return err
		}
	}
	session := r.history.NextSession()
	if session == 0 {
		return fmt.Errorf("the run has been taken up too often")
	}
	if err := r.append(journal.Session(session)); err != nil {
		return err
	}
	r.history.AddSession(session)
	r.control.State = everystatev1.RunState_RUN_STATE_RUNNING
	if err := r.saveControl(); err != nil {
		return err
	}
	r.core = core.New(r.spec, r.board.Puzzle.Layout().Reversible, r.history, r.control.Want)
	r.moved, r.waitFor, r.retries = time.Now(), nil, 0
	s.active = r
	s.log.Info("run taken up", "run", r.name, "layers", len(r.history.Layers(core.Forward)))
	for id, name := range r.history.Placement().Workers {
		if m := s.members[name]; m != nil && m.present {
			s.step(core.Joined{Worker: core.WorkerID(id)})
		}
	}
	if s.active == r && len(s.available()) == 0 {
		r.waitFor = workerIDs(r)
	}
	return nil
}

func workerIDs(r *run) []core.WorkerID {
	ids := make([]core.WorkerID, len(r.history.Placement().Workers))
	for i := range ids {
		ids[i] = core.WorkerID(i)
	}
	return ids
}

// place gives every worker that is there as many partitions as any other.
func (s *Server) place(r *run) error {
	p := core.Placement{Workers: s.available()}
	if len(p.Workers) > r.spec.Partitions {
		p.Workers = p.Workers[:r.spec.Partitions]
	}
	for part := range r.spec.Partitions {
		p.Homes = append(p.Homes, core.WorkerID(part*len(p.Workers)/r.spec.Partitions))
	}
	if err := r.append(journal.Placement(p)); err != nil {
		return err
	}
	if !r.history.AddPlacement(p) {
		return fmt.Errorf("the partitions cannot be placed now")
	}
	s.log.Info("partitions placed", "run", r.name, "workers", strings.Join(p.Workers, " "), "partitions", r.spec.Partitions)
	return nil
}

// deactivate puts the run that is being worked on aside.
func (s *Server) deactivate(state everystatev1.RunState, failure string) {
	r := s.active
	if r == nil {
		return
	}
	s.active = nil
	r.history = *r.core.History()
	r.core = nil
	r.waitFor = nil
	r.control.State, r.control.Failure = state, failure
	if err := r.saveControl(); err != nil {
		s.log.Error("control file not written", "run", r.name, "error", err)
	}
	for _, m := range s.members {
		if m.run == r {
			m.tell(nil, nil)
		}
	}
	s.log.Info("run put aside", "run", r.name, "state", stateName(state), "failure", failure)
}

// fail ends the work on a run because of an error.
func (s *Server) fail(r *run, err error) {
	s.log.Error("run failed", "run", r.name, "error", err)
	if s.active == r {
		s.deactivate(everystatev1.RunState_RUN_STATE_FAILED, oneLine(err.Error()))
		return
	}
	r.control.State, r.control.Failure = everystatev1.RunState_RUN_STATE_FAILED, oneLine(err.Error())
	if err := r.saveControl(); err != nil {
		s.log.Error("control file not written", "run", r.name, "error", err)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// step lets the core of the active run take an event, and performs what
// follows.
func (s *Server) step(ev core.Event) {
	r := s.active
	if r == nil {
		return
	}
	effects, err := r.core.Step(ev)
	for err == nil && len(effects) > 0 && s.active == r {
		effect := effects[0]
		effects = effects[1:]
		var more []core.Effect
		more, err = s.perform(r, effect)
		effects = append(effects, more...)
	}
	if err != nil {
		s.fail(r, err)
	}
}

// perform performs an effect and returns what follows from it at once.
func (s *Server) perform(r *run, effect core.Effect) ([]core.Effect, error) {
	r.moved = time.Now()
	switch e := effect.(type) {
	case core.Begin:
		r.waitFor = nil
		r.began = time.Now()
		s.order(r, e.Worker, s.attemptOrder(r, e.Attempt))
	case core.Expand:
		s.orderStage(r, e.Worker, everystatev1.Stage_STAGE_EXPANDED)
	case core.Write:
		s.orderStage(r, e.Worker, everystatev1.Stage_STAGE_WRITTEN)
	case core.End:
		s.order(r, e.Worker, nil)
	case core.Wait:
		r.waitFor = e.For
	case core.CommitLayer:
		e.Layer.Nanos = int64(time.Since(r.began))
		if err := r.append(journal.Layer(e.Layer)); err != nil {
			return nil, fmt.Errorf("commit %v layer %d: %w", e.Layer.Phase, e.Layer.Depth, err)
		}
		r.retries = 0
		return r.core.Step(core.Committed{Nanos: e.Layer.Nanos})
	case core.CommitEnd:
		e.End.Nanos = int64(time.Since(r.began))
		if err := r.append(journal.End(e.End)); err != nil {
			return nil, fmt.Errorf("commit the end of phase %v: %w", e.End.Phase, err)
		}
		return r.core.Step(core.Committed{Nanos: e.End.Nanos})
	case core.Stop:
		if e.Err != nil {
			return nil, e.Err
		}
		s.deactivate(everystatev1.RunState_RUN_STATE_STOPPED, "")
	default:
		return nil, fmt.Errorf("unknown effect %T", e)
	}
	return nil, nil
}

// member returns the worker that keeps partitions of the run under a number.
func (s *Server) memberOf(r *run, id core.WorkerID) *member {
	return s.members[r.past().Placement().Workers[id]]
}

func (s *Server) order(r *run, id core.WorkerID, attempt *everystatev1.AttemptOrder) {
	if m := s.memberOf(r, id); m != nil {
		m.tell(r, attempt)
	}
}

func (s *Server) orderStage(r *run, id core.WorkerID, stage everystatev1.Stage) {
	m := s.memberOf(r, id)
	if m == nil || m.attempt == nil {
		return
	}
	m.tell(r, &everystatev1.AttemptOrder{
		Epoch: m.attempt.GetEpoch(), Phase: m.attempt.GetPhase(), Depth: m.attempt.GetDepth(),
		Owners: m.attempt.GetOwners(), Stage: stage,
	})
}

func (s *Server) attemptOrder(r *run, a core.Attempt) *everystatev1.AttemptOrder {
	place := r.past().Placement()
	o := &everystatev1.AttemptOrder{
		Epoch: uint64(a.Epoch), Phase: everystatev1.Phase(a.Phase), Depth: a.Depth,
		Stage: everystatev1.Stage_STAGE_BEGUN,
	}
	for _, name := range place.Workers {
		owner := &everystatev1.Owner{Worker: name}
		if m := s.members[name]; m != nil {
			owner.Address = m.address
		}
		o.Owners = append(o.Owners, owner)
	}
	for part, home := range place.Homes {
		o.Owners[home].Partitions = append(o.Owners[home].Partitions, uint32(part))
	}
	return o
}

// expire gives up the workers whose leases have run out.
func (s *Server) expire(now time.Time) {
	lease := time.Duration(s.opts.LeaseMillis) * time.Millisecond
	for _, m := range s.members {
		if m.present && now.Sub(m.lastCall) > lease {
			s.log.Warn("worker lost", "worker", m.name, "silent", now.Sub(m.lastCall).Round(time.Millisecond))
			s.lose(m)
		}
	}
}

// lose takes a worker to be gone.
func (s *Server) lose(m *member) {
	m.present = false
	m.report = nil
	if id, ok := s.idOf(m); ok {
		s.step(core.Lost{Worker: id})
	}
}

// idOf returns the worker's number in the active run, if it keeps partitions of
// it.
func (s *Server) idOf(m *member) (core.WorkerID, bool) {
	if s.active == nil {
		return 0, false
	}
	for id, name := range s.active.past().Placement().Workers {
		if name == m.name {
			return core.WorkerID(id), true
		}
	}
	return 0, false
}

// silence is how long a run may stand still before that is said.
const silence = time.Minute

// complain says who is waited for when the active run stands still.
func (s *Server) complain(now time.Time) {
	r := s.active
	if r == nil || now.Sub(r.moved) < silence || now.Sub(r.told) < silence {
		return
	}
	r.told = now
	s.log.Warn("no progress", "run", r.name, "for", now.Sub(r.moved).Round(time.Second), "waiting", s.waitingFor(r))
}

// waitingFor says in one line who the run waits for and why.
func (s *Server) waitingFor(r *run) string {
	if r != s.active {
		return ""
	}
	if len(r.waitFor) > 0 {
		var names []string
		for _, id := range r.waitFor {
			names = append(names, r.past().Placement().Workers[id])
		}
		return "for " + strings.Join(names, ", ") + ", which keeps partitions of the run and is not there"
	}
	var late []string
	for _, m := range s.members {
		if m.run == r && m.attempt != nil && m.report.GetStage() < m.attempt.GetStage() {
			late = append(late, fmt.Sprintf("%s to reach stage %s", m.name, stageName(m.attempt.GetStage())))
		}
	}
	sort.Strings(late)
	if len(late) == 0 {
		return ""
	}
	return "for " + strings.Join(late, ", ")
}

func stageName(stage everystatev1.Stage) string {
	switch stage {
	case everystatev1.Stage_STAGE_BEGUN:
		return "begun"
	case everystatev1.Stage_STAGE_EXPANDED:
		return "expanded"
	case everystatev1.Stage_STAGE_WRITTEN:
		return "written"
	case everystatev1.Stage_STAGE_UNSPECIFIED:
	}
	return "idle"
}

func stateName(state everystatev1.RunState) string {
	return strings.ToLower(strings.TrimPrefix(state.String(), "RUN_STATE_"))
}
