package server

import (
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
)

// activateNext takes up the first run in the queue, if none is being worked on.
func (s *Server) activateNext() {
	if s.stopping {
		return
	}
	if s.active == nil {
		if s.active = s.firstInQueue(); s.active != nil {
			s.active.since = s.now()
			s.active.pace.Progressed(s.now())
			s.active.lookAgain()
		}
	}
	if s.active != nil {
		s.start(s.active)
	}
}

// firstInQueue returns the run to work on next, or nil if there is none.
func (s *Server) firstInQueue() *run {
	var all []core.InQueue
	for _, r := range s.runs {
		state := r.control.State
		if r == s.active {
			state = history.Running
		}
		all = append(all, core.InQueue{Name: r.name, State: state, Submitted: r.control.Submitted.UnixMicro(), Worked: r.worked()})
	}
	name, _ := core.First(core.Ticks(s.opts.SliceMillis), all)
	return s.runs[name]
}

// worked returns how long the run has been worked on.
func (r *run) worked() core.Ticks {
	worked := core.Ticks(r.control.WorkedMillis)
	if r == r.server.active {
		worked += r.server.now() - r.since
	}
	return worked
}

// noteWorked records how long the run has been worked on.
func (r *run) noteWorked() {
	r.control.WorkedMillis = int64(r.worked())
	r.since = r.server.now()
}

// epochYieldsMax is the epoch after which a run is no longer put aside for another: each
// time it is taken up again costs one of its 4,096 sessions.
const epochYieldsMax = 1 << 31

// yield puts the active run aside if another one comes first, and reports whether it
// did. It is called at moments when no work is lost by that.
func (r *run) yield() bool {
	s := r.server
	if r != s.active || s.stopping || r.job.past().LastEpoch() > epochYieldsMax {
		return false
	}
	first := s.firstInQueue()
	if first == nil || first == r {
		return false
	}
	s.log.Info("another run comes first, which has had less time", "run", r.name, "first", first.name)
	s.deactivate(history.Queued, "")
	s.soon()
	return true
}

// tickQueue saves from time to time how long the active run has been worked on, and lets
// another run come first if it waits.
func (r *run) tickQueue() {
	s := r.server
	if s.now()-r.since >= core.Ticks(s.opts.SliceMillis) {
		r.noteWorked()
		if err := r.saveControl(); err != nil {
			s.log.Error("cannot write the control file", "run", r.name, "error", err)
		}
	}
	if !r.job.working() {
		return
	}
	if _, waits := r.job.waitingFor(); waits {
		r.yield()
	}
}

// lookAgain has the log read again first: another coordinator may have continued the
// run.
func (r *run) lookAgain() {
	r.claim, r.looked = core.Claim{}, r.server.now()
	if b := r.backup; b != nil {
		b.ready, b.known = false, nil
		b.wake()
	}
}

// soon has the next run started shortly.
func (s *Server) soon() {
	select {
	case s.kick <- struct{}{}:
	default: // told already
	}
}

// deactivate puts the active run aside.
func (s *Server) deactivate(state history.State, failure string) {
	r := s.active
	if r == nil {
		return
	}
	r.noteWorked()
	s.active = nil
	r.job.end()
	r.claim.Session = false
	s.setState(r, state, failure)
	for _, m := range s.members {
		if m.run == r {
			m.tell(nil, nil)
		}
	}
	log, what := s.log.With("run", r.name), "run "+state.String()
	switch {
	case failure != "":
		log = log.With("why", failure)
	case state == history.Stopped && r.job.complete():
		what = "run complete"
	}
	log.Info(what)
}

func (s *Server) setState(r *run, state history.State, failure string) {
	r.control.State, r.control.Failure = state, failure
	if err := r.saveControl(); err != nil {
		s.log.Error("cannot write the control file", "run", r.name, "error", err)
	}
}

// fail ends the work on a run because of an error.
func (s *Server) fail(r *run, err error) {
	s.log.Error("run failed", "run", r.name, "error", err)
	if s.active == r {
		s.deactivate(history.Failed, oneLine(err.Error()))
		return
	}
	s.setState(r, history.Failed, oneLine(err.Error()))
}
